"""What a user sets for results that are posted to an address."""

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


class WebhookOptions(Strict):
    """Results as signed JSON requests to an address, each batch at least once: a receiver tells repeats by their id."""

    url: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MOST_CHARACTERS,
            title="Address",
            description="https://name/path. Without TLS (http://) only in networks that the installation names. It is "
            "shown to everybody who sees the binding: what is secret belongs into the secret and the token.",
        ),
    ]
    secret: Annotated[
        SecretText,
        Field(
            title="Secret",
            description="`whsec_` and 24 to 64 bytes in base64, which the receiver has as well: requests are signed "
            "with it as Standard Webhooks says (webhook-id, webhook-timestamp, webhook-signature).",
        ),
    ]
    token: Annotated[
        SecretText | None,
        Field(title="Token", description="Sent as a bearer token, where the receiver asks for one."),
    ] = None
    rows_per_request: Annotated[
        int,
        Field(
            ge=1,
            le=10_000,
            title="Rows in a request",
            description="At most so many, and at most 1 MiB of them; a request is of one batch.",
        ),
    ] = 500
    ctis: Annotated[
        bool,
        Field(title="CTIs", description="Say the output's CTI in the last request of a batch: what is final by then."),
    ] = False
    timeout_s: Annotated[
        int,
        Field(
            ge=1,
            le=60,
            title="Time to answer, in seconds",
            description="A receiver that takes longer is asked again; let it store first and work later.",
        ),
    ] = 15

    @field_validator("secret")
    @classmethod
    def _is_a_key(cls, secret: SecretText) -> SecretText:
        text = secret.get_secret_value()
        try:
            key = base64.b64decode(text.removeprefix(PREFIX), validate=True)
        except (binascii.Error, ValueError):
            key = b""
        if not text.startswith(PREFIX) or len(key) not in _KEY_BYTES:
            raise ValueError(
                "the secret is `whsec_` and 24 to 64 bytes in base64; make one with "
                "`echo whsec_$(openssl rand -base64 32)` and give it to the receiver as well"
            )
        return secret

    @field_validator("token")
    @classmethod
    def _fits_a_header(cls, token: SecretText | None) -> SecretText | None:
        if token is not None and not re.fullmatch(r"[\x21-\x7e]+", token.get_secret_value()):
            raise ValueError("a token is visible ASCII without spaces; copy it again without what stands around it")
        return token
