"""How the value of a message is described: JSON, or a schema from text or from a registry."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.connection_options import ADDRESSES, KafkaConnectionOptions, Pem
from streaming.adapters.kinds import shown_with
from streaming.adapters.network.urls import read_url
from streaming.adapters.secret_options import SecretText

MOST_SCHEMA_CHARACTERS: Final = 100_000
SCHEMA_ADDRESSES: Final = ADDRESSES | {"registry", "registry_certificate_authority"}
"""Where the secrets of these options are sent."""
_SCHEMAS: Final = ("avro", "protobuf")
_FORMAT: Final = shown_with({"format": _SCHEMAS})
_ANY_SCHEMA: Final = shown_with({"format": _SCHEMAS}, {"key": ["registry"]}, {"key_format": _SCHEMAS})
WITH_REGISTRY: Final = shown_with({"schema_from": ["registry"]})


class KafkaSchemaOptions(KafkaConnectionOptions):
    """A Kafka cluster, and what the values in it are."""

    format: Annotated[
        Literal["json", "avro", "protobuf"],
        Field(
            title="Format",
            description="What the value of a message is: one JSON object, an Avro record, a message of Protobuf.",
        ),
    ] = "json"
    schema_from: Annotated[
        Literal["text", "registry"],
        Field(
            title="Schema from",
            description="text: from the text below, and messages are the bare value. registry: from a registry that "
            "speaks Confluent's API; each message begins with the id of the schema that it was written with.",
            json_schema_extra=_ANY_SCHEMA,
        ),
    ] = "text"
    schema_text: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=MOST_SCHEMA_CHARACTERS,
            title="Schema",
            description="For avro the schema as JSON, for protobuf the text of a .proto file, which may import "
            "google/protobuf/*.proto alone.",
            json_schema_extra=_FORMAT,
        ),
    ] = None
    message: Annotated[
        str | None,
        Field(
            max_length=500,
            pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$",
            title="Protobuf message",
            description="The name of the message, where the text has several.",
            json_schema_extra=shown_with({"format": ["protobuf"]}),
        ),
    ] = None
    registry: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=2_048,
            title="Schema registry",
            description="Its address, such as https://registry.example:8081. The subject of values is the topic's name "
            "with `-value` behind it, that of keys with `-key`.",
            json_schema_extra=WITH_REGISTRY,
        ),
    ] = None
    registry_user: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=256,
            title="User of the registry",
            description="Who signs in there; empty: nobody.",
            json_schema_extra=WITH_REGISTRY,
        ),
    ] = None
    registry_password: Annotated[
        SecretText | None,
        Field(
            title="Password of the registry",
            description="That of its user, or the secret of an API key.",
            json_schema_extra=WITH_REGISTRY,
        ),
    ] = None
    registry_certificate_authority: Annotated[
        Pem | None,
        Field(
            title="Certificate authority of the registry",
            description="PEM text of whoever signed the registry's certificate; empty: the authorities of the system.",
            json_schema_extra=WITH_REGISTRY,
        ),
    ] = None

    @property
    def subject(self) -> str:
        """The subject of the registry for the values of the topic (strategy: by the topic's name)."""
        return f"{self.topic}-value"

    @model_validator(mode="after")
    def _schema_fits_together(self) -> Self:
        if self.format == "json" and (self.schema_text is not None or self.message is not None):
            raise ValueError("a schema is of no use to json; set format to avro or protobuf, or leave it out")
        if self.message is not None and self.format != "protobuf":
            raise ValueError("`message` names a message of Protobuf; set format to protobuf, or leave it out")
        return self

    @model_validator(mode="after")
    def _registry_fits_together(self) -> Self:
        if (self.schema_from == "registry") is not (self.registry is not None):
            raise ValueError("schema_from 'registry' and the address `registry` belong together; give both or none")
        others = (self.registry_user, self.registry_password, self.registry_certificate_authority)
        if self.registry is None and any(each is not None for each in others):
            raise ValueError("user, password and authority of a registry need its address; give `registry`")
        if (self.registry_user is None) is not (self.registry_password is None):
            raise ValueError("user and password of the registry belong together; give both or none")
        if self.registry is not None:
            self._require_registry(self.registry)
        return self

    def _require_registry(self, address: str) -> None:
        try:
            url = read_url(address)
        except AdapterError as error:
            raise ValueError(f"registry: {error}") from None
        if "?" in url.target:
            raise ValueError("registry: the address has a query; leave out the question mark and what is behind it")
        if url.scheme == "http" and self.registry_password is not None:
            raise ValueError("a password goes to a registry over https alone; let `registry` begin with https://")
        if url.scheme == "http" and self.registry_certificate_authority is not None:
            raise ValueError("an authority is of no use without encryption; let `registry` begin with https://")
