"""Explanation of a row of a binding in a limited process: its input is read again, and the query runs on it alone.

The server of limited processes imports this module, so it must import nothing that starts threads.
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from streaming.definition.faults import Fault, FaultCode
from streaming.simulator.origins.lane_stories import FRESH, ClockBefore
from streaming.simulator.origins.mattering import MatteringTimes, mattering_at, mattering_times
from streaming.simulator.origins.places import AskedPlace, UnknownResultField, trace_place
from streaming.simulator.origins.results import CtiMove, cti_of, trace_row
from streaming.simulator.origins.traced import PlaceTrace, ResultTrace
from streaming.simulator.origins.tracing import KnownInput
from streaming.simulator.replay.replaying import PlaceRead, ReadRows
from streaming.simulator.replay.rows import as_kept
from streaming.simulator.simulate import instant
from streaming.simulator.words import TimeWords
from streaming.wire.messages import LateEvent, OutcomeName, ResultRow
from streaming.wire.rows.row_json import Element, MalformedRow
from webapp.core.errors import Faulty, fault
from webapp.core.limited.jobs import limited
from webapp.samples.read_back import (
    MOST_HELD,
    ReadWork,
    RowLimit,
    RowsAgain,
    late_of,
    quarantine_of,
    query_of,
    read_rows,
)
from webapp.samples.replay_bodies import MOST_CHOSEN
from webapp.samples.replay_job import LIMITS, repaired_rows
from webapp.samples.why_bodies import AskedResultPlace, InputMoved

OLDER: Final = "Ask about a row emitted sooner after the start of its run, or try its rows in the simulator."
CLOCKS_UNKNOWN: Final = (
    "More than {most:,} rows were read. The rows of this result are complete, but it is unknown which row set a CTI, "
    "and which rows arrived out of order."
)
DROPPED: Final = (OutcomeName.DROPPED_LATE, OutcomeName.DROPPED_EARLY, OutcomeName.DROPPED_WINDOW_CLOSED)
NO_SUCH_ROW: Final = (
    "The input read again gives no row of this time and group. Its rows may be from before that part of the input, or "
    "the row was retracted later."
)
OTHER_VALUES: Final = (
    "The input read again gives other values for this row. Rows that arrived later, or that a repair restored, count "
    "in only one of them; or some of its rows are no longer stored; or an earlier version of this program computed it."
)
READ_BEFORE: Final = (
    "Rows from before the part that was read again may belong to it too; from {whole} on it is complete. Allow more "
    "rows to be read again to see them."
)
READ_BEFORE_ANY: Final = (
    "Earlier rows may matter to any later row of {output!r}, and were not read again: rows may be missing here."
)
IN_COLUMNS: Final = (
    "The columns in which this row is incomplete ({columns}) include only rows that arrived after its run had started "
    "with the previous run's state; the other columns include all rows."
)
NEAREST_ALONE: Final = "Only the {most:,} late rows that start nearest to it were tried."


@dataclass(frozen=True)
class WhyTraced:
    """The findings, or the errors that prevent reading the input again."""

    trace: ResultTrace | None = None
    place: PlaceTrace | None = None
    read_again: int = 0
    notes: list[str] = field(default_factory=list)
    unread: list[Fault] = field(default_factory=list)
    refused: list[Fault] = field(default_factory=list)


@dataclass(frozen=True)
class _DroppedRows:
    late: Mapping[PlaceRead, LateEvent]
    left_out: bool


@dataclass(frozen=True)
class _Mattering:
    """The rows that were `read`, and the times that can matter to the question."""

    read: ReadRows
    times: MatteringTimes

    @property
    def alone(self) -> ReadRows:
        """Return the rows that can matter, and all late ones, because a policy may have moved them."""
        judged = self.read.judged
        rows = {place: row for place, row in self.read.elements.items() if place in judged or self.times.holds(row)}
        return ReadRows(rows, judged)


@limited("This explanation", OLDER, LIMITS, opens_secrets=True)
def traced_row(work: ReadWork, row: ResultRow, moved: list[InputMoved], most: int | None) -> WhyTraced:
    """Return the origin of `row`; nothing is written."""
    streams = {name: each.stream for name, each in work.inputs.items()}
    matter = mattering_times(work.graph, streams, row.output, row.start, row.end)
    try:
        again, read = read_rows(work, RowLimit(most, matter))
    except Faulty as refused:
        return WhyTraced(unread=refused.faults)
    repaired = repaired_rows(work, read)
    dropped = _dropped(work, again, row.start, repaired)
    moves = {each.input: CtiMove(cti_of(each.before), cti_of(each.after, ended=each.ended)) for each in moved}
    trace = trace_row(_input_of(work, again, _Mattering(read, matter), dropped, repaired), row, moves)
    notes = list(_notes(again, dropped, row.output, row.start))
    if trace is None:
        notes.append(NO_SUCH_ROW)
    elif not trace.same:
        notes.append(OTHER_VALUES)
    if row.incomplete_columns:
        notes.append(IN_COLUMNS.format(columns=", ".join(row.incomplete_columns)))
    return WhyTraced(trace=trace, read_again=again.count, notes=notes)


@limited("This explanation", OLDER, LIMITS, opens_secrets=True)
def traced_place(work: ReadWork, asked: AskedResultPlace, moved: list[InputMoved], most: int | None) -> WhyTraced:
    """Return why a place has no row; nothing is written."""
    at = instant(asked.at)
    matter = mattering_at(work.graph, {name: each.stream for name, each in work.inputs.items()}, asked.output, at)
    try:
        again, read = read_rows(work, RowLimit(most, matter))
    except Faulty as refused:
        return WhyTraced(unread=refused.faults)
    repaired = repaired_rows(work, read)
    dropped = _dropped(work, again, at, repaired)
    now = {each.input: cti_of(each.after, ended=each.ended) for each in moved}
    try:
        known = _input_of(work, again, _Mattering(read, matter), dropped, repaired)
        place = trace_place(known, AskedPlace(asked.output, at, asked.key), now)
    except UnknownResultField as error:
        remedy = "Use fields of its rows, or leave `key` out."
        return WhyTraced(refused=[fault(FaultCode.UNKNOWN_FIELD, str(error), remedy, field="place.key")])
    notes = list(_notes(again, dropped, asked.output, at))
    return WhyTraced(place=place, read_again=again.count, notes=notes)


def _dropped(work: ReadWork, again: RowsAgain, near: int, repaired: Container[PlaceRead]) -> _DroppedRows:
    """Return late rows without a result from that time on, even if they were found after the part that was read."""
    found: dict[PlaceRead, LateEvent] = {}
    for row in quarantine_of(work):
        if int(row["_id"].partition("-")[0]) <= again.begin.batch:
            break
        if row["outcome"] in DROPPED and row["start"] is not None and row["input"] in work.inputs:
            late = late_of(row)
            place = (late.input, late.lane, late.position)
            if place not in repaired:
                found.setdefault(place, late)
    nearest = sorted(found, key=lambda place: abs((found[place].start or 0) - near))
    return _DroppedRows({place: found[place] for place in nearest[:MOST_CHOSEN]}, len(nearest) > MOST_CHOSEN)


def _input_of(
    work: ReadWork,
    again: RowsAgain,
    found: _Mattering,
    dropped: _DroppedRows,
    repaired: Mapping[PlaceRead, Element],
) -> KnownInput:
    read = found.read
    rows = {
        place: read.elements.get(place) or as_kept(late, work.inputs[late.input].stream)
        for place, late in dropped.late.items()
    }
    events = {place: element for place, element in rows.items() if not isinstance(element, MalformedRow)}
    late = {(each.late.input, each.late.lane, each.late.position): each.late for each in work.settled}
    judged = {**late, **dropped.late, **read.judged}
    clocks = _clocks(work, again) if again.whole else {}
    return KnownInput(
        query_of(work), found.alone, events, judged, clocks, repaired, lanes=read, partial=not again.whole
    )


def _clocks(work: ReadWork, again: RowsAgain) -> dict[tuple[str, str], ClockBefore]:
    """Return the clock of each lane at the start of the part that was read."""
    begin = again.begin
    found: dict[tuple[str, str], ClockBefore] = {}
    for name, lanes in work.positions.items():
        for lane in lanes:
            new = begin.fresh or not begin.positions.get(name, {}).get(lane, 0)
            known = begin.clocks.get(name, {}).get(lane)
            found[name, lane] = FRESH if new and known is None else known
    return found


def _notes(again: RowsAgain, dropped: _DroppedRows, output: str, at: int) -> Iterator[str]:
    whole = again.begin.whole.get(output, at)
    if whole is None:
        yield READ_BEFORE_ANY.format(output=output)
    elif whole > at:
        yield READ_BEFORE.format(whole=TimeWords(None).at(whole))
    if not again.whole:
        yield CLOCKS_UNKNOWN.format(most=MOST_HELD)
    if dropped.left_out:
        yield NEAREST_ALONE.format(most=MOST_CHOSEN)
