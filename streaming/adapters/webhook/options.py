"""Options of results that are posted to an address."""

import base64
import binascii
import re
from typing import Annotated, Final

from pydantic import Field, field_validator

from streaming.adapters.network.urls import MOST_CHARACTERS
from streaming.adapters.secret_options import SecretText
from streaming.definition.strict import Strict

PREFIX: Final = "whsec_"
_KEY_BYTES: Final = range(24, 65)


def checked_secret(secret: SecretText) -> SecretText:
    """Return `secret`, with which requests are signed. Raises `ValueError` unless it is a key of Standard Webhooks."""
    text = secret.get_secret_value()
    try:
        key = base64.b64decode(text.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not text.startswith(PREFIX) or len(key) not in _KEY_BYTES:
        raise ValueError(
            "the secret is `whsec_` and 24 to 64 bytes in base64; create one with "
            "`echo whsec_$(openssl rand -base64 32)` and set it in the receiver as well"
        )
    return secret


def checked_token(token: SecretText | None) -> SecretText | None:
    """Return a bearer token, None for none. Raises `ValueError` unless it fits a header."""
    if token is not None and not re.fullmatch(r"[\x21-\x7e]+", token.get_secret_value()):
        raise ValueError(
            "a token consists of visible ASCII without spaces; copy it again without surrounding characters"
        )
    return token


class WebhookOptions(Strict):
    """Results as signed JSON requests to an address, each batch at least once: a receiver recognises repeats by their
    id.
    """

    url: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MOST_CHARACTERS,
            title="Address",
            description="https://name/path. Without TLS (http://) only in networks that your administrator allows. It "
            "is visible to everybody who sees the binding, so put secrets into the secret and the token.",
        ),
    ]
    secret: Annotated[
        SecretText,
        Field(
            title="Secret",
            description="`whsec_` and 24 to 64 bytes in base64, shared with the receiver. Requests are signed with it "
            "according to Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature).",
        ),
    ]
    token: Annotated[
        SecretText | None,
        Field(title="Token", description="Sent as a bearer token, if the receiver requires one."),
    ] = None
    rows_per_request: Annotated[
        int,
        Field(
            ge=1,
            le=10_000,
            title="Rows per request",
            description="The most rows in a request, which also has at most 1 MiB of them. A request never spans "
            "batches.",
        ),
    ] = 500
    ctis: Annotated[
        bool,
        Field(
            title="CTIs",
            description="Send the output's CTI in the last request of a batch: all time before it is final.",
        ),
    ] = False
    timeout_s: Annotated[
        int,
        Field(
            ge=1,
            le=60,
            title="Answer timeout (s)",
            description="A request without an answer in this time is retried. Let the receiver store first and process "
            "later.",
        ),
    ] = 15

    @field_validator("secret")
    @classmethod
    def _is_a_key(cls, secret: SecretText) -> SecretText:
        return checked_secret(secret)

    @field_validator("token")
    @classmethod
    def _fits_a_header(cls, token: SecretText | None) -> SecretText | None:
        return checked_token(token)
