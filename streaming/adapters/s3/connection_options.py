"""Options of the connection to an S3-compatible store, shared by inputs and outputs."""

import re
from typing import Annotated, Final

from pydantic import Field, field_validator

from streaming.adapters.network.urls import MOST_CHARACTERS
from streaming.adapters.secret_options import SecretText
from streaming.definition.strict import Strict

ADDRESSES: Final = frozenset({"endpoint", "region", "bucket", "access_key"})
"""The options that decide where signed requests are sent; if one of these changes, the secrets must be entered again.
"""
_HEADER: Final = re.compile(r"[\x21-\x7e]+")
MOST_KEY_BYTES: Final = 1_024
"""The longest key in S3."""


class S3ConnectionOptions(Strict):
    """A bucket and the keys for it. Keys, profiles and roles of the machine are never used."""

    bucket: Annotated[
        str,
        Field(
            pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$",
            title="Bucket",
            description="The bucket's name only: 3 to 63 lower-case letters, digits, dots and hyphens.",
        ),
    ]
    endpoint: Annotated[
        str,
        Field(
            max_length=MOST_CHARACTERS,
            title="Endpoint",
            description="https://name of an S3-compatible store, for example MinIO, Ceph or R2. Empty: Amazon S3. "
            "Without TLS (http://) only in networks that your administrator allows.",
        ),
    ] = ""
    region: Annotated[
        str,
        Field(
            pattern=r"^[a-z0-9-]{1,63}$",
            title="Region",
            description="The bucket's region, for example eu-central-1. Stores with an endpoint mostly use us-east-1.",
        ),
    ] = "us-east-1"
    access_key: Annotated[
        str,
        Field(pattern=r"^[\x21-\x7e]{1,256}$", title="Access key", description="The id of the key. It is not secret."),
    ]
    secret_key: Annotated[
        SecretText, Field(title="Secret key", description="The secret of the access key. It is never sent.")
    ]
    session_token: Annotated[
        SecretText | None,
        Field(title="Session token", description="For temporary keys. When these expire, reading and writing stop."),
    ] = None

    @field_validator("secret_key", "session_token")
    @classmethod
    def _fits_a_header(cls, secret: SecretText | None) -> SecretText | None:
        if secret is not None and not _HEADER.fullmatch(secret.get_secret_value()):
            raise ValueError(
                "a key consists of visible ASCII without spaces; copy it again without surrounding characters"
            )
        return secret


def normalize_prefix(prefix: str) -> str:
    """Return `prefix` without surrounding slashes. Raises `ValueError` for one that can't start a key."""
    if len(prefix.encode()) > MOST_KEY_BYTES or not all(each.isprintable() for each in prefix):
        raise ValueError(f"a prefix has at most {MOST_KEY_BYTES} bytes and no control characters; use a shorter one")
    normalized = prefix.strip("/")
    if any(part in {"", ".", ".."} for part in normalized.split("/")) and normalized:
        raise ValueError("a prefix can't have empty parts, '.' or '..'; write it as folder/folder")
    return normalized
