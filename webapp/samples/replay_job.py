"""Replay of quarantine in a limited process: what was read is read again, and the query runs without and with rows.

The module stands alone: the server of limited processes imports it.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from streaming.adapters.contract import AdapterError, InputAdapter, ReplayingAdapter
from streaming.definition.advance import to_temporal
from streaming.definition.counts import counted
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.graph import QueryGraph, TopKNode, WindowNode
from streaming.simulator.comparing import ComparedRow
from streaming.simulator.replay_rows import as_kept, first_other, mended
from streaming.simulator.replaying import PlaceRead, ReadRows, ReplayedQuery, ReplayedResult, replay
from streaming.wire.arrived_rows import elements
from streaming.wire.kept import Positions
from streaming.wire.messages import InputSpec, LateEvent
from streaming.wire.results import committed_rows
from streaming.wire.rows import Element
from webapp.core.errors import fault
from webapp.core.limited.jobs import MIB, Limits, limited
from webapp.samples.journals import journal_of
from webapp.samples.replay_bodies import (
    MOST_CHOSEN,
    MOST_SHOWN,
    MendedRow,
    ReplayBody,
    ReplayedRow,
    ReplayShown,
    RowNotCounted,
)
from webapp.streams.adapters import adapter_fault, build, now_ticks

LIMITS: Final = Limits(cpu_s=40, wall_s=50, memory_bytes=1024 * MIB, at_once=1)
PAGE: Final = 500
FEWER: Final = "Let fewer rows be read again, or choose fewer rows."
NOT_AGAIN: Final = (
    "What the binding has read cannot be read again: none of the places from which it could begin is within {most} of "
    "where it has read to and still there."
)
MORE_ROWS: Final = "Let more rows be read again, or try the rows in the simulator."
OTHER_ROWS: Final = (
    "The input {input!r} gives other rows than the binding has read: row {position} of lane {lane} starts at another "
    "time. It was changed since, or its files are in another order."
)
TRY_THERE: Final = "Try the rows in the simulator, which needs no others."
TOO_NEW: Final = "it came after what is read again here; try again in a minute"
STRANGER: Final = "the query has no input of that name any more"


@dataclass(frozen=True)
class BeginChoice:
    """A place from which a binding may be read again: after `batch` (-1: from the beginning of its inputs).

    `whole`, by output: from when on its rows are whole then (None: not known); an output that is absent is whole.
    """

    batch: int
    positions: Positions
    whole: Mapping[str, int | None]


@dataclass(frozen=True)
class ReplayWork:
    """All that the job is given: what the binding runs, how far it came, from where it can be read again (oldest first)

    until when each output had given all, the folder of its quarantine, and that of its journals (`journals_folder`).
    """

    graph: QueryGraph
    inputs: Mapping[str, InputSpec]
    batch: int
    positions: Positions
    begins: Sequence[BeginChoice]
    given_until: Mapping[str, int | None]
    folder: str
    journals: str


@dataclass(frozen=True)
class ReplayGiven:
    """What would change, or the faults for which that cannot be said."""

    shown: ReplayShown | None = None
    faults: list[Fault] = field(default_factory=list)


@dataclass(frozen=True)
class RowsAgain:
    """What was read again, by place, and from where."""

    begin: BeginChoice
    found: Mapping[PlaceRead, Element]


@dataclass(frozen=True)
class ChosenRows:
    """The chosen rows of quarantine by id, newest first, and whether there were more."""

    rows: Mapping[str, LateEvent]
    more: bool


@limited("This replay", FEWER, LIMITS, opens_secrets=True)
def what_would_change(work: ReplayWork, body: ReplayBody) -> ReplayGiven:
    """Return which rows of the result would be other ones; nothing is written."""
    try:
        again = _again(work, _adapters(work), body.most_rows)
        if again is None:
            message = NOT_AGAIN.format(most=counted(body.most_rows, "row"))
            return ReplayGiven(None, [fault(FaultCode.EMPTY_SAMPLE, message, MORE_ROWS)])
    except AdapterError as error:
        return ReplayGiven(None, [adapter_fault(f"What the binding has read cannot be read again. {error}")])
    judged = _judged(work, again.begin)
    other = first_other(again.found, judged)
    if other is not None:
        message = OTHER_ROWS.format(input=other.input, lane=other.lane, position=other.position)
        return ReplayGiven(None, [fault(FaultCode.BAD_ADAPTER, message, TRY_THERE)])
    read = ReadRows(again.found, judged)
    chosen = _chosen(work, body)
    taken, refused = _taken(work, read, chosen, {each.id: each for each in body.mended})
    streams = {name: each.stream for name, each in work.inputs.items()}
    advance = {name: to_temporal(each.stream.advance, each.advance) for name, each in work.inputs.items()}
    rows = {place: element for place, (_, element) in taken.items()}
    result = replay(ReplayedQuery(work.graph, streams, advance), read, rows)
    refused |= {taken[place][0]: why for place, why in result.not_counted.items()}
    return ReplayGiven(_shown(work, again, chosen, refused, result))


def _adapters(work: ReplayWork) -> dict[str, InputAdapter]:
    """The adapters by input, each over what the runner has journaled for it, where that is here."""
    return {
        name: build(each.stream, each.adapter, journal_of(work.journals, name)) for name, each in work.inputs.items()
    }


def _again(work: ReplayWork, adapters: Mapping[str, InputAdapter], most: int) -> RowsAgain | None:
    """The rows from the earliest place from which no more than `most` are to be read, and all are still there.

    Raises `AdapterError` if rows can be read from none, and an adapter says why.
    """
    refusal: AdapterError | None = None
    for begin in work.begins:
        spans = list(_spans(work, begin))
        if not 0 < sum(end - start for _, _, start, end in spans) <= most:
            continue
        try:
            if begin.batch < 0 and not _begins_at_zero(work):
                continue
            found = _read(spans, adapters)
            if all(_holds(adapters[name], lane, start, end) for name, lane, start, end in spans):
                return RowsAgain(begin, found)
        except AdapterError as error:
            refusal = error
    if refusal is not None:
        raise refusal
    return None


def _begins_at_zero(work: ReplayWork) -> bool:
    """Whether all lanes begin at 0: those of a broker that was to be read from some time on do not.

    Adapters are asked that have no journal, for who is asked may write there.
    """
    now = now_ticks()
    adapters = (build(each.stream, each.adapter) for each in work.inputs.values())
    return not any(at for each in adapters for at in each.latest({}, now=now, limit_rows=0).values())


def _holds(adapter: InputAdapter, lane: str, start: int, end: int) -> bool:
    """Whether all rows were there. Asked after reading: without a journal an adapter knows only what it has read."""
    return not isinstance(adapter, ReplayingAdapter) or adapter.holds(lane, start, end)


def _spans(work: ReplayWork, begin: BeginChoice) -> Iterator[tuple[str, str, int, int]]:
    for name, lanes in work.positions.items():
        for lane, end in lanes.items():
            yield name, lane, min(begin.positions.get(name, {}).get(lane, 0), end), end


def _read(spans: Sequence[tuple[str, str, int, int]], adapters: Mapping[str, InputAdapter]) -> dict[PlaceRead, Element]:
    found: dict[PlaceRead, Element] = {}
    for name, lane, start, end in spans:
        for arrived in adapters[name].read(lane, start, end):
            for position, element in zip(arrived.positions.tolist(), elements(arrived), strict=True):
                found[name, lane, position] = element
    return found


def _quarantine(work: ReplayWork) -> Iterator[dict[str, Any]]:
    """All rows of the quarantine, newest first."""
    before: str | None = None
    while True:
        page = committed_rows(Path(work.folder), "late", PAGE, before)
        yield from page.rows
        before = page.next
        if before is None:
            return


def _judged(work: ReplayWork, begin: BeginChoice) -> dict[PlaceRead, LateEvent]:
    """What became of late and malformed rows between both places; of a row that was read twice, the last time."""
    found: dict[PlaceRead, LateEvent] = {}
    for row in _quarantine(work):
        batch = int(row["_id"].partition("-")[0])
        if batch <= begin.batch:
            break
        if batch <= work.batch:
            late = _late(row)
            found.setdefault((late.input, late.lane, late.position), late)
    return found


def _late(row: Mapping[str, Any]) -> LateEvent:
    return LateEvent.model_validate({name: value for name, value in row.items() if not name.startswith("_")})


def _chosen(work: ReplayWork, body: ReplayBody) -> ChosenRows:
    if body.ids is not None:
        found = ((each, _row_of(work, each)) for each in dict.fromkeys(body.ids))
        return ChosenRows({row_id: _late(row) for row_id, row in found if row is not None}, more=False)
    run = None if body.run is None else str(body.run)
    fitting = (row for row in _quarantine(work) if run in (None, row["_run"]) and body.fits(row))
    rows = list(itertools.islice(fitting, MOST_CHOSEN + 1))
    return ChosenRows({row["_id"]: _late(row) for row in rows[:MOST_CHOSEN]}, more=len(rows) > MOST_CHOSEN)


def _row_of(work: ReplayWork, row_id: str) -> dict[str, Any] | None:
    batch, part, row = row_id.split("-")
    page = committed_rows(Path(work.folder), "late", 1, f"{batch}-{part}-{int(row) + 1}")
    return page.rows[0] if page.rows and page.rows[0]["_id"] == row_id else None


def _taken(
    work: ReplayWork, read: ReadRows, chosen: ChosenRows, corrected: Mapping[str, MendedRow]
) -> tuple[dict[PlaceRead, tuple[str, Element]], dict[str, str]]:
    """Each chosen row as it is taken, by its place, with its id; and why others are not, by id."""
    taken: dict[PlaceRead, tuple[str, Element]] = {}
    refused: dict[str, str] = {}
    for row_id, late in chosen.rows.items():
        place = (late.input, late.lane, late.position)
        if late.input not in work.inputs:
            refused[row_id] = STRANGER
        elif late.position >= work.positions.get(late.input, {}).get(late.lane, 0):
            refused[row_id] = TOO_NEW
        elif place in taken:
            refused[row_id] = f"it is the row {taken[place][0]}, which was read twice, and counts once"
        else:
            stream = work.inputs[late.input].stream
            given = corrected.get(row_id)
            if given is not None:
                element: Element | None = mended(late, stream, given.start, given.end, given.payload)
            else:
                element = read.elements.get(place)
            taken[place] = (row_id, element or as_kept(late, stream))
    return taken, refused


def _shown(
    work: ReplayWork,
    again: RowsAgain,
    chosen: ChosenRows,
    refused: Mapping[str, str],
    result: ReplayedResult,
) -> ReplayShown:
    marks = {"same": 0, "changed": 0, "only_here": 0, "missing": 0}
    for each in result.rows:
        marks[each.mark] += 1
    others = sorted((each for each in result.rows if each.mark != "same"), key=lambda row: (row.output, row.start))
    notes = list(result.notes)
    if chosen.more:
        notes.append(f"More rows are chosen: the newest {MOST_CHOSEN:,} of them are taken here.")
    return ReplayShown(
        chosen=len(chosen.rows),
        counted=len(chosen.rows) - len(refused),
        not_counted=[_not_counted(row_id, chosen.rows[row_id], why) for row_id, why in refused.items()],
        rows=[_row(work, again.begin, each) for each in others[:MOST_SHOWN]],
        rows_left_out=max(len(others) - MOST_SHOWN, 0),
        marks=marks,
        read_again=len(again.found),
        whole_from=dict(again.begin.whole),
        notes=notes,
    )


def _not_counted(row_id: str, late: LateEvent, why: str) -> RowNotCounted:
    return RowNotCounted(id=row_id, input=late.input, lane=late.lane, position=late.position, start=late.start, why=why)


def _row(work: ReplayWork, begin: BeginChoice, row: ComparedRow) -> ReplayedRow:
    until = work.given_until.get(row.output)
    whole = begin.whole.get(row.output, row.start)
    told = {**row.model_dump(), "final": row.end is not None and until is not None and row.end <= until}
    if whole is not None and row.start >= whole:
        return ReplayedRow(**told, whole=True)
    groups = {name for node in work.graph.nodes if isinstance(node, WindowNode | TopKNode) for name in node.group_by}
    for name in ("payload", "today_payload"):
        if told[name] is not None:
            told[name] = {key: value for key, value in told[name].items() if key in groups}
    return ReplayedRow(**told, whole=False)
