"""The `kafka` adapter: a lane is a partition, a position an offset; a span ends by position, not by count."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from streaming.adapters.contract import AdapterError, Position
from streaming.adapters.formats.text.decoding import decoded
from streaming.adapters.kafka.cluster import KafkaCluster, KafkaPartitions
from streaming.adapters.kafka.decoding import MessageDecoder, deleted_span
from streaming.adapters.kafka.formats.declared import declared_types
from streaming.adapters.kafka.formats.rows import SchemaValues
from streaming.adapters.kafka.options import KafkaOptions
from streaming.adapters.kafka.reading import OffsetsGone, lowest_of, messages_of
from streaming.adapters.kafka.starts import LaneStarts, StartJournal
from streaming.adapters.network.fetching import Reach
from streaming.adapters.seeking import BegunJournal, BegunLanes, LaneHeld, positions_within
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.ticks import parse_instant
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from streaming.wire.rows.arrived import Arrived

CHUNK_MESSAGES: Final = 250_000
CHUNK_BYTES: Final = 64 << 20
LOOK_AGAIN_TICKS: Final = 10_000_000
"""Interval for checking if partitions were added to the topic."""


class KafkaAdapter:
    """Reads a topic within `reach`. The start offset of each partition is journaled at the first batch."""

    def __init__(
        self,
        options: KafkaOptions,
        stream: StreamDefinition,
        root: Path,  # noqa: ARG002
        journal: Path | None,
        reach: Reach,
    ) -> None:
        self._options = options
        self._stream = stream
        self._reach = reach
        self._decoder = MessageDecoder(stream, options, reach)
        self._cluster = KafkaCluster(options, reach)
        self._starts = StartJournal(journal)
        self._begun = BegunJournal(journal)
        self._shows_newest = journal is None and options.start == "latest"
        self._seen: tuple[int, KafkaPartitions] | None = None

    def lanes(self) -> Sequence[str]:
        """The current partitions, by their numbers. Raises `AdapterError`."""
        return [str(partition) for partition in self._cluster.partitions().numbers]

    def check(self) -> None:
        """Load the schema that the values need, if any. Raises `AdapterError`, which names what failed."""
        if self.schemas is not None:
            self.schemas.check()

    def declared(self) -> Mapping[str, str | None]:
        """The fields in the newest schema of the values; empty for JSON. Raises `AdapterError`."""
        return {} if self.schemas is None else declared_types(self.schemas.newest())

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """Return the ends of completed transactions, within `limit_rows`; partitions that were added are new lanes.

        Raises `AdapterError`, also for messages that were deleted before they were read unless `lost` is skip.
        """
        there = self._partitions(now)
        ends = self._cluster.latest(there.numbers)
        lows = self._cluster.earliest(there.numbers)
        first = self._first(there, lows, ends, limit_rows)
        reached: dict[str, Position] = {}
        for partition in there.numbers:
            lane = str(partition)
            at = max(start.get(lane, 0), first[lane])
            if ends[partition] < at:
                raise self._went_back(lane, at, ends[partition])
            if at < lows[partition] and self._options.lost == "fail":
                raise self._deleted(lane, at, lows[partition])
            reached[lane] = at
        room = {lane: ends[int(lane)] - at for lane, at in reached.items()}
        share = _shared(room, limit_rows)
        return {lane: at + share[lane] for lane, at in reached.items()}

    def bounds(self, start: Mapping[str, Position]) -> Mapping[str, Position]:
        """The bounds set by `batch_messages`, shared equally among the partitions."""
        if self._options.batch_messages is None:
            return {}
        starts = self._starts.read()
        first = {} if starts is None else starts.first
        lanes = {**first, **start}
        each = max(self._options.batch_messages // max(len(lanes), 1), 1)
        return {lane: max(start.get(lane, 0), first.get(lane, 0)) + each for lane in lanes}

    def finished(self, positions: Mapping[str, Position]) -> bool:  # noqa: ARG002
        """Always False: a topic has no end."""
        return False

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """Yield the messages `[start, end)` of the partition `lane`. Raises `AdapterError`."""
        at = max(start, self.first(lane))
        yield from decoded(self.messages(lane, at, end), lambda part: self._decode(lane, part))

    def messages(self, lane: str, at: Position, end: Position) -> Iterator["list[Any] | range"]:
        """Yield the messages `[at, end)` in parts; a range represents deleted offsets. Raises `AdapterError`."""
        while at < end:
            try:
                yield from _chunks(messages_of(self._options, self._reach, int(lane), at, end))
                return
            except OffsetsGone as gone:
                low = min(lowest_of(self._options, self._reach, int(lane)), end)
                if self._options.lost == "fail" or low <= gone.at:
                    raise self._deleted(lane, gone.at, low) from None
                yield range(gone.at, low)
                at = low

    def _decode(self, lane: str, part: "list[Any] | range") -> Arrived:
        if isinstance(part, range):
            return deleted_span(lane, part.start, part.stop, self._stream)
        return self._decoder.decode(part)

    def first(self, lane: str) -> Position:
        """The offset at which the partition `lane` begins for this input, 0 before the first batch."""
        starts = self._starts.read()
        return 0 if starts is None else starts.first.get(lane, 0)

    @property
    def schemas(self) -> SchemaValues | None:
        """The schemas of values; None for JSON."""
        return self._decoder.schemas

    def holds(self, lane: str, start: Position, end: Position) -> bool:
        """Return True if the partition still has every offset of the span. Raises `AdapterError`."""
        at = max(start, self.first(lane))
        return at >= end or self._cluster.earliest([int(lane)])[int(lane)] <= at

    @property
    def time_means(self) -> str:
        """The meaning of arrival times: a message's timestamp."""
        return (
            "has a timestamp of then or later, in each partition; all messages after it are read, "
            "whatever their timestamps"
        )

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:  # noqa: ARG002
        """Start at offsets, at the ends of all partitions, or at a time. The start is journaled permanently."""

        def find() -> BegunLanes:
            there = self._cluster.partitions()
            lows = self._cluster.earliest(there.numbers)
            if isinstance(place, BeginAtPositions):
                ends = self._cluster.latest(there.numbers)
                spans = {str(each): (lows[each], ends[each]) for each in there.numbers}
                first = positions_within(place, input_id, spans).positions
            elif isinstance(place, BeginAtTime):
                first = _named(self._cluster.at_time(there.numbers, _milliseconds(place.at)))
            else:
                first = _named(self._cluster.latest(there.numbers))
            self._starts.write(LaneStarts(there.topic, first))
            return BegunLanes(first, any(first[str(each)] > low for each, low in lows.items()))

        return self._begun.at(place, find)

    def held(self, *, now: int, since: int | None) -> Sequence[LaneHeld]:  # noqa: ARG002
        """The offsets of each partition, and the offset at the time `since`; some offsets may have no message."""
        there = self._cluster.partitions().numbers
        lows, ends = self._cluster.earliest(there), self._cluster.latest(there)
        at = {} if since is None else self._cluster.at_time(there, _milliseconds(since))
        return [
            LaneHeld(
                str(each),
                earliest=lows[each],
                end=ends[each],
                at_time=at.get(each),
                rows=ends[each] - lows[each],
                rows_since=None if each not in at else ends[each] - at[each],
                at_most=True,
            )
            for each in there
        ]

    def _partitions(self, now: int) -> KafkaPartitions:
        if self._seen is None or now - self._seen[0] >= LOOK_AGAIN_TICKS:
            self._seen = (now, self._cluster.partitions())
        return self._seen[1]

    def _first(
        self, there: KafkaPartitions, lows: Mapping[int, int], ends: Mapping[int, int], limit_rows: int
    ) -> Mapping[str, Position]:
        """The first offset of each lane, journaled: from the options at the first call, the earliest for added
        partitions.
        """
        known = self._starts.read()
        if known is not None and known.topic != there.topic:
            raise AdapterError(
                f"The topic '{self._options.topic}' was deleted and created again, so saved offsets no longer match "
                "its messages. Start the binding from the beginning."
            )
        first = dict(self._chosen(there, lows, ends, limit_rows)) if known is None else dict(known.first)
        first.update({str(each): lows[each] for each in there.numbers if str(each) not in first})
        if known is None or first != known.first:
            self._starts.write(LaneStarts(there.topic, first))
        return first

    def _chosen(
        self, there: KafkaPartitions, lows: Mapping[int, int], ends: Mapping[int, int], limit_rows: int
    ) -> Mapping[str, Position]:
        options = self._options
        if options.start == "latest":
            back = limit_rows if self._shows_newest else 0
            return {str(each): max(lows[each], end - back) for each, end in ends.items()}
        if options.start == "time":
            return _named(self._cluster.at_time(there.numbers, _milliseconds(parse_instant(options.start_time or ""))))
        for lane, at in options.start_offsets.items():
            self._require_offset(lane, at, lows, ends)
        return {str(each): options.start_offsets.get(str(each), low) for each, low in lows.items()}

    def _require_offset(self, lane: str, at: int, lows: Mapping[int, int], ends: Mapping[int, int]) -> None:
        known = ", ".join(map(str, sorted(ends)))
        if int(lane) not in ends:
            raise AdapterError(
                f"The topic '{self._options.topic}' has no partition {lane}. Its partitions are "
                f"{known}. Correct `start_offsets`."
            )
        if not lows[int(lane)] <= at <= ends[int(lane)]:
            raise AdapterError(
                f"Partition {lane} of '{self._options.topic}' has the offsets {lows[int(lane)]} to {ends[int(lane)]}, "
                f"not {at}. Correct `start_offsets`."
            )

    def _deleted(self, lane: str, at: Position, low: int) -> AdapterError:
        return AdapterError(
            f"The messages {at} to {low - 1} of partition {lane} of '{self._options.topic}' were deleted before they "
            "were read. Start the binding from the beginning, or set the option `lost` to skip. Set a longer retention "
            "for the topic."
        )

    def _went_back(self, lane: str, at: Position, end: int) -> AdapterError:
        return AdapterError(
            f"Partition {lane} of '{self._options.topic}' ends at offset {end}, but it was already read up to {at}: "
            "the topic was recreated, or messages were lost. Start the binding from the beginning."
        )


def _milliseconds(tick: int) -> int:
    """The first millisecond that is not before `tick`."""
    return -(-tick // 1_000)


def _named(offsets: Mapping[int, Position]) -> Mapping[str, Position]:
    return {str(partition): at for partition, at in offsets.items()}


def _shared(room: Mapping[str, int], rows: int) -> Mapping[str, int]:
    """Divide `rows` evenly among lanes with this much `room`; the others receive what a lane can't use."""
    found: dict[str, int] = {}
    left = max(rows, 0)
    for number, lane in enumerate(sorted(room, key=lambda name: room[name])):
        found[lane] = min(room[lane], -(-left // (len(room) - number)))
        left -= found[lane]
    return found


def _chunks(parts: Iterator[list[Any]]) -> Iterator[list[Any]]:
    """Combine messages into larger parts, bounded in number and in bytes; a part also ends before deleted offsets."""
    held: list[Any] = []
    size = 0
    try:
        for part in parts:
            held += part
            size += sum(map(len, part))
            if len(held) >= CHUNK_MESSAGES or size >= CHUNK_BYTES:
                yield held
                held, size = [], 0
    except OffsetsGone:
        if held:
            yield held
        raise
    if held:
        yield held
