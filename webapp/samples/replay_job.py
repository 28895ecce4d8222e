"""Replay of quarantine in a limited process: what was read is read again, and the query runs without and with rows.

The module stands alone: the server of limited processes imports it.
"""

import itertools
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from streaming.definition.faults import Fault
from streaming.definition.graph import TopKNode, WindowNode
from streaming.simulator.comparing import ComparedRow
from streaming.simulator.replay_rows import as_kept, mended
from streaming.simulator.replaying import PlaceRead, ReadRows, ReplayedResult, replay
from streaming.wire.messages import LateEvent
from streaming.wire.results import committed_row
from streaming.wire.rows import Element
from webapp.core.errors import Faulty
from webapp.core.limited.jobs import MIB, Limits, limited
from webapp.samples.read_back import BeginChoice, ReadWork, RowsAgain, late_of, quarantine_of, query_of, read_rows
from webapp.samples.replay_bodies import (
    MOST_CHOSEN,
    MOST_SHOWN,
    MendedRow,
    ReplayBody,
    ReplayedRow,
    ReplayShown,
    RowNotCounted,
)

LIMITS: Final = Limits(cpu_s=40, wall_s=50, memory_bytes=1024 * MIB, at_once=1)
FEWER: Final = "Let fewer rows be read again, or choose fewer rows."
TOO_NEW: Final = "it came after what is read again here; try again in a minute"
REPAIRED: Final = "a repair has taken it back into the results already"
STRANGER: Final = "the query has no input of that name any more"


@dataclass(frozen=True)
class ReplayGiven:
    """What would change, or the faults for which that cannot be said."""

    shown: ReplayShown | None = None
    faults: list[Fault] = field(default_factory=list)


@dataclass(frozen=True)
class ChosenRows:
    """The chosen rows of quarantine by id, newest first, and whether there were more."""

    rows: Mapping[str, LateEvent]
    more: bool


@dataclass(frozen=True)
class GatheredRows:
    """All that a replay needs: what was read again, and the chosen rows.

    `taken` has each chosen row that counts by its place, with its id; `refused` says by id why others do not; `settled`
    are those of earlier repairs.
    """

    again: RowsAgain
    read: ReadRows
    chosen: ChosenRows
    taken: Mapping[PlaceRead, tuple[str, Element]]
    refused: Mapping[str, str]
    settled: Mapping[PlaceRead, Element]

    def replayed(self, work: ReadWork, without: Container[PlaceRead] = ()) -> ReplayedResult:
        """Run the query without and with the rows that are taken, but for those of `without`."""
        rows = {place: element for place, (_, element) in self.taken.items() if place not in without}
        return replay(query_of(work), self.read, rows, self.settled)


@limited("This replay", FEWER, LIMITS, opens_secrets=True)
def what_would_change(work: ReadWork, body: ReplayBody) -> ReplayGiven:
    """Return which rows of the result would be other ones; nothing is written."""
    try:
        gathered = gather(work, body)
    except Faulty as faulty:
        return ReplayGiven(None, faulty.faults)
    result = gathered.replayed(work)
    refused = {**gathered.refused, **{gathered.taken[place][0]: why for place, why in result.not_counted.items()}}
    return ReplayGiven(_shown(work, gathered, refused, result))


def gather(work: ReadWork, body: ReplayBody) -> GatheredRows:
    """Read again what the binding has read, and take the chosen rows. Raises `Faulty` with why that cannot be done."""
    again, read = read_rows(work, body.most_rows)
    settled = repaired_rows(work, read)
    chosen = _chosen(work, body)
    taken, refused = _taken(work, read, chosen, {each.id: each for each in body.mended}, settled)
    return GatheredRows(again, read, chosen, taken, refused, settled)


def repaired_rows(work: ReadWork, read: ReadRows) -> dict[PlaceRead, Element]:
    """The rows that repairs have taken back, as they were mended."""
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
    """Each chosen row as it is taken, by its place, with its id; and why others are not, by id."""
    taken: dict[PlaceRead, tuple[str, Element]] = {}
    refused: dict[str, str] = {}
    for row_id, late in chosen.rows.items():
        place = (late.input, late.lane, late.position)
        if late.input not in work.inputs:
            refused[row_id] = STRANGER
        elif late.position >= work.positions.get(late.input, {}).get(late.lane, 0):
            refused[row_id] = TOO_NEW
        elif place in settled:
            refused[row_id] = REPAIRED
        elif place in taken:
            refused[row_id] = f"it is the row {taken[place][0]}, which was read twice, and counts once"
        else:
            taken[place] = (row_id, _element(work, read, late, corrected.get(row_id)))
    return taken, refused


def _element(work: ReadWork, read: ReadRows, late: LateEvent, given: MendedRow | None) -> Element:
    """A row of quarantine as it was `given`, else as it is read again, or kept."""
    stream = work.inputs[late.input].stream
    if given is not None:
        return mended(late, stream, given.start, given.end, given.payload)
    return read.elements.get((late.input, late.lane, late.position)) or as_kept(late, stream)


def _shown(work: ReadWork, gathered: GatheredRows, refused: Mapping[str, str], result: ReplayedResult) -> ReplayShown:
    again, chosen = gathered.again, gathered.chosen
    marks = {"same": 0, "changed": 0, "only_here": 0, "missing": 0}
    for each in result.rows:
        marks[each.mark] += 1
    others = sorted((each for each in result.rows if each.mark != "same"), key=lambda row: (row.output, row.start))
    notes = list(result.notes)
    if chosen.more:
        notes.append(f"More rows are chosen: the newest {MOST_CHOSEN:,} of them are taken here.")
    rows = [_row(work, again.begin, each) for each in others[:MOST_SHOWN]]
    if not all(each.whole for each in rows) and (carried := work.said_of(again.begin)):
        notes.append(carried)
    return ReplayShown(
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
    """The chosen rows that are refused, each with why."""
    return [
        RowNotCounted(id=row_id, input=late.input, lane=late.lane, position=late.position, start=late.start, why=why)
        for row_id, why in refused.items()
        for late in (chosen.rows[row_id],)
    ]


def _row(work: ReadWork, begin: BeginChoice, row: ComparedRow) -> ReplayedRow:
    until = work.given_until.get(row.output)
    whole = begin.whole.get(row.output, row.start)
    told = {**row.model_dump(), "final": work.ended or (row.end is not None and until is not None and row.end <= until)}
    if whole is not None and row.start >= whole:
        return ReplayedRow(**told, whole=True)
    groups = {name for node in work.graph.nodes if isinstance(node, WindowNode | TopKNode) for name in node.group_by}
    for name in ("payload", "today_payload"):
        if told[name] is not None:
            told[name] = {key: value for key, value in told[name].items() if key in groups}
    return ReplayedRow(**told, whole=False)
