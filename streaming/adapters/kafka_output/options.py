"""What a user sets for results that go to a topic."""

from typing import Annotated, Literal

from pydantic import Field

from streaming.adapters.kafka.connection_options import KafkaConnectionOptions

FieldName = Annotated[str, Field(min_length=1, max_length=1_000)]


class KafkaOutputOptions(KafkaConnectionOptions):
    """Results as JSON messages of a topic, each batch in one transaction: `read_committed` sees each row once."""

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
