"""A topic of Debezium's changes: a lane is a partition, a position counts its stored lines."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from streaming.adapters.contract import AdapterError, Position, RecordSample
from streaming.adapters.kafka.adapter import KafkaAdapter
from streaming.adapters.kafka.debezium.lane import ChangeLane, stored_lanes
from streaming.adapters.kafka.debezium.reading import MessageReader
from streaming.adapters.kafka.debezium.sampling import sample_of_topic
from streaming.adapters.kafka.options import KafkaOptions
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql.decoding import RowDecoder
from streaming.adapters.row_lifetimes.decoding import decoder_of
from streaming.adapters.seeking import BegunLanes, LaneHeld, SoughtWay, require_way
from streaming.definition.counts import counted
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn
from streaming.temporal.ticks import TICKS_PER_S
from streaming.wire.beginning import SoughtBegin
from streaming.wire.rows.arrived import Arrived

_MESSAGES: Final = StreamDefinition(
    fields={}, event_time=EventTime(start=TimeColumn(column="_meta.timestamp", unit="ms"))
)
"""The messages themselves, as the adapter of the topic reads them."""
_ONLY_OFFSETS: Final = (
    "Positions of changes count stored lines, not messages. Start at the beginning, now, or at a time; or choose the "
    "first offsets by the options `start` and `start_offsets`."
)


class DebeziumAdapter:
    """Reads a topic within `reach` as lifetimes of a table's rows.

    Lines are stored in the journal before their positions are returned. Without a journal (previews) they are only in
    memory.
    """

    def __init__(
        self, options: KafkaOptions, stream: StreamDefinition, root: Path, journal: Path | None, reach: Reach
    ) -> None:
        self._options = options
        self._stream = stream
        self._journal = journal
        plain = options.model_copy(update={"columns": {}})
        self._topic = KafkaAdapter(plain, _MESSAGES, root, journal, reach)
        self.reader = MessageReader(stream, options, reach, self._topic.schemas)
        self._lanes: dict[str, ChangeLane] = {}
        if stream.fields:
            self.decoder  # noqa: B018 # refuses an unsuitable stream before the first message

    @property
    def schema_name(self) -> str:
        """The word for the place of the table in messages."""
        return "topic"

    @property
    def table(self) -> str:
        """The topic."""
        return self._options.topic

    @property
    def columns(self) -> dict[str, str]:
        """The columns in the options."""
        return self._options.columns

    @cached_property
    def decoder(self) -> RowDecoder:
        """The decoder for lifetimes of the stream. Raises `AdapterError` for a stream that does not fit."""
        return decoder_of(self._stream, self)

    def lanes(self) -> Sequence[str]:
        """The current partitions, by their numbers. Raises `AdapterError`."""
        return self._topic.lanes()

    def check(self) -> None:
        """Load the schema that the values need, if any. Raises `AdapterError`."""
        self._topic.check()

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """Return positions at most about `limit_rows` lines further; reads messages if fewer lines are stored."""
        lanes = {name: self._lane(name) for name in self._lanes_now(start)}
        alone = len(lanes) == 1
        share = max(limit_rows // max(len(lanes), 1), 1)
        if any(self._stored(name, lane, start) < start.get(name, 0) + share for name, lane in lanes.items()):
            offsets = {name: lane.offset(alone=alone) for name, lane in lanes.items()}
            ends = self._topic.latest(offsets, now=now, limit_rows=max(limit_rows, 1))
            alone = len(ends) == 1
            for name, end in ends.items():
                lane = lanes.setdefault(name, self._lane(name))
                parts = self._topic.messages(name, max(offsets.get(name, 0), self._topic.first(name)), end)
                lane.take(parts, end, now, alone=alone)
        return {name: min(start.get(name, 0) + share, lane.end) for name, lane in lanes.items()}

    def bounds(self, start: Mapping[str, Position]) -> Mapping[str, Position]:
        """The bounds set by `RowPages.bound`."""
        ends = {name: lane.pages.bound(start.get(name, 0)) for name, lane in self._lanes.items()}
        return {name: end for name, end in ends.items() if end is not None}

    def finished(self, positions: Mapping[str, Position]) -> bool:  # noqa: ARG002
        """Always False: a topic has no end."""
        return False

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """Yield the stored lines `[start, end)` of the partition `lane`. Raises `AdapterError`."""
        if end <= start:
            return
        stored = self._lane(lane)
        if stored.end < end:
            raise AdapterError(f"The changes {start} to {end} that were read are no longer stored. {_REMEDY}")
        yield from self.decoder.chunks(stored.pages, start, end)

    @property
    def time_means(self) -> str:
        """The meaning of arrival times, as for the topic."""
        return self._topic.time_means

    def cannot_begin(self) -> Mapping[SoughtWay, str]:
        """Positions: they count stored lines."""
        return {"positions": _ONLY_OFFSETS}

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:
        """Start with the messages from now on, or from a time on. The offsets are journaled permanently."""
        require_way(self, place)
        begun = self._topic.begin_at(place, input_id, now=now)
        return BegunLanes(dict.fromkeys(begun.positions, 0), begun.skips)

    def held(self, *, now: int, since: int | None) -> Sequence[LaneHeld]:
        """The messages in each partition; some have no line."""
        return self._topic.held(now=now, since=since)

    def sample_records(self, most_records: int, most_bytes: int, *, now: int) -> RecordSample:
        """Return the rows in the first messages of the topic. Raises `AdapterError`."""
        ends = self._topic.latest({}, now=now, limit_rows=most_records)
        messages = [
            message
            for lane, end in ends.items()
            for part in self._topic.messages(lane, self._topic.first(lane), end)
            if not isinstance(part, range)
            for message in part
        ]
        return sample_of_topic(messages, self.reader, self._options.topic, most_bytes, now)

    def _lanes_now(self, start: Mapping[str, Position]) -> Sequence[str]:
        stored = [] if self._lanes else stored_lanes(self._journal)  # a batch that failed may have stored another lane
        known = list(dict.fromkeys([*self._lanes, *start, *stored]))
        return known or self.lanes()

    def _stored(self, name: str, lane: ChangeLane, start: Mapping[str, Position]) -> Position:
        """The number of stored lines. Raises `AdapterError` if fewer are stored than this run has read."""
        if start.get(name, 0) > lane.end:
            read = f"This run has read {counted(start[name], 'change')} of partition {name} of '{self.table}'"
            raise AdapterError(f"{read}, but its journal holds only {lane.end} because it was removed. {_REMEDY}")
        return lane.end

    def _lane(self, name: str) -> ChangeLane:
        if name not in self._lanes:
            settle = 0 if self._journal is None else self._options.settle_s * TICKS_PER_S
            self._lanes[name] = ChangeLane(name, self._journal, self.reader, settle)
        return self._lanes[name]


_REMEDY: Final = "Start the binding from the beginning."
