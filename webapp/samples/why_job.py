"""Why a row of a running or ended binding is so, in a limited process: its input is read again, and run by itself.

The module stands alone: the server of limited processes imports it.
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from streaming.definition.faults import Fault, FaultCode
from streaming.simulator.lane_stories import FRESH, ClockBefore
from streaming.simulator.replay_rows import as_kept
from streaming.simulator.replaying import PlaceRead, ReadRows
from streaming.simulator.simulate import instant
from streaming.simulator.traced import PlaceTrace, ResultTrace
from streaming.simulator.tracing import CtiMove, KnownInput, cti_of, trace_row
from streaming.simulator.tracing_places import AskedPlace, UnknownResultField, trace_place
from streaming.simulator.words import TimeWords
from streaming.wire.messages import LateEvent, OutcomeName, ResultRow
from streaming.wire.rows import Element, MalformedRow
from webapp.core.errors import Faulty, fault
from webapp.core.limited.jobs import limited
from webapp.samples.read_back import ReadWork, RowsAgain, late_of, quarantine_of, query_of, read_rows
from webapp.samples.replay_bodies import MOST_CHOSEN
from webapp.samples.replay_job import LIMITS, repaired_rows
from webapp.samples.why_bodies import AskedResultPlace, InputMoved

FEWER: Final = "Let fewer rows be read again."
DROPPED: Final = (OutcomeName.DROPPED_LATE, OutcomeName.DROPPED_EARLY, OutcomeName.DROPPED_WINDOW_CLOSED)
NO_SUCH_ROW: Final = (
    "What was read again gives no row of this time and group. Its rows may lie before what was read again, or the "
    "row was taken back since."
)
OTHER_VALUES: Final = (
    "What was read again gives other values for this row: rows that came later, or that a repair took back, count in "
    "one of both alone, or some that belong to it are not kept."
)
READ_BEFORE: Final = (
    "Rows from before what was read again may belong to it too: from {whole} on nothing is missing. Let more rows be "
    "read again to see them."
)
READ_BEFORE_ANY: Final = (
    "What was read before may matter to any later row of {output!r}, and was not read again: rows may be missing here."
)
IN_COLUMNS: Final = (
    "Columns that this row lacks something in ({columns}) have only those of these rows that came after its run had "
    "begun with what the run before it held; the other columns have them all."
)
NEAREST_ALONE: Final = "Of the late rows only the {most:,} that start nearest to it were tried."


@dataclass(frozen=True)
class WhyTraced:
    """What was found, or the faults for which nothing could be read again."""

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


@limited("This explanation", FEWER, LIMITS, opens_secrets=True)
def traced_row(work: ReadWork, row: ResultRow, moved: list[InputMoved], most: int) -> WhyTraced:
    """Return what made `row`; nothing is written."""
    try:
        again, read = read_rows(work, most)
    except Faulty as refused:
        return WhyTraced(unread=refused.faults)
    repaired = repaired_rows(work, read)
    dropped = _dropped(work, again, row.start, repaired)
    moves = {each.input: CtiMove(cti_of(each.before), cti_of(each.after, ended=each.ended)) for each in moved}
    trace = trace_row(_known(work, again, read, dropped, repaired), row, moves)
    notes = list(_notes(again, dropped, row.output, row.start))
    if trace is None:
        notes.append(NO_SUCH_ROW)
    elif not trace.same:
        notes.append(OTHER_VALUES)
    if row.incomplete_columns:
        notes.append(IN_COLUMNS.format(columns=", ".join(row.incomplete_columns)))
    return WhyTraced(trace=trace, read_again=len(again.found), notes=notes)


@limited("This explanation", FEWER, LIMITS, opens_secrets=True)
def traced_place(work: ReadWork, asked: AskedResultPlace, moved: list[InputMoved], most: int) -> WhyTraced:
    """Return why there is no row at a place; nothing is written."""
    try:
        again, read = read_rows(work, most)
    except Faulty as refused:
        return WhyTraced(unread=refused.faults)
    at = instant(asked.at)
    repaired = repaired_rows(work, read)
    dropped = _dropped(work, again, at, repaired)
    now = {each.input: cti_of(each.after, ended=each.ended) for each in moved}
    try:
        place = trace_place(_known(work, again, read, dropped, repaired), AskedPlace(asked.output, at, asked.key), now)
    except UnknownResultField as error:
        remedy = "Name fields of its rows, or none."
        return WhyTraced(refused=[fault(FaultCode.UNKNOWN_FIELD, str(error), remedy, field="place.key")])
    notes = list(_notes(again, dropped, asked.output, at))
    return WhyTraced(place=place, read_again=len(again.found), notes=notes)


def _dropped(work: ReadWork, again: RowsAgain, near: int, repaired: Container[PlaceRead]) -> _DroppedRows:
    """Late rows that no result has, of since then, also those that were found after what was read again."""
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


def _known(
    work: ReadWork,
    again: RowsAgain,
    read: ReadRows,
    dropped: _DroppedRows,
    repaired: Mapping[PlaceRead, Element],
) -> KnownInput:
    rows = {
        place: read.elements.get(place) or as_kept(late, work.inputs[late.input].stream)
        for place, late in dropped.late.items()
    }
    events = {place: element for place, element in rows.items() if not isinstance(element, MalformedRow)}
    late = {(each.late.input, each.late.lane, each.late.position): each.late for each in work.settled}
    judged = {**late, **dropped.late, **read.judged}
    return KnownInput(query_of(work), read, events, judged, _clocks(work, again), repaired)


def _clocks(work: ReadWork, again: RowsAgain) -> dict[tuple[str, str], ClockBefore]:
    """Where the clock of each lane stood where it was begun to read."""
    begin = again.begin
    found: dict[tuple[str, str], ClockBefore] = {}
    for name, lanes in work.positions.items():
        for lane in lanes:
            nothing_before = not begin.positions.get(name, {}).get(lane, 0)
            found[name, lane] = FRESH if nothing_before else begin.clocks.get(name, {}).get(lane)
    return found


def _notes(again: RowsAgain, dropped: _DroppedRows, output: str, at: int) -> Iterator[str]:
    whole = again.begin.whole.get(output, at)
    if whole is None:
        yield READ_BEFORE_ANY.format(output=output)
    elif whole > at:
        yield READ_BEFORE.format(whole=TimeWords(None).at(whole))
    if dropped.left_out:
        yield NEAREST_ALONE.format(most=MOST_CHOSEN)
