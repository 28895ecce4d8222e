"""Options of the connection to a Kafka cluster, shared by inputs and outputs."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from streaming.adapters.kinds import shown_with
from streaming.adapters.secret_options import SecretText
from streaming.definition.strict import Strict

MOST_PEM_CHARACTERS: Final = 65_536
ADDRESSES: Final = frozenset({"brokers", "security", "certificate_authority", "sign_in"})
"""The options that decide where passwords are sent; if one of these changes, passwords must be entered again."""

WITH_TLS: Final = shown_with({"security": ["tls"]})
WITH_SIGN_IN: Final = shown_with({"sign_in": ["plain", "scram_sha_256", "scram_sha_512"]})

Pem = Annotated[str, Field(min_length=1, max_length=MOST_PEM_CHARACTERS, pattern=r"^\s*-----BEGIN CERTIFICATE-----")]


class KafkaConnectionOptions(Strict):
    """A Kafka cluster and the credentials for it. No other settings of the client can be changed."""

    brokers: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1_024,
            pattern=r"^\s*[^\s,]+(\s*,\s*[^\s,]+)*\s*$",
            title="Brokers",
            description="name:port of one or more brokers, separated by commas. The cluster reports its other brokers; "
            "all of them must be reachable from here.",
        ),
    ]
    topic: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,249}$", title="Topic", description="It must exist.")]
    security: Annotated[
        Literal["tls", "none"],
        Field(
            title="Encryption",
            description="none: without TLS, only in networks that your administrator allows.",
        ),
    ] = "tls"
    certificate_authority: Annotated[
        Pem | None,
        Field(
            title="Certificate authority",
            description="PEM text of the authority that signed the brokers' certificates. Empty: the system's "
            "authorities.",
            json_schema_extra=WITH_TLS,
        ),
    ] = None
    client_certificate: Annotated[
        Pem | None,
        Field(
            title="Client certificate",
            description="PEM text, if the brokers require a certificate.",
            json_schema_extra=WITH_TLS,
        ),
    ] = None
    client_key: Annotated[
        SecretText | None,
        Field(
            title="Client key",
            description="The private key of the client certificate, as PEM.",
            json_schema_extra=WITH_TLS,
        ),
    ] = None
    sign_in: Annotated[
        Literal["none", "plain", "scram_sha_256", "scram_sha_512"],
        Field(title="Sign-in", description="SASL mechanism. plain sends the password unencrypted, so it requires TLS."),
    ] = "none"
    user: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=256,
            title="User",
            description="The user name for signing in.",
            json_schema_extra=WITH_SIGN_IN,
        ),
    ] = None
    password: Annotated[
        SecretText | None,
        Field(title="Password", description="The user's password.", json_schema_extra=WITH_SIGN_IN),
    ] = None

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.sign_in != "none" and (self.user is None or self.password is None):
            raise ValueError(f"sign_in '{self.sign_in}' requires a user and a password; set both")
        if self.sign_in == "plain" and self.security == "none":
            raise ValueError("sign_in 'plain' sends the password unencrypted; set security to tls")
        if (self.client_certificate is None) is not (self.client_key is None):
            raise ValueError("a client certificate and its key belong together; set both or neither")
        if self.security == "none" and (self.client_certificate or self.certificate_authority):
            raise ValueError("certificates have no effect without encryption; set security to tls, or remove them")
        return self
