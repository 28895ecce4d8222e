"""Options of results that are written to a topic."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from streaming.adapters.kafka.schema_options import MOST_SCHEMA_CHARACTERS, WITH_REGISTRY, KafkaSchemaOptions
from streaming.adapters.kinds import shown_with

SCHEMA_FORMATS: Final = ("avro", "protobuf")
FieldName = Annotated[str, Field(min_length=1, max_length=1_000)]


class KafkaOutputOptions(KafkaSchemaOptions):
    """Results as messages of a topic, each batch in one transaction: `read_committed` sees each row once."""

    registered: Annotated[
        Literal["register", "latest"],
        Field(
            title="Registered schema",
            description="register: the schema text, or without one a schema derived from the fields of the results, is "
            "registered under the subject. latest: the newest schema of the subject is used.",
            json_schema_extra=WITH_REGISTRY,
        ),
    ] = "register"
    key: Annotated[
        list[FieldName],
        Field(
            max_length=20,
            title="Key",
            description='Fields of the result, and `start` or `end`, that form the key of a message: ["car", "start"]. '
            "A retracted row is then a message without a value; without a key, a row with `deleted`.",
        ),
    ] = Field(default_factory=list)
    key_format: Annotated[
        Literal["json", "text", "avro", "protobuf"],
        Field(
            title="Key format",
            description="json: an object with the fields of the key. text: the only field of the key as text; if it "
            "is null, the message has no key. avro, protobuf: with a schema from the same source as that of values.",
        ),
    ] = "json"
    key_schema_text: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=MOST_SCHEMA_CHARACTERS,
            title="Schema of keys",
            description="For keys in avro or protobuf. With a registry it may be empty: a schema is then derived from "
            "the fields of the key and registered as the topic's name followed by `-key`.",
            json_schema_extra=shown_with({"key_format": SCHEMA_FORMATS}),
        ),
    ] = None
    numbers_topic: Annotated[
        str,
        Field(
            pattern=r"^[A-Za-z0-9._-]{1,249}$",
            title="Topic of batch numbers",
            description="Holds the number of the last batch, written in the same transaction as its rows. Many outputs "
            "may share it. A compacted topic with one partition; created if it does not exist and the user may do so.",
        ),
    ] = "punctual-deliveries"
    ctis: Annotated[
        Literal["none", "headers", "rows"],
        Field(
            title="CTIs",
            description="Sent after each batch to every partition: as a message without a value and with the header "
            '`cti`, or as a row, for example {"cti": "2026-11-23T08:00:00Z"}.',
        ),
    ] = "none"

    @property
    def key_subject(self) -> str:
        """The registry subject for the keys of the topic."""
        return f"{self.topic}-key"

    @model_validator(mode="after")
    def _written_by_a_schema(self) -> Self:
        if self.schema_from == "text" and (self.format != "json") is not (self.schema_text is not None):
            raise ValueError(f"{self.format} with a schema from text requires `schema_text`; set it, or use a registry")
        if self.schema_from == "registry" and self.format == "json" and self.key_format not in SCHEMA_FORMATS:
            raise ValueError("json doesn't use a registry; set format or key_format to avro or protobuf")
        if self.registered == "latest" and (self.schema_from == "text" or self.schema_text is not None):
            raise ValueError("`registered` latest uses the schema in the registry; remove `schema_text`")
        if self.ctis == "rows" and self.format != "json":
            raise ValueError("CTIs as rows require json; use headers")
        return self

    @model_validator(mode="after")
    def _key_is_written(self) -> Self:
        if self.key_format != "json" and not self.key:
            raise ValueError(f"key_format '{self.key_format}' needs fields to write; list them in `key`")
        if self.key_format == "text" and len(self.key) > 1:
            raise ValueError("key_format 'text' is the text of one field; set `key` to a single field")
        if self.key_format not in SCHEMA_FORMATS:
            if self.key_schema_text is not None:
                raise ValueError(f"keys in {self.key_format} don't use a schema; remove `key_schema_text`")
            return self
        if self.schema_from == "text" and self.key_schema_text is None:
            raise ValueError(f"keys in {self.key_format} require `key_schema_text`; set it, or use a registry")
        if self.registered == "latest" and self.key_schema_text is not None:
            raise ValueError("`registered` latest uses the schema in the registry; remove `key_schema_text`")
        return self
