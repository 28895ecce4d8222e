"""How a Kafka cluster is reached: what is the same whatever is done there."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from streaming.adapters.kinds import shown_with
from streaming.adapters.secret_options import SecretText
from streaming.definition.strict import Strict

MOST_PEM_CHARACTERS: Final = 65_536
ADDRESSES: Final = frozenset({"brokers", "security", "certificate_authority", "sign_in"})
"""Where passwords are sent, and how: when one of these changes, they have to be given again."""

WITH_TLS: Final = shown_with({"security": ["tls"]})
WITH_SIGN_IN: Final = shown_with({"sign_in": ["plain", "scram_sha_256", "scram_sha_512"]})

Pem = Annotated[str, Field(min_length=1, max_length=MOST_PEM_CHARACTERS, pattern=r"^\s*-----BEGIN CERTIFICATE-----")]


class KafkaConnectionOptions(Strict):
    """A Kafka cluster, and who signs in to it. Nothing else of the client's settings can be set."""

    brokers: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1_024,
            pattern=r"^\s*[^\s,]+(\s*,\s*[^\s,]+)*\s*$",
            title="Brokers",
            description="Where to begin: name:port of one broker or of several, with commas between them. The cluster "
            "names the others, and each has to be reachable from here.",
        ),
    ]
    topic: Annotated[
        str, Field(pattern=r"^[A-Za-z0-9._-]{1,249}$", title="Topic", description="It has to exist already.")
    ]
    security: Annotated[
        Literal["tls", "none"],
        Field(
            title="Encryption",
            description="none: without TLS, only in networks that the installation names.",
        ),
    ] = "tls"
    certificate_authority: Annotated[
        Pem | None,
        Field(
            title="Certificate authority",
            description="PEM text of whoever signed the brokers' certificates; empty: the authorities of the system.",
            json_schema_extra=WITH_TLS,
        ),
    ] = None
    client_certificate: Annotated[
        Pem | None,
        Field(
            title="Client certificate",
            description="PEM text, where the brokers ask for one.",
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
        Field(title="Sign-in", description="SASL mechanism; plain sends the password as it is, so it needs TLS."),
    ] = "none"
    user: Annotated[
        str | None,
        Field(min_length=1, max_length=256, title="User", description="Who signs in.", json_schema_extra=WITH_SIGN_IN),
    ] = None
    password: Annotated[
        SecretText | None,
        Field(title="Password", description="That of the user.", json_schema_extra=WITH_SIGN_IN),
    ] = None

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.sign_in != "none" and (self.user is None or self.password is None):
            raise ValueError(f"sign_in '{self.sign_in}' needs a user and a password; give both")
        if self.sign_in == "plain" and self.security == "none":
            raise ValueError(
                "sign_in 'plain' sends the password readable for everybody on the way; set security to tls"
            )
        if (self.client_certificate is None) is not (self.client_key is None):
            raise ValueError("a client certificate and its key belong together; give both or none")
        if self.security == "none" and (self.client_certificate or self.certificate_authority):
            raise ValueError("certificates are of no use without encryption; set security to tls, or leave them out")
        return self
