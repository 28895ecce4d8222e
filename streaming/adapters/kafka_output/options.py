"""What a user sets for results that go to a topic."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from streaming.adapters.kafka.schema_options import KafkaSchemaOptions

FieldName = Annotated[str, Field(min_length=1, max_length=1_000)]


class KafkaOutputOptions(KafkaSchemaOptions):
    """Results as messages of a topic, each batch in one transaction: `read_committed` sees each row once."""

    registered: Annotated[
        Literal["register", "latest"],
        Field(
            title="Registered schema",
            description="register: the schema text, or without one a schema made of the fields of the results, is "
            "registered under the subject. latest: the newest schema of the subject is written.",
        ),
    ] = "register"
    key: Annotated[
        list[FieldName],
        Field(
            max_length=20,
            title="Key",
            description="Fields of the result, and `start` or `end`, that make the key of a message, as a JSON object. "
            "A row that is taken back is then a message without a value; without a key, one that says `deleted`.",
        ),
    ] = Field(default_factory=list)
    numbers_topic: Annotated[
        str,
        Field(
            pattern=r"^[A-Za-z0-9._-]{1,249}$",
            title="Topic of numbers",
            description="Where the number of the last batch stands, in the same transaction as its rows; many outputs "
            "may share it. A compacted topic with one partition; made when it is not there and the user may make it.",
        ),
    ] = "punctual-deliveries"
    ctis: Annotated[
        Literal["none", "headers", "rows"],
        Field(
            title="CTIs",
            description="After each batch, to every partition: as a message without a value and with the header `cti`, "
            "or as a row such as {'cti': '2026-11-23T08:00:00Z'}.",
        ),
    ] = "none"

    @model_validator(mode="after")
    def _written_by_a_schema(self) -> Self:
        if self.schema_from == "text" and (self.format != "json") is not (self.schema_text is not None):
            raise ValueError(
                f"{self.format} by a text needs `schema_text`; give it, or let the schema come from a registry"
            )
        if self.schema_from == "registry" and self.format == "json":
            raise ValueError("a registry is of no use to json; set format to avro or protobuf, or leave it out")
        if self.registered == "latest" and (self.schema_from == "text" or self.schema_text is not None):
            raise ValueError("`registered` latest takes the schema of the registry; leave out `schema_text`")
        if self.ctis == "rows" and self.format != "json":
            raise ValueError("CTIs as rows fit json alone; let them stand in headers")
        return self
