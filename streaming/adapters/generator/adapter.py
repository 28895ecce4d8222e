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
from streaming.adapters.generator.columns import COLUMNS, FIELDS, DrawnRows
from streaming.adapters.generator.draws import DrawPurpose, exponential, uniform
from streaming.adapters.generator.held_lane import HeldLane
from streaming.adapters.generator.options import GeneratorOptions
from streaming.adapters.seeking import BegunLanes, LaneHeld, positions_within
from streaming.definition.streams.stream import Rowtime, StreamDefinition
from streaming.storage.results import write_atomically
from streaming.temporal.events import Shape
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, Tick, format_instant, parse_duration
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from streaming.wire.execution.case import ONLY_LANE
from streaming.wire.rows.arrived import Arrived, Int64s, RowKind

UNPACED_START: Final = 1_767_225_600_000_000
"""2026-01-01T00:00Z, the time of the first row if the start of the run is not set."""
CHUNK_ROWS: Final = 250_000
_ticks_of: Final = lru_cache(maxsize=64)(parse_duration)
_REASONS: Final = (Reason.BAD_ROW, Reason.BAD_TIME, Reason.BAD_PAYLOAD)
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
        self._held = _held_lane(options)

    def lanes(self) -> Sequence[str]:
        """The lanes "0", "1", ..."""
        names = [str(lane) for lane in range(self._options.lanes)]
        return names if len(names) > 1 else [ONLY_LANE]

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """Return the rows that arrived by `now`. A run's first call fixes its start time; a preview is not paced."""
        arrived = self._arrived(now)
        share = max(limit_rows // self._options.lanes, 1)
        found = {}
        for number, lane in enumerate(self.lanes()):
            reached = start.get(lane, 0)
            rows = arrived[lane] if arrived is not None else reached + share
            found[lane] = max(reached, min(rows, reached + share, self._lane_total(number)))
        return found

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """Return True if all of `total_rows` were read."""
        return all(positions.get(lane, 0) >= self._lane_total(i) for i, lane in enumerate(self.lanes()))

    @property
    def time_means(self) -> str:
        """The meaning of arrival times: when the row is due."""
        return "is due then or later: the generator starts at that time, and emits all rows due since then at once"

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:
        """Start as if the generator had been started at a time; or at row numbers among the rows that are due."""
        if isinstance(place, BeginAtPositions):
            ends = self._arrived(now) or dict.fromkeys(self.lanes(), 0)
            return positions_within(place, input_id, {lane: (0, end) for lane, end in ends.items()})
        if self._started() is None and self._started_file is not None:
            started = place.at if isinstance(place, BeginAtTime) else now
            write_atomically(self._started_file, json.dumps(started).encode())
        if self._options.started_at is None:
            return BegunLanes(dict.fromkeys(self.lanes(), 0), skips=False)
        tick = place.at if isinstance(place, BeginAtTime) else now
        at = self._arrived_before(tick, self._options.started_at)
        return BegunLanes(at, any(at.values()))

    def held(self, *, now: int, since: int | None) -> Sequence[LaneHeld]:
        """The rows that are due, if the time of the first is set; otherwise the number of rows due since `since`."""
        started = self._options.started_at
        if started is None:
            made = None if since is None else self._arrived_before(now, min(since, now))
            return [LaneHeld(lane, rows_since=None if made is None else made[lane]) for lane in self.lanes()]
        at = None if since is None else self._arrived_before(since, started)
        found = []
        for lane, end in self._arrived_at(now, started).items():
            begin = None if at is None else min(at[lane], end)
            since_then = None if begin is None else end - begin
            found.append(
                LaneHeld(lane, earliest=0, end=end, at_time=begin, from_at=started, rows=end, rows_since=since_then)
            )
        return found

    def _arrived_before(self, tick: int, started: int) -> dict[str, Position]:
        """The number of rows in each lane that arrive before `tick`, for a generator that was started at `started`."""
        found = {}
        for number, lane in enumerate(self.lanes()):
            held = self._held_at(number)
            moment = tick if held is None else held.due_before(tick, started)
            found[lane] = self._rows_of(number, math.ceil(self._rows_by(moment, started)))
        return found

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """Yield the rows `[start, end)` of `lane`; they do not depend on how the span is divided."""
        for low in range(start, end, CHUNK_ROWS):
            yield self._chunk(self.lanes().index(lane), np.arange(low, min(low + CHUNK_ROWS, end), dtype=np.int64))

    def _arrived(self, now: int) -> dict[str, Position] | None:
        """The number of rows in each lane that arrived by `now`; None in a preview, which is not paced."""
        started = self._started()
        if started is None:
            if self._started_file is None:
                return None
            write_atomically(self._started_file, json.dumps(now).encode())
            started = now
        return self._arrived_at(now, started)

    def _arrived_at(self, now: int, started: int) -> dict[str, Position]:
        """The number of rows in each lane that arrived by `now`, for a generator that was started at `started`."""
        found = {}
        for number, lane in enumerate(self.lanes()):
            held, due = self._held_at(number), self._rows_by(now, started)
            silent_from = now + 1 if held is None else held.due_before(now + 1, started)
            if silent_from <= now:
                due = math.ceil(self._rows_by(silent_from, started))
            found[lane] = self._rows_of(number, due)
        return found

    def _held_at(self, number: int) -> HeldLane | None:
        return self._held if self._held is not None and self._held.number == number else None

    def _rows_by(self, moment: int, started: int) -> float:
        """The number of rows over all lanes that are due by `moment`, without silences."""
        return (moment - started) * self._options.rate / 1_000_000

    def _rows_of(self, number: int, due: float) -> Position:
        """The number of rows of the lane `number` among the first `due` rows."""
        return min(self._of_lane(max(int(due), 0), number), self._lane_total(number))

    def _started(self) -> int | None:
        """The permanent start time of the run; None if it is not fixed yet."""
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
        due = origin + np.floor(index.astype(np.float64) * (1_000_000 / options.rate)).astype(np.int64)
        held = self._held_at(number)
        sent = due if held is None else held.arrivals(due, origin)
        device = (uniform(options.seed, DrawPurpose.DEVICE, index) * options.devices).astype(np.int64)
        happened: Int64s = due - self._lateness(index) + self._clock_error(device)
        if self._stream.rowtime is Rowtime.IMPLICIT:
            happened = sent  # a row starts when it arrives (T17)
        start: Int64s = np.minimum(np.maximum(happened, FIRST_TICK), LAST_TICK)
        end = start + 1 + (self._durations(index) if self._stream.shape is Shape.INTERVAL else 0)
        drawn = DrawnRows(options, index, device, sent)
        wanted = [COLUMNS[name](drawn) for name in self._stream.fields]
        payload = payload_of(wanted, self._stream, len(index))
        kind = np.zeros(len(index), dtype=np.int8)
        malformed = self._malformed(index)
        kind[list(malformed)] = RowKind.MALFORMED

        def raw(indices: Sequence[int]) -> list[str]:
            rows = payload.take(pa.array(list(indices), pa.int64())).to_pylist()
            times = zip(start[list(indices)].tolist(), end[list(indices)].tolist(), strict=True)
            reasons = [malformed.get(int(i)) for i in indices]
            interval = self._stream.shape is Shape.INTERVAL
            whole = [_with_times(row, *time, interval) for row, time in zip(rows, times, strict=True)]
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
        which = (uniform(options.seed, DrawPurpose.FAULT, index[rows]) * len(_REASONS)).astype(np.int64)
        return {row: _REASONS[fault] for row, fault in zip(rows.tolist(), which.tolist(), strict=True)}


def _held_lane(options: GeneratorOptions) -> HeldLane | None:
    if options.held_lane is None:
        return None
    return HeldLane(options.held_lane, _ticks_of(options.held_every), _ticks_of(options.held_for))


def _check_stream(stream: StreamDefinition, options: GeneratorOptions) -> None:
    if stream.shape is Shape.EDGE:
        raise AdapterError("The generator emits points and intervals. Choose one of these shapes for the stream.")
    if stream.event_time is not None:
        column = stream.event_time.start.column
        raise AdapterError(
            f"The generator sets the times of its rows, so they can't be read from '{column}'. Remove "
            "EVENTTIME BY (the "
            "event time of the stream)."
        )
    for name, of in stream.fields.items():
        if name not in FIELDS:
            near = difflib.get_close_matches(name, FIELDS, n=1, cutoff=0.5)
            nearest = f" Did you mean '{near[0]}'?" if near else ""
            raise AdapterError(f"The generator has no field '{name}'. Its fields are {', '.join(FIELDS)}.{nearest}")
        if of != FIELDS[name]:
            raise AdapterError(f"The generator's field '{name}' is {FIELDS[name]}, not {of}. Change its type.")
    names = [str(lane) for lane in range(options.lanes)]
    if stream.lanes is not None and stream.lanes != names:
        raise AdapterError(f"The generator's lanes are {', '.join(names)}. List exactly these on the stream, or none.")


def _with_times(row: dict[str, Any], start: int, end: int, interval: bool) -> dict[str, Any]:
    times = {"start": format_instant(Tick(start))} | ({"end": format_instant(Tick(end))} if interval else {})
    return {**times, **row}


def _garbled(row: dict[str, Any], reason: Reason | None) -> str:
    """The text of a row, damaged to match `reason`."""
    if reason is Reason.BAD_TIME:
        row = {**row, "start": "yesterday"}
    if reason is Reason.BAD_PAYLOAD:
        row = {**row, "speed": "fast"}
    text = json.dumps(row)
    return text[: len(text) // 2] if reason is Reason.BAD_ROW else text
