"""Options of the `kafka` adapter."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from streaming.adapters.kafka.schema_options import KafkaSchemaOptions
from streaming.adapters.kinds import shown_with
from streaming.definition.streams.event_time import event_path
from streaming.temporal.ticks import TimeTextError, parse_instant

Offset = Annotated[int, Field(ge=0, lt=2**62)]
Partition = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,8})$")]
FieldName = Annotated[str, Field(min_length=1, max_length=1_000)]


class KafkaOptions(KafkaSchemaOptions):
    """Messages of a Kafka topic: a lane for each partition, in the order of their offsets."""

    envelope: Annotated[
        Literal["none", "debezium"],
        Field(
            title="Envelope",
            description="none: a message is a row. debezium: it is a change of a table's row, as Debezium's connectors "
            "for PostgreSQL, MySQL and MariaDB write it. An insert opens an edge, an update ends the row's edge and "
            "opens one, a delete ends it. Set the stream's shape to edge, or to table.",
        ),
    ] = "none"
    settle_s: Annotated[
        int,
        Field(
            ge=0,
            le=3_600,
            title="Transaction is complete after (s)",
            description="All changes of a transaction take effect together: when a change of another transaction "
            "follows, or when no message has come for this time.",
            json_schema_extra=shown_with({"envelope": ["debezium"]}),
        ),
    ] = 2
    unavailable: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            title="Placeholder of unchanged large values",
            description="The connector's unavailable.value.placeholder. Such a value is taken from the row's previous "
            "change.",
            json_schema_extra=shown_with({"envelope": ["debezium"]}),
        ),
    ] = "__debezium_unavailable_value"
    start: Annotated[
        Literal["earliest", "latest", "time", "offsets"],
        Field(
            title="Start with",
            description="Where a run without previous state starts: at the earliest message, after the latest, at a "
            "time, or at offsets. A partition that is added later is read from its first message.",
        ),
    ] = "earliest"
    start_time: Annotated[
        str | None,
        Field(
            title="Start time",
            description="For time: ISO 8601, for example 2026-11-23T08:00:00Z, compared with the messages' timestamps.",
            json_schema_extra=shown_with({"start": ["time"]}),
        ),
    ] = None
    start_offsets: Annotated[
        dict[Partition, Offset],
        Field(
            title="Start offsets",
            description='For offsets: maps a partition to its first offset, for example {"0": 1500}. Other partitions '
            "start at their earliest message.",
            json_schema_extra=shown_with({"start": ["offsets"]}),
        ),
    ] = Field(default_factory=dict)
    lost: Annotated[
        Literal["fail", "skip"],
        Field(
            title="When messages were deleted before they were read",
            description="fail: the run stops with an error that names them. skip: it continues, and a row in "
            "quarantine names the missing offsets.",
        ),
    ] = "fail"
    key: Annotated[
        Literal["text", "json", "registry"],
        Field(
            title="Key",
            description="The meaning of `_key`: the key as text, parsed as JSON, or decoded with the registry schema "
            "whose id it begins with.",
        ),
    ] = "text"
    columns: Annotated[
        dict[str, FieldName],
        Field(
            title="Columns",
            description="Maps a field of the stream to its place: a field of the value, or a path, for example "
            "details.speed, _key, _key.id, _meta.partition, _meta.offset, _meta.timestamp (ms), _meta.headers.trace: "
            '{"speed": "details.speed"}. Fields with the same name need no entry.',
        ),
    ] = Field(default_factory=dict)
    cti_header: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=256,
            title="CTI header",
            description="A message with this header is a CTI. The header's text is the time, or `infinity` at the end "
            "of all data.",
        ),
    ] = None
    cti_field: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=256,
            title="CTI field",
            description="A message with a value in which this field is not null is a CTI. The field is its time.",
        ),
    ] = None
    cti_strict: Annotated[
        bool,
        Field(title="Strict CTIs", description="On: no later event starts even at the CTI's own time."),
    ] = False
    batch_messages: Annotated[
        int | None,
        Field(
            ge=1,
            title="Messages per batch",
            description="A batch reads at most about this many messages. Empty: only the runner's limit applies.",
        ),
    ] = None

    @model_validator(mode="after")
    def _schema_source_fits_together(self) -> Self:
        if self.schema_from == "text" and (self.format != "json") is not (self.schema_text is not None):
            raise ValueError(f"{self.format} with a schema from text requires `schema_text`; set it, or use a registry")
        if self.schema_from == "registry" and self.format == "protobuf" and self.schema_text is not None:
            raise ValueError("with a registry, protobuf messages need no `schema_text`; remove it")
        if self.schema_from == "registry" and self.message is not None:
            raise ValueError("with a registry, each message names its own type; remove `message`")
        if self.schema_from == "registry" and self.format == "json" and self.key != "registry":
            raise ValueError("neither values nor keys use the registry; set format or key, or remove the registry")
        if self.key == "registry" and self.schema_from != "registry":
            raise ValueError("key 'registry' requires schema_from 'registry' and `registry`; set both")
        return self

    @model_validator(mode="after")
    def _envelope_fits_together(self) -> Self:
        if self.envelope == "none":
            return self
        if self.format == "protobuf":
            raise ValueError("debezium envelopes are read in json or avro; set `format` to one of them")
        if self.cti_header is not None or self.cti_field is not None or self.cti_strict:
            raise ValueError("changes have CTIs of their own; remove `cti_header`, `cti_field` and `cti_strict`")
        if self.batch_messages is not None:
            raise ValueError("positions of changes count stored lines, not messages; remove `batch_messages`")
        if self.key == "json":
            raise ValueError("a key of changes is read in its own format, and is no column; remove `key`")
        for name, place in self.columns.items():
            if not event_path(place).in_payload:
                raise ValueError(f"columns: '{name}' is at {place}, but fields of a change are columns of its row")
        return self

    @model_validator(mode="after")
    def _start_fits_together(self) -> Self:
        if (self.start == "time") is not (self.start_time is not None):
            raise ValueError("start 'time' and `start_time` belong together; set both or neither")
        if (self.start == "offsets") is not bool(self.start_offsets):
            raise ValueError("start 'offsets' and `start_offsets` belong together; set both or neither")
        if self.start_time is not None:
            try:
                parse_instant(self.start_time)
            except TimeTextError as error:
                raise ValueError(f"start_time: {error}") from None
        return self
