"""Details of a run at the end of a step: distances of its rows, its lanes, and the parts of its largest lag.

Details are totals of the run, as samples are. Joining details of one step in any order, or repeatedly, gives the same,
so a report that is read twice changes nothing. `periods` counts what happened between two of them.
"""

import zlib
from collections.abc import Iterable
from typing import Any, Final

from streaming.wire.message import Message
from streaming.wire.progress import InputCounts, LaneProgress, LaneSums, ProgressReport
from webapp.monitoring.reading import TICKS_PER_S

VERSION: Final = 1
"""The first byte of packed details; compressed JSON follows it."""


class LagParts(Message):
    """The parts of the lag of `input`, in ticks; they add up to it.

    `work`: from the planning of the batch to its commit. `source`: from the largest start to the planning, which
    includes a silent source. `delay`: from the largest CTI of a lane to the largest start. `lane`: from the CTI of the
    input, which waits for its slowest lane, to the largest CTI of a lane.
    """

    input: str
    work: int
    source: int
    delay: int
    lane: int


class LargestLag(Message):
    """The largest lag of the reports of a step, and the tick of its report; `parts` are null if one isn't reported."""

    lag: int
    at: int
    parts: LagParts | None = None


class LaneDetail(Message):
    """A lane of an input; the counts are totals of the run."""

    lane: str
    cti: int | None = None
    received: int = 0
    late: int = 0
    dropped: int = 0


class InputDetail(Message):
    """An input; the counts are totals of the run. `behind`, `lanes` and `others` as in `InputCounts`.

    `behind` is null if the run doesn't measure distances, `lanes` if it doesn't list lanes.
    """

    received: int
    behind: dict[int, int] | None = None
    largest_behind: int | None = None
    delay: int | None = None
    lanes: list[LaneDetail] | None = None
    others: LaneSums | None = None


class RunDetail(Message):
    """The inputs at the newest report of a step, and the largest lag of all its reports (null: no CTI yet)."""

    at: int
    batch: int
    inputs: dict[str, InputDetail]
    largest: LargestLag | None = None

    def joined(self, other: "RunDetail | None") -> "RunDetail":
        """Return the details of the newer report, with the larger lag of both."""
        if other is None:
            return self
        newer = max(self, other, key=lambda each: (each.at, each.batch))
        return newer.model_copy(update={"largest": larger_lag(self.largest, other.largest)})


def larger_lag(one: LargestLag | None, other: LargestLag | None) -> LargestLag | None:
    """Return the larger lag; of equal ones the later, and of those at one time the one whose parts are known."""
    known = [each for each in (one, other) if each is not None]
    return max(known, key=lambda each: (each.lag, each.at, _rank(each.parts)), default=None)


def details_in_steps(reports: Iterable[ProgressReport], seconds: int) -> dict[int, RunDetail]:
    """Return the details of each step of so many seconds, by its first tick.

    Reports from before totals were counted by run (`of_run`) have none.
    """
    found: dict[int, tuple[ProgressReport, LargestLag | None]] = {}
    width = seconds * TICKS_PER_S
    for report in (each for each in reports if each.of_run):
        at, lag = report.at - report.at % width, lag_of_report(report)
        newest, largest = found.get(at, (report, None))
        newer = max(newest, report, key=lambda each: (each.at, each.batch))
        found[at] = newer, larger_lag(largest, lag)
    return {at: _detail(report, largest) for at, (report, largest) in found.items()}


def lag_of_report(report: ProgressReport) -> LargestLag | None:
    """Return the lag of the input with the smallest CTI; None while one that has not ended has no CTI."""
    open_inputs = {name: counts for name, counts in report.inputs.items() if not counts.ended}
    ctis = {name: counts.cti for name, counts in open_inputs.items() if counts.cti is not None}
    if not ctis or len(ctis) < len(open_inputs):
        return None
    name = min(ctis, key=lambda each: (ctis[each], each))
    work = round(report.batch_s * TICKS_PER_S)
    parts = _parts(name, open_inputs[name], ctis[name], report.at, work)
    return LargestLag(lag=report.at - ctis[name], at=report.at, parts=parts)


def packed(detail: RunDetail) -> bytes:
    """Return `detail` without its largest lag as bytes for the database."""
    return bytes([VERSION]) + zlib.compress(detail.model_copy(update={"largest": None}).to_json().encode())


def unpacked(content: bytes | memoryview) -> RunDetail | None:
    """Return packed details; None if another release wrote them in another form."""
    raw = bytes(content)
    return RunDetail.model_validate_json(zlib.decompress(raw[1:])) if raw[:1] == bytes([VERSION]) else None


def lag_of_row(stored: Any) -> LargestLag | None:
    """Return the largest lag of a stored step, which is read without its other details."""
    return None if stored is None else LargestLag.model_validate(stored)


def _rank(parts: LagParts | None) -> tuple[Any, ...]:
    return () if parts is None else (parts.input, parts.work, parts.source, parts.delay, parts.lane)


def _parts(name: str, counts: InputCounts, cti: int, at: int, work: int) -> LagParts | None:
    """Split the time from the CTI to `at` at the planning, the largest start and the largest CTI of a lane.

    A later point doesn't precede an earlier one: rows from the future, for example, have no source delay.
    """
    if counts.largest_start is None or counts.lane_wait is None:
        return None
    cti = min(cti, at)
    planned = max(cti, at - work)
    start = min(planned, max(cti, counts.largest_start))
    leading = min(start, cti + counts.lane_wait)
    return LagParts(input=name, work=at - planned, source=planned - start, delay=start - leading, lane=leading - cti)


def _detail(report: ProgressReport, largest: LargestLag | None) -> RunDetail:
    inputs = {name: _input(counts) for name, counts in report.inputs.items()}
    return RunDetail(at=report.at, batch=report.batch, inputs=inputs, largest=largest)


def _input(counts: InputCounts) -> InputDetail:
    measures = counts.measures
    return InputDetail(
        received=counts.received,
        behind=None if measures is None else measures.behind,
        largest_behind=None if measures is None else measures.largest_behind,
        delay=counts.delay,
        lanes=None if counts.lanes is None else [_lane(each) for each in counts.lanes],
        others=counts.other_lanes,
    )


def _lane(lane: LaneProgress) -> LaneDetail:
    return LaneDetail(lane=lane.lane, cti=lane.cti, received=lane.received, late=lane.late, dropped=lane.dropped)
