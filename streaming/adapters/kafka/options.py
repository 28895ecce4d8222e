"""What a user sets for the `kafka` adapter."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from streaming.adapters.kafka.schema_options import KafkaSchemaOptions
from streaming.adapters.kinds import shown_with
from streaming.temporal.ticks import TimeTextError, parse_instant

Offset = Annotated[int, Field(ge=0, lt=2**62)]
Partition = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,8})$")]
FieldName = Annotated[str, Field(min_length=1, max_length=1_000)]


class KafkaOptions(KafkaSchemaOptions):
    """Messages of a topic of Kafka: a lane for each partition, in the order of their offsets."""

    start: Annotated[
        Literal["earliest", "latest", "time", "offsets"],
        Field(
            title="Begin",
            description="Where a run begins that begins anew: at the earliest message, behind the latest, at a time, "
            "at offsets. A partition that is added later is read from its beginning.",
        ),
    ] = "earliest"
    start_time: Annotated[
        str | None,
        Field(
            title="Begin at",
            description="For time: ISO 8601, such as 2026-11-23T08:00:00Z, by the messages' timestamp.",
            json_schema_extra=shown_with({"start": ["time"]}),
        ),
    ] = None
    start_offsets: Annotated[
        dict[Partition, Offset],
        Field(
            title="Begin at offsets",
            description='For offsets: from a partition to its first offset, such as {"0": 1500}; the others begin '
            "at their earliest.",
            json_schema_extra=shown_with({"start": ["offsets"]}),
        ),
    ] = Field(default_factory=dict)
    lost: Annotated[
        Literal["fail", "skip"],
        Field(
            title="When messages were deleted before they were read",
            description="fail: the run stops and says which. skip: it goes on, and a row in quarantine says which "
            "offsets are lacking.",
        ),
    ] = "fail"
    key: Annotated[
        Literal["text", "json", "registry"],
        Field(
            title="Key",
            description="What `_key` means: the key as text, as the JSON that it is, or by the schema of the registry "
            "whose id it begins with.",
        ),
    ] = "text"
    columns: Annotated[
        dict[str, FieldName],
        Field(
            title="Columns",
            description="From a field of the stream to where it stands: a field of the value, or a path such as "
            "details.speed, _key, _key.id, _meta.partition, _meta.offset, _meta.timestamp (ms), _meta.headers.trace: "
            '{"speed": "details.speed"}. Equal names need no entry.',
        ),
    ] = Field(default_factory=dict)
    cti_header: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=256,
            title="Header of CTIs",
            description="A message with this header is a CTI: its text is the time, or `infinity` at the end of all.",
        ),
    ] = None
    cti_field: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=256,
            title="Field of CTIs",
            description="A message in whose value this field is not null is a CTI, and the field is its time.",
        ),
    ] = None
    cti_strict: Annotated[
        bool,
        Field(title="Strict CTIs", description="On: not even at that very time does anything follow."),
    ] = False
    batch_messages: Annotated[
        int | None,
        Field(
            ge=1,
            title="Messages in a batch",
            description="A batch reads about so many messages at most; empty: no limit but that of the runner.",
        ),
    ] = None

    @model_validator(mode="after")
    def _schema_is_said(self) -> Self:
        if self.schema_from == "text" and (self.format != "json") is not (self.schema_text is not None):
            raise ValueError(
                f"{self.format} by a text needs `schema_text`; give it, or let the schema come from a registry"
            )
        if self.schema_from == "registry" and self.format == "protobuf" and self.schema_text is not None:
            raise ValueError("with a registry, messages of protobuf need no `schema_text`; leave it out")
        if self.schema_from == "registry" and self.message is not None:
            raise ValueError("with a registry, each message says which one it is; leave out `message`")
        if self.schema_from == "registry" and self.format == "json" and self.key != "registry":
            raise ValueError("values and keys come without a registry; set format or key, or leave out the registry")
        if self.key == "registry" and self.schema_from != "registry":
            raise ValueError("key 'registry' needs schema_from 'registry' and its address; give both")
        return self

    @model_validator(mode="after")
    def _start_is_said(self) -> Self:
        if (self.start == "time") is not (self.start_time is not None):
            raise ValueError("start 'time' and `start_time` belong together; give both or none")
        if (self.start == "offsets") is not bool(self.start_offsets):
            raise ValueError("start 'offsets' and `start_offsets` belong together; give both or none")
        if self.start_time is not None:
            try:
                parse_instant(self.start_time)
            except TimeTextError as error:
                raise ValueError(f"start_time: {error}") from None
        return self
