"""The `generator` adapter: row `i` of a lane is a function of the options and `i` alone."""

import difflib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from streaming.adapters.chunks import payload_of
from streaming.adapters.contract import AdapterError, Position
from streaming.adapters.generator.draws import DrawPurpose, Floats, exponential, uniform, zipf_bounds
from streaming.adapters.generator.options import GeneratorOptions
from streaming.adapters.seeking import BegunLanes, LaneHeld, positions_within
from streaming.definition.streams import Rowtime, StreamDefinition
from streaming.temporal.events import Shape
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, Tick, format_instant, parse_duration
from streaming.wire.arrived import Arrived, Int64s, RowKind
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from streaming.wire.case import ONLY_LANE
from streaming.wire.results import write_atomically

FIELDS: Final[Mapping[str, str]] = {
    "plate": "string",
    "device": "string",
    "speed": "double",
    "road_lane": "long",
    "braking": "boolean",
    "sent_at": "timestamp",
}
"""What can be generated; a stream declares those that it wants. `sent_at` is the arrival time of the row."""
UNPACED_START: Final = 1_767_225_600_000_000
"""2026-01-01T00:00Z: where rows begin when nothing says when the run started."""
CHUNK_ROWS: Final = 250_000
_ticks_of: Final = lru_cache(maxsize=64)(parse_duration)
_FAULTS: Final = (Reason.BAD_ROW, Reason.BAD_TIME, Reason.BAD_PAYLOAD)
_STARTED: Final = "started_at.json"


class GeneratorAdapter:
    """Generates rows at a rate. Lane `l` of `n` has the rows `l, l + n, ...`; a position counts the rows of a lane."""

    def __init__(
        self,
        options: GeneratorOptions,
        stream: StreamDefinition,
        root: Path,  # noqa: ARG002
        journal: Path | None = None,
    ) -> None:
        _check_stream(stream, options)
        self._options = options
        self._stream = stream
        self._started_file = journal / _STARTED if journal else None
        self._started_at = options.started_at

    def lanes(self) -> Sequence[str]:
        """The lanes "0", "1", ..."""
        names = [str(lane) for lane in range(self._options.lanes)]
        return names if len(names) > 1 else [ONLY_LANE]

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """The rows due by `now`. The first call of a run fixes, for good, when it started; a preview is not paced."""
        due = self._due(now)
        share = max(limit_rows // self._options.lanes, 1)
        found = {}
        for number, lane in enumerate(self.lanes()):
            reached = start.get(lane, 0)
            rows = self._of_lane(due, number) if due is not None else reached + share
            found[lane] = max(reached, min(rows, reached + share, self._lane_total(number)))
        return found

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """Whether all of `total_rows` were read."""
        return all(positions.get(lane, 0) >= self._lane_total(i) for i, lane in enumerate(self.lanes()))

    @property
    def time_means(self) -> str:
        """When it is due."""
        return "is due then or later: the generator begins at that time, and makes up for it at once"

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:
        """As if it had been started at a time; at row numbers among those that are due."""
        if isinstance(place, BeginAtPositions):
            due = self._due(now) or 0
            ends = {lane: min(self._of_lane(due, i), self._lane_total(i)) for i, lane in enumerate(self.lanes())}
            return positions_within(place, input_id, {lane: (0, end) for lane, end in ends.items()})
        if self._started() is None and self._started_file is not None:
            started = place.at if isinstance(place, BeginAtTime) else now
            write_atomically(self._started_file, json.dumps(started).encode())
        if self._options.started_at is None:
            return BegunLanes(dict.fromkeys(self.lanes(), 0), skips=False)
        tick = place.at if isinstance(place, BeginAtTime) else now
        at = self._due_before(tick, self._options.started_at)
        return BegunLanes(at, any(at.values()))

    def held(self, *, now: int, since: int | None) -> Sequence[LaneHeld]:
        """The rows that are due, where the time of the first is set; else how many it makes up for from a time on."""
        started = self._options.started_at
        if started is None:
            made = None if since is None else self._due_before(now, min(since, now))
            return [LaneHeld(lane, rows_since=None if made is None else made[lane]) for lane in self.lanes()]
        due = max(int((now - started) * self._options.rate / 1_000_000), 0)
        at = None if since is None else self._due_before(since, started)
        found = []
        for number, lane in enumerate(self.lanes()):
            end = min(self._of_lane(due, number), self._lane_total(number))
            begin = None if at is None else min(at[lane], end)
            since_then = None if begin is None else end - begin
            found.append(
                LaneHeld(lane, earliest=0, end=end, at_time=begin, from_at=started, rows=end, rows_since=since_then)
            )
        return found

    def _due_before(self, tick: int, started: int) -> dict[str, Position]:
        """How many rows of each lane are due before `tick`, of a generator that was started at `started`."""
        due = max(math.ceil((tick - started) * self._options.rate / 1_000_000), 0)
        return {lane: min(self._of_lane(due, i), self._lane_total(i)) for i, lane in enumerate(self.lanes())}

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """The rows `[start, end)` of `lane`; the same rows however they are cut."""
        for low in range(start, end, CHUNK_ROWS):
            yield self._chunk(self.lanes().index(lane), np.arange(low, min(low + CHUNK_ROWS, end), dtype=np.int64))

    def _due(self, now: int) -> int | None:
        started = self._started()
        if started is None:
            if self._started_file is None:
                return None
            write_atomically(self._started_file, json.dumps(now).encode())
            started = now
        return max(int((now - started) * self._options.rate / 1_000_000), 0)

    def _started(self) -> int | None:
        """When the run started, for good; None where that is not known yet."""
        if self._started_at is None and self._started_file is not None:
            try:
                self._started_at = int(json.loads(self._started_file.read_bytes()))
            except FileNotFoundError:
                return None
        return self._started_at

    def _of_lane(self, rows: int, number: int) -> int:
        return max(-(-(rows - number) // self._options.lanes), 0)

    def _lane_total(self, number: int) -> int:
        total = self._options.total_rows
        return 2**62 if total is None else self._of_lane(total, number)

    def _chunk(self, number: int, positions: Int64s) -> Arrived:
        options = self._options
        index = positions * options.lanes + number
        started = self._started()
        origin = UNPACED_START if started is None else started
        sent = origin + np.floor(index.astype(np.float64) * (1_000_000 / options.rate)).astype(np.int64)
        device = (uniform(options.seed, DrawPurpose.DEVICE, index) * options.devices).astype(np.int64)
        happened: Int64s = sent - self._lateness(index) + self._clock_error(device)
        if self._stream.rowtime is Rowtime.IMPLICIT:
            happened = sent  # a row starts when it arrives (T17)
        start: Int64s = np.minimum(np.maximum(happened, FIRST_TICK), LAST_TICK)
        end = start + 1 + (self._durations(index) if self._stream.shape is Shape.INTERVAL else 0)
        wanted = [_column(name, options, index, device, sent) for name in self._stream.fields]
        payload = payload_of(wanted, self._stream, len(index))
        kind = np.zeros(len(index), dtype=np.int8)
        malformed = self._malformed(index)
        kind[list(malformed)] = RowKind.MALFORMED

        def raw(indices: Sequence[int]) -> list[str]:
            rows = payload.take(pa.array(list(indices), pa.int64())).to_pylist()
            times = zip(start[list(indices)].tolist(), end[list(indices)].tolist(), strict=True)
            reasons = [malformed.get(int(i)) for i in indices]
            interval = self._stream.shape is Shape.INTERVAL
            whole = [_shown(row, *time, interval) for row, time in zip(rows, times, strict=True)]
            return [_garbled(row, reason) for row, reason in zip(whole, reasons, strict=True)]

        return Arrived(kind, start, end, positions, payload, malformed, raw, sent)

    def _lateness(self, index: Int64s) -> Int64s:
        options = self._options
        lateness = np.zeros(len(index))
        if options.late_share:
            mean, largest = _ticks_of(options.late_mean), _ticks_of(options.late_max)
            late = np.minimum(exponential(options.seed, DrawPurpose.LATENESS, index, mean), largest)
            lateness = np.where(uniform(options.seed, DrawPurpose.IS_LATE, index) < options.late_share, late, 0.0)
        if options.burst_every:
            in_burst = index % options.burst_every < options.burst_rows
            spread = uniform(options.seed, DrawPurpose.BURST, index) * _ticks_of(options.burst_spread)
            lateness = np.where(in_burst, np.maximum(lateness, spread), lateness)
        return lateness.astype(np.int64)

    def _clock_error(self, device: Int64s) -> Int64s:
        largest = _ticks_of(self._options.clock_skew)
        if not largest:
            return np.zeros(len(device), np.int64)
        return np.rint((uniform(self._options.seed, DrawPurpose.CLOCK, device) * 2 - 1) * largest).astype(np.int64)

    def _durations(self, index: Int64s) -> Int64s:
        mean = _ticks_of(self._options.duration_mean)
        return exponential(self._options.seed, DrawPurpose.DURATION, index, mean).astype(np.int64)

    def _malformed(self, index: Int64s) -> dict[int, Reason]:
        options = self._options
        if not options.malformed_share:
            return {}
        rows = np.flatnonzero(uniform(options.seed, DrawPurpose.IS_MALFORMED, index) < options.malformed_share)
        which = (uniform(options.seed, DrawPurpose.FAULT, index[rows]) * len(_FAULTS)).astype(np.int64)
        return {row: _FAULTS[fault] for row, fault in zip(rows.tolist(), which.tolist(), strict=True)}


def _check_stream(stream: StreamDefinition, options: GeneratorOptions) -> None:
    if stream.shape is Shape.EDGE:
        raise AdapterError("The generator makes points and intervals; choose one of these shapes for the stream.")
    if stream.event_time is not None:
        column = stream.event_time.start.column
        raise AdapterError(
            f"The generator makes the times of its rows, so they cannot be read from '{column}'; leave "
            "EVENTTIME BY (the event time of the stream) out."
        )
    for name, of in stream.fields.items():
        if name not in FIELDS:
            near = difflib.get_close_matches(name, FIELDS, n=1, cutoff=0.5)
            nearest = f" The nearest is '{near[0]}'." if near else ""
            raise AdapterError(f"The generator has no field '{name}'; it has {', '.join(FIELDS)}.{nearest}")
        if of != FIELDS[name]:
            raise AdapterError(f"The generator's field '{name}' is {FIELDS[name]}, not {of}; change its type.")
    names = [str(lane) for lane in range(options.lanes)]
    if stream.lanes is not None and stream.lanes != names:
        raise AdapterError(f"The generator's lanes are {', '.join(names)}; list these on the stream, or none.")


def _column(name: str, options: GeneratorOptions, index: Int64s, device: Int64s, sent: Int64s) -> pa.Array:
    """The field `name` of FIELDS."""
    match name:
        case "plate":
            bounds = _bounds(options.keys, options.key_skew)
            key = np.searchsorted(bounds, uniform(options.seed, DrawPurpose.KEY, index), side="right")
            return _names("plate", options.keys).take(pa.array(np.minimum(key, options.keys - 1)))
        case "device":
            return _names("device", options.devices).take(pa.array(device))
        case "speed":
            return pa.array(np.round(70 + 60 * uniform(options.seed, DrawPurpose.SPEED, index), 1))
        case "road_lane":
            return pa.array((uniform(options.seed, DrawPurpose.ROAD_LANE, index) * 3).astype(np.int64) + 1)
        case "braking":
            return pa.array(uniform(options.seed, DrawPurpose.BRAKING, index) < 0.1)
        case _:
            return pa.array(sent)


@lru_cache(maxsize=8)
def _names(prefix: str, count: int) -> pa.Array:
    return pa.array([f"{prefix}-{number:0{len(str(count - 1))}d}" for number in range(count)], pa.string())


@lru_cache(maxsize=8)
def _bounds(keys: int, skew: float) -> Floats:
    return zipf_bounds(keys, skew)


def _shown(row: dict[str, Any], start: int, end: int, interval: bool) -> dict[str, Any]:
    times = {"start": format_instant(Tick(start))} | ({"end": format_instant(Tick(end))} if interval else {})
    return {**times, **row}


def _garbled(row: dict[str, Any], reason: Reason | None) -> str:
    """The text of a row, spoiled so that it shows the fault it is said to have."""
    if reason is Reason.BAD_TIME:
        row = {**row, "start": "yesterday"}
    if reason is Reason.BAD_PAYLOAD:
        row = {**row, "speed": "fast"}
    text = json.dumps(row)
    return text[: len(text) // 2] if reason is Reason.BAD_ROW else text
