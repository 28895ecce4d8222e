"""How a store that speaks S3 is reached, and with whose keys: what is the same for reading and for writing."""

import re
from typing import Annotated, Final

from pydantic import Field, field_validator

from streaming.adapters.network.urls import MOST_CHARACTERS
from streaming.adapters.secret_options import SecretText
from streaming.definition.strict import Strict

ADDRESSES: Final = frozenset({"endpoint", "region", "bucket", "access_key"})
"""Where what is signed with the secret is sent: when one of these changes, the secrets have to be given again."""
_HEADER: Final = re.compile(r"[\x21-\x7e]+")
MOST_KEY_BYTES: Final = 1_024
"""So long a key may be, as S3 has it."""


class S3ConnectionOptions(Strict):
    """A bucket, and the keys with which it is opened. No key, profile or role of the machine is ever used."""

    bucket: Annotated[
        str,
        Field(
            pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$",
            title="Bucket",
            description="Its name alone: 3 to 63 small letters, digits, dots and hyphens.",
        ),
    ]
    endpoint: Annotated[
        str,
        Field(
            max_length=MOST_CHARACTERS,
            title="Endpoint",
            description="https://name of a store that speaks S3, such as MinIO, Ceph or R2; empty: Amazon S3. Without "
            "TLS (http://) only in networks that the installation names.",
        ),
    ] = ""
    region: Annotated[
        str,
        Field(
            pattern=r"^[a-z0-9-]{1,63}$",
            title="Region",
            description="Where the bucket is, such as eu-central-1; stores with an endpoint mostly take us-east-1.",
        ),
    ] = "us-east-1"
    access_key: Annotated[
        str,
        Field(pattern=r"^[\x21-\x7e]{1,256}$", title="Access key", description="The id of the key, which is shown."),
    ]
    secret_key: Annotated[
        SecretText, Field(title="Secret key", description="That of the access key; it is never sent.")
    ]
    session_token: Annotated[
        SecretText | None,
        Field(
            title="Session token", description="Of temporary keys; such keys end, and with them reading and writing."
        ),
    ] = None

    @field_validator("secret_key", "session_token")
    @classmethod
    def _fits_a_header(cls, secret: SecretText | None) -> SecretText | None:
        if secret is not None and not _HEADER.fullmatch(secret.get_secret_value()):
            raise ValueError("a key is visible ASCII without spaces; copy it again without what stands around it")
        return secret


def tidy_prefix(prefix: str) -> str:
    """`prefix` without slashes around it. Raises `ValueError` for one that no key begins with."""
    if len(prefix.encode()) > MOST_KEY_BYTES or not all(each.isprintable() for each in prefix):
        raise ValueError(f"a prefix has at most {MOST_KEY_BYTES} bytes and no control characters; write a shorter one")
    tidy = prefix.strip("/")
    if any(part in {"", ".", ".."} for part in tidy.split("/")) and tidy:
        raise ValueError("a prefix has no empty part, no '.' and no '..'; write it as folder/folder")
    return tidy
