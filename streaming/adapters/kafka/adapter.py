"""The `kafka` adapter: a lane is a partition, a position an offset; a span ends by position, not by count."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from streaming.adapters.contract import AdapterError, Position
from streaming.adapters.file.decoding import decoded
from streaming.adapters.kafka.cluster import KafkaCluster, KafkaPartitions
from streaming.adapters.kafka.decoding import MessageDecoder, deleted_span
from streaming.adapters.kafka.formats.declared import declared_types
from streaming.adapters.kafka.options import KafkaOptions
from streaming.adapters.kafka.reading import OffsetsGone, lowest_of, messages_of
from streaming.adapters.kafka.starts import LaneStarts, StartJournal
from streaming.adapters.network.fetching import Reach
from streaming.adapters.seeking import BegunJournal, BegunLanes, LaneHeld, positions_within
from streaming.definition.streams import StreamDefinition
from streaming.temporal.ticks import parse_instant
from streaming.wire.arrived import Arrived
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin

CHUNK_MESSAGES: Final = 250_000
CHUNK_BYTES: Final = 64 << 20
LOOK_AGAIN_TICKS: Final = 10_000_000
"""So often the topic is asked for partitions that were added."""


class KafkaAdapter:
    """Reads a topic within `reach`. Where each partition begins is journaled at the first batch."""

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
        """The partitions that there are now, by their numbers. Raises `AdapterError`."""
        return [str(partition) for partition in self._cluster.partitions().numbers]

    def check(self) -> None:
        """Try the schema that the values need, if they need one. Raises `AdapterError`, which names what failed."""
        if self._decoder.schemas is not None:
            self._decoder.schemas.check()

    def declared(self) -> Mapping[str, str | None]:
        """The fields that the schema of the values has now; none for JSON. Raises `AdapterError`."""
        schemas = self._decoder.schemas
        return {} if schemas is None else declared_types(schemas.newest())

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """As far as messages are there, whose transactions have ended; partitions that were added are new lanes.

        Raises `AdapterError`, also for messages that were deleted before they were read where that is to fail.
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
        """By `batch_messages`, the same for each partition."""
        if self._options.batch_messages is None:
            return {}
        starts = self._starts.read()
        first = {} if starts is None else starts.first
        lanes = {**first, **start}
        each = max(self._options.batch_messages // max(len(lanes), 1), 1)
        return {lane: max(start.get(lane, 0), first.get(lane, 0)) + each for lane in lanes}

    def finished(self, positions: Mapping[str, Position]) -> bool:  # noqa: ARG002
        """Never: a topic has no end."""
        return False

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """The messages `[start, end)` of the partition `lane`. Raises `AdapterError`."""
        starts = self._starts.read()
        at = max(start, 0 if starts is None else starts.first.get(lane, 0))
        yield from decoded(self._parts(lane, at, end), lambda part: self._decode(lane, part))

    def _parts(self, lane: str, at: Position, end: Position) -> Iterator["list[Any] | range"]:
        """The messages `[at, end)` in parts; a range stands for offsets that are gone."""
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

    def holds(self, lane: str, start: Position, end: Position) -> bool:
        """Whether the partition still has every offset of the span that it ever had. Raises `AdapterError`."""
        starts = self._starts.read()
        at = max(start, 0 if starts is None else starts.first.get(lane, 0))
        return at >= end or self._cluster.earliest([int(lane)])[int(lane)] <= at

    @property
    def time_means(self) -> str:
        """Its timestamp."""
        return "has a timestamp of then or later, in each partition; what lies behind it is read whatever its timestamp"

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:  # noqa: ARG002
        """At offsets; at the ends of all partitions; or where the cluster finds the time. Journaled for good."""

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
        """The offsets of each partition, and where the time lies in them; some of them may be no message's."""
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
        """The first offset of each lane, journaled; at the first call as the options say, later what was added."""
        known = self._starts.read()
        if known is not None and known.topic != there.topic:
            raise AdapterError(
                f"The topic '{self._options.topic}' was deleted and made again, so offsets in it mean other messages. "
                "Start the binding again from the beginning."
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
                f"The topic '{self._options.topic}' has no partition {lane}; it has {known}. Correct `start_offsets`."
            )
        if not lows[int(lane)] <= at <= ends[int(lane)]:
            raise AdapterError(
                f"Partition {lane} of '{self._options.topic}' has the offsets {lows[int(lane)]} to {ends[int(lane)]}, "
                f"not {at}. Correct `start_offsets`."
            )

    def _deleted(self, lane: str, at: Position, low: int) -> AdapterError:
        return AdapterError(
            f"The messages {at} to {low - 1} of partition {lane} of '{self._options.topic}' were deleted before they "
            "were read. Start the binding again from the beginning, or set the option `lost` to skip, "
            "and have messages kept for longer."
        )

    def _went_back(self, lane: str, at: Position, end: int) -> AdapterError:
        return AdapterError(
            f"Partition {lane} of '{self._options.topic}' ends at offset {end}, but it was read to {at}: it was made "
            "anew, or messages were lost. Start the binding again from the beginning."
        )


def _milliseconds(tick: int) -> int:
    """The first one that is not before `tick`."""
    return -(-tick // 1_000)


def _named(offsets: Mapping[int, Position]) -> Mapping[str, Position]:
    return {str(partition): at for partition, at in offsets.items()}


def _shared(room: Mapping[str, int], rows: int) -> Mapping[str, int]:
    """`rows` shared out among lanes with so much `room`: evenly, and what one leaves the others get."""
    found: dict[str, int] = {}
    left = max(rows, 0)
    for number, lane in enumerate(sorted(room, key=lambda name: room[name])):
        found[lane] = min(room[lane], -(-left // (len(room) - number)))
        left -= found[lane]
    return found


def _chunks(parts: Iterator[list[Any]]) -> Iterator[list[Any]]:
    """The messages in larger parts, bounded in number and in bytes; all that came before offsets that are gone."""
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
