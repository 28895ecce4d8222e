"""Options for the value of a message: JSON, or a schema from text or from a registry."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.connection_options import ADDRESSES, KafkaConnectionOptions, Pem
from streaming.adapters.kinds import shown_with
from streaming.adapters.network.urls import read_url
from streaming.adapters.secret_options import SecretText

MOST_SCHEMA_CHARACTERS: Final = 100_000
SCHEMA_ADDRESSES: Final = ADDRESSES | {"registry", "registry_certificate_authority"}
"""The options that decide where the secrets are sent."""
_SCHEMAS: Final = ("avro", "protobuf")
_FORMAT: Final = shown_with({"format": _SCHEMAS})
_ANY_SCHEMA: Final = shown_with({"format": _SCHEMAS}, {"key": ["registry"]}, {"key_format": _SCHEMAS})
WITH_REGISTRY: Final = shown_with({"schema_from": ["registry"]})


class KafkaSchemaOptions(KafkaConnectionOptions):
    """A Kafka cluster and the format of its values."""

    format: Annotated[
        Literal["json", "avro", "protobuf"],
        Field(
            title="Format",
            description="The format of a message's value: one JSON object, an Avro record, a Protobuf message.",
        ),
    ] = "json"
    schema_from: Annotated[
        Literal["text", "registry"],
        Field(
            title="Schema from",
            description="text: from the text below; messages contain only the value. registry: from a registry with "
            "Confluent's API; each message begins with the id of its schema.",
            json_schema_extra=_ANY_SCHEMA,
        ),
    ] = "text"
    schema_text: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=MOST_SCHEMA_CHARACTERS,
            title="Schema",
            description="For avro the schema as JSON, for protobuf the text of a .proto file, which may import only "
            "google/protobuf/*.proto.",
            json_schema_extra=_FORMAT,
        ),
    ] = None
    message: Annotated[
        str | None,
        Field(
            max_length=500,
            pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$",
            title="Protobuf message",
            description="The name of the message, if the text defines several.",
            json_schema_extra=shown_with({"format": ["protobuf"]}),
        ),
    ] = None
    registry: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=2_048,
            title="Schema registry",
            description="Its address, for example https://registry.example:8081. The subject of values is the topic's "
            "name followed by `-value`, that of keys the name followed by `-key`.",
            json_schema_extra=WITH_REGISTRY,
        ),
    ] = None
    registry_user: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=256,
            title="Registry user",
            description="The user name for the registry. Empty: no sign-in.",
            json_schema_extra=WITH_REGISTRY,
        ),
    ] = None
    registry_password: Annotated[
        SecretText | None,
        Field(
            title="Registry password",
            description="The user's password, or the secret of an API key.",
            json_schema_extra=WITH_REGISTRY,
        ),
    ] = None
    registry_certificate_authority: Annotated[
        Pem | None,
        Field(
            title="Registry certificate authority",
            description="PEM text of the authority that signed the registry's certificate. Empty: the system's "
            "authorities.",
            json_schema_extra=WITH_REGISTRY,
        ),
    ] = None

    @property
    def subject(self) -> str:
        """The registry subject for the values of the topic (strategy: by topic name)."""
        return f"{self.topic}-value"

    @model_validator(mode="after")
    def _schema_fits_together(self) -> Self:
        if self.format == "json" and (self.schema_text is not None or self.message is not None):
            raise ValueError("json doesn't use a schema; set format to avro or protobuf, or remove the schema")
        if self.message is not None and self.format != "protobuf":
            raise ValueError("`message` is only for protobuf; set format to protobuf, or remove it")
        return self

    @model_validator(mode="after")
    def _registry_fits_together(self) -> Self:
        if (self.schema_from == "registry") is not (self.registry is not None):
            raise ValueError("schema_from 'registry' and the address `registry` belong together; set both or neither")
        others = (self.registry_user, self.registry_password, self.registry_certificate_authority)
        if self.registry is None and any(each is not None for each in others):
            raise ValueError("user, password and authority of a registry require its address; set `registry`")
        if (self.registry_user is None) is not (self.registry_password is None):
            raise ValueError("user and password of the registry belong together; set both or neither")
        if self.registry is not None:
            self._require_registry(self.registry)
        return self

    def _require_registry(self, address: str) -> None:
        try:
            url = read_url(address)
        except AdapterError as error:
            raise ValueError(f"registry: {error}") from None
        if "?" in url.target:
            raise ValueError("registry: the address has a query; remove the question mark and the text after it")
        if url.scheme == "http" and self.registry_password is not None:
            raise ValueError("a password is sent to a registry only over https; set `registry` to an https:// address")
        if url.scheme == "http" and self.registry_certificate_authority is not None:
            raise ValueError("an authority has no effect without encryption; set `registry` to an https:// address")
