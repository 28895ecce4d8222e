"""Replay of quarantine in a limited process: the input is read again, and the query runs without and with rows.

The server of limited processes imports this module, so it must import nothing that starts threads.
"""

import itertools
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from streaming.definition.faults import Fault
from streaming.definition.graph import TopKNode, WindowNode
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.simulator.comparing import ComparedRow
from streaming.simulator.replay.replaying import PlaceRead, ReadRows, ReplayedResult, replay
from streaming.simulator.replay.rows import as_kept, corrected_row, corrected_row_error
from streaming.storage.results import committed_row
from streaming.wire.messages import LateEvent
from streaming.wire.rows.row_json import Element
from webapp.core.errors import Faulty
from webapp.core.limited.jobs import MIB, Limits, limited
from webapp.samples.read_back import (
    BeginChoice,
    ReadWork,
    RowLimit,
    RowsAgain,
    late_of,
    quarantine_of,
    query_of,
    read_rows,
)
from webapp.samples.replay_bodies import (
    MOST_CHOSEN,
    MOST_SHOWN,
    MendedRow,
    ReplayBody,
    ReplayedRow,
    ReplayResponse,
    RowNotCounted,
)

LIMITS: Final = Limits(cpu_s=40, wall_s=50, memory_bytes=1024 * MIB, at_once=1)
FEWER: Final = "Allow fewer rows to be read again, or choose fewer rows."
TOO_NEW: Final = "it arrived after the part that is read again; the run covers it within two minutes, then try again"
FAILED_BEFORE: Final = (
    "it arrived after the part that is read again, and the run has ended; start the binding, and try again once it runs"
)
REPAIRED: Final = "a repair has already restored it"
STRANGER: Final = "the query no longer has an input of that name"


@dataclass(frozen=True)
class ReplayOutcome:
    """The changes, or the errors that prevent computing them."""

    shown: ReplayResponse | None = None
    faults: list[Fault] = field(default_factory=list)


@dataclass(frozen=True)
class ChosenRows:
    """The chosen rows of quarantine by id, newest first, and whether there were more."""

    rows: Mapping[str, LateEvent]
    more: bool


@dataclass(frozen=True)
class GatheredRows:
    """Everything that a replay needs: the rows read again, and the chosen rows.

    `taken` has each chosen row that counts by its place, with its id; `refused` has the reasons for the others, by id;
    `settled` are those of earlier repairs.
    """

    again: RowsAgain
    read: ReadRows
    chosen: ChosenRows
    taken: Mapping[PlaceRead, tuple[str, Element]]
    refused: Mapping[str, str]
    settled: Mapping[PlaceRead, Element]

    def replayed(self, work: ReadWork, without: Container[PlaceRead] = ()) -> ReplayedResult:
        """Run the query without and with the taken rows, except those of `without`."""
        rows = {place: element for place, (_, element) in self.taken.items() if place not in without}
        return replay(query_of(work), self.read, rows, self.settled)


@limited("This replay", FEWER, LIMITS, opens_secrets=True)
def what_would_change(work: ReadWork, body: ReplayBody) -> ReplayOutcome:
    """Return the rows of the result that would differ; nothing is written."""
    try:
        gathered = gather(work, body)
    except Faulty as faulty:
        return ReplayOutcome(None, faulty.faults)
    result = gathered.replayed(work)
    refused = {**gathered.refused, **{gathered.taken[place][0]: why for place, why in result.not_counted.items()}}
    return ReplayOutcome(_to_response(work, gathered, refused, result))


def gather(work: ReadWork, body: ReplayBody) -> GatheredRows:
    """Read the binding's input again, and take the chosen rows. Raises `Faulty` with the reason if impossible."""
    again, read = read_rows(work, RowLimit(body.most_rows))
    settled = repaired_rows(work, read)
    chosen = _chosen(work, body)
    taken, refused = _taken(work, read, chosen, {each.id: each for each in body.mended}, settled)
    return GatheredRows(again, read, chosen, taken, refused, settled)


def repaired_rows(work: ReadWork, read: ReadRows) -> dict[PlaceRead, Element]:
    """Return the rows that repairs have restored, as corrected."""
    return {
        (each.late.input, each.late.lane, each.late.position): _element(work, read, each.late, each.mended)
        for each in work.settled
        if each.late.input in work.inputs
    }


def _chosen(work: ReadWork, body: ReplayBody) -> ChosenRows:
    if body.ids is not None:
        found = ((each, committed_row(Path(work.folder), "late", each)) for each in dict.fromkeys(body.ids))
        return ChosenRows({row_id: late_of(row) for row_id, row in found if row is not None}, more=False)
    run = None if body.run is None else str(body.run)
    fitting = (row for row in quarantine_of(work) if run in (None, row["_run"]) and body.fits(row))
    rows = list(itertools.islice(fitting, MOST_CHOSEN + 1))
    return ChosenRows({row["_id"]: late_of(row) for row in rows[:MOST_CHOSEN]}, more=len(rows) > MOST_CHOSEN)


def _taken(
    work: ReadWork,
    read: ReadRows,
    chosen: ChosenRows,
    corrected: Mapping[str, MendedRow],
    settled: Container[PlaceRead],
) -> tuple[dict[PlaceRead, tuple[str, Element]], dict[str, str]]:
    """Return each usable chosen row by its place, with its id; and the reasons for the others, by id."""
    taken: dict[PlaceRead, tuple[str, Element]] = {}
    refused: dict[str, str] = {}
    for row_id, late in chosen.rows.items():
        place = (late.input, late.lane, late.position)
        if late.input not in work.inputs:
            refused[row_id] = STRANGER
        elif late.position >= work.positions.get(late.input, {}).get(late.lane, 0):
            refused[row_id] = TOO_NEW if work.runs else FAILED_BEFORE
        elif place in settled:
            refused[row_id] = REPAIRED
        elif place in taken:
            refused[row_id] = f"it is the row {taken[place][0]}, which was read twice, and counts once"
        elif (unfit := _unfit(work, late, corrected.get(row_id))) is not None:
            refused[row_id] = unfit
        else:
            taken[place] = (row_id, _element(work, read, late, corrected.get(row_id)))
    return taken, refused


def _unfit(work: ReadWork, late: LateEvent, given: MendedRow | None) -> str | None:
    """Return the error of an unreadable field in the correction `given`; None if all are readable."""
    if given is None:
        return None
    return corrected_row_error(work.inputs[late.input].stream, given.start, given.end, given.payload)


def _element(work: ReadWork, read: ReadRows, late: LateEvent, given: MendedRow | None) -> Element:
    """Return a row of quarantine as corrected by `given`, else as read again, or as stored."""
    stream = work.inputs[late.input].stream
    if given is not None:
        return corrected_row(late, stream, given.start, given.end, given.payload)
    return read.elements.get((late.input, late.lane, late.position)) or as_kept(late, stream)


def _to_response(
    work: ReadWork, gathered: GatheredRows, refused: Mapping[str, str], result: ReplayedResult
) -> ReplayResponse:
    again, chosen = gathered.again, gathered.chosen
    marks = {"same": 0, "changed": 0, "only_here": 0, "missing": 0}
    for each in result.rows:
        marks[each.mark] += 1
    others = sorted((each for each in result.rows if each.mark != "same"), key=lambda row: (row.output, row.start))
    notes = list(result.notes)
    if chosen.more:
        notes.append(f"More rows are chosen; only the newest {MOST_CHOSEN:,} of them are used.")
    rows = [_row(work, again.begin, each) for each in others[:MOST_SHOWN]]
    if not all(each.whole for each in rows) and (carried := work.note_for(again.begin)):
        notes.append(carried)
    return ReplayResponse(
        chosen=len(chosen.rows),
        ids=list(chosen.rows),
        counted=len(chosen.rows) - len(refused),
        not_counted=not_counted_rows(chosen, refused),
        rows=rows,
        rows_left_out=max(len(others) - MOST_SHOWN, 0),
        marks=marks,
        read_again=len(again.found),
        whole_from=dict(again.begin.whole),
        notes=notes,
    )


def not_counted_rows(chosen: ChosenRows, refused: Mapping[str, str]) -> list[RowNotCounted]:
    """Return the refused rows among the chosen ones, each with the reason."""
    return [
        RowNotCounted(id=row_id, input=late.input, lane=late.lane, position=late.position, start=late.start, why=why)
        for row_id, why in refused.items()
        for late in (chosen.rows[row_id],)
    ]


def _row(work: ReadWork, begin: BeginChoice, row: ComparedRow) -> ReplayedRow:
    until = work.given_until.get(row.output)
    whole = begin.whole.get(row.output, row.start)
    fields = {
        **row.model_dump(),
        "final": work.ended or (row.end is not None and until is not None and row.end <= until),
    }
    if whole is not None and row.start >= whole:
        return ReplayedRow(**fields, whole=True)
    groups = {
        name
        for node in work.graph.nodes
        if isinstance(node, WindowNode | TopKNode | MatchRecognizeNode)
        for name in node.group_by
    }
    for name in ("payload", "today_payload"):
        if fields[name] is not None:
            fields[name] = {key: value for key, value in fields[name].items() if key in groups}
    return ReplayedRow(**fields, whole=False)
