"""A repair in a limited process: the input is read again, and the corrected rows are computed. Nothing is written.

The server of limited processes imports this module, so it must import nothing that starts threads.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from streaming.definition.faults import Fault, FaultCode
from streaming.definition.release import Release, releases
from streaming.simulator.comparing import ComparedRow
from streaming.simulator.replay.repairing import corrected, reason_to_wait, reasons_against, result_words
from streaming.simulator.replay.replaying import KEPT_SOMEWHERE, PlaceRead
from streaming.storage.results import committed_rows
from webapp.core.errors import Faulty, fault
from webapp.core.limited.jobs import MIB, Limits, limited
from webapp.samples.read_back import PAGE, ReadWork, RepairedLateRow
from webapp.samples.replay_bodies import MOST_CHOSEN, ReplayBody, RowNotCounted
from webapp.samples.replay_job import FEWER, GatheredRows, gather, not_counted_rows

LIMITS: Final = Limits(cpu_s=80, wall_s=100, memory_bytes=1024 * MIB, at_once=1)
CANNOT: Final = "These results cannot be repaired: {why}."
OTHERWISE: Final = "See in a replay what they change, and start the binding from the beginning, or increase its delay."
KEPT_LATE: Final = (
    "The input contains late rows that were kept, on several lanes or inputs. It is unknown which of their windows had "
    "closed, so the present results cannot be computed."
)
NOT_WHOLE: Final = "{result} includes rows from before the part that is read again, so its values are unknown."
READ_MORE: Final = "Allow more rows to be read again, or choose rows of later results."
LATER: Final = "Choose rows of later results."
OTHER_RESULT: Final = (
    "{result}, as computed from the present input, is not among the stored results: it was deleted or incomplete, "
    "or the input is not the one that the binding has read."
)
LEAVE_IT: Final = "Choose rows of other results."
MORE_CHOSEN: Final = f"A repair can use at most {MOST_CHOSEN:,} rows at once, and more are chosen."
IN_PARTS: Final = "Choose fewer, for example of a shorter time or of one lane, then repair again for the others."
NO_CHANGE: Final = "These rows would change no result."
SEE_WHY: Final = "Use a replay: it explains for each row why it does not count."


@dataclass(frozen=True)
class RepairedRow:
    """A row of quarantine that the repair restores: its id there, and the row."""

    id: str
    row: RepairedLateRow


@dataclass(frozen=True)
class PreparedRepair:
    """The corrected rows as they are stored, and their origin.

    `marks` counts the changed rows of the result; `replaced` are the ids of the rows that are retracted; `not_taken`
    the chosen rows that stay in quarantine.
    """

    rows: list[dict[str, Any]]
    replaced: list[str]
    taken: list[RepairedRow]
    not_taken: list[RowNotCounted]
    marks: dict[str, int]


@dataclass(frozen=True)
class RepairOutcome:
    """The repair, or the errors that prevent it."""

    prepared: PreparedRepair | None = None
    faults: list[Fault] = field(default_factory=list)


@limited("This repair", FEWER, LIMITS, opens_secrets=True)
def prepare_repair(work: ReadWork, body: ReplayBody, repair: str) -> RepairOutcome:
    """Return the rows that the repair with the id `repair` emits; nothing is written."""
    edges = frozenset(name for name, each in work.inputs.items() if each.stream.shape == "edge")
    found = releases(work.graph, {}, edges)
    reasons = reasons_against(work.graph, edges, found)
    if reasons:
        message = CANNOT.format(why="; ".join(reasons))
        return RepairOutcome(None, [fault(FaultCode.BAD_SHAPE, message, OTHERWISE)])
    try:
        gathered = gather(work, body)
    except Faulty as faulty:
        return RepairOutcome(None, faulty.faults)
    if gathered.chosen.more:
        return RepairOutcome(None, [fault(FaultCode.BAD_SHAPE, MORE_CHOSEN, IN_PARTS)])
    return _prepared(work, _ripe(work, gathered, found), body, repair)


def _ripe(work: ReadWork, gathered: GatheredRows, found: Mapping[str, Release]) -> GatheredRows:
    """Return `gathered` without the rows that cannot be restored yet, with the reasons."""
    refused = dict(gathered.refused)
    taken = {}
    for place, (row_id, element) in gathered.taken.items():
        why = reason_to_wait(gathered.chosen.rows[row_id], element, found, None if work.ended else work.given_until)
        if why is None:
            taken[place] = (row_id, element)
        else:
            refused[row_id] = why
    return replace(gathered, taken=taken, refused=refused)


def _prepared(work: ReadWork, gathered: GatheredRows, body: ReplayBody, repair: str) -> RepairOutcome:
    result = gathered.replayed(work) if gathered.taken else None
    absent: Mapping[PlaceRead, str] = {} if result is None else result.not_counted
    if result is not None and absent:
        result = gathered.replayed(work, without=absent)  # rows that count nowhere stay in quarantine
    if result is not None and KEPT_SOMEWHERE in result.notes:
        return RepairOutcome(None, [fault(FaultCode.BAD_SHAPE, KEPT_LATE, OTHERWISE)])
    changes = [] if result is None else [row for row in result.rows if row.mark != "same"]
    refused = {**gathered.refused, **{gathered.taken[place][0]: why for place, why in absent.items()}}
    if not changes:
        whys = "".join(f" {why[:1].upper()}{why[1:].rstrip('.')}." for why in dict.fromkeys(refused.values()))
        return RepairOutcome(None, [fault(FaultCode.EMPTY_SAMPLE, f"{NO_CHANGE}{whys}", SEE_WHY)])
    partial = next((row for row in changes if not _is_whole(gathered, row)), None)
    if partial is not None:
        carried = work.note_for(gathered.again.begin)
        return _of_row(f"{NOT_WHOLE} {carried}" if carried else NOT_WHOLE, partial, LATER if carried else READ_MORE)
    given = corrected(changes, _stored(work, gathered.again.begin.batch), repair)
    if given.lacking is not None:
        return _of_row(OTHER_RESULT, given.lacking, LEAVE_IT)
    corrections = {each.id: each for each in body.mended}
    taken = [
        RepairedRow(row_id, RepairedLateRow(gathered.chosen.rows[row_id], corrections.get(row_id)))
        for place, (row_id, _) in gathered.taken.items()
        if place not in absent
    ]
    marks = {mark: sum(row.mark == mark for row in changes) for mark in ("changed", "only_here", "missing")}
    not_taken = not_counted_rows(gathered.chosen, refused)
    return RepairOutcome(PreparedRepair(list(given.rows), list(given.replaced), taken, not_taken, marks))


def _of_row(sentence: str, row: ComparedRow, remedy: str) -> RepairOutcome:
    message = sentence.format(result=result_words(row))
    return RepairOutcome(None, [fault(FaultCode.BAD_SHAPE, message, remedy)])


def _is_whole(gathered: GatheredRows, row: ComparedRow) -> bool:
    """Return whether everything that belongs to the row, before and after the repair, was read again."""
    whole = gathered.again.begin.whole
    if row.output not in whole:
        return True
    since = whole[row.output]
    starts = [row.start] if row.today_start is None else [row.start, row.today_start]
    return since is not None and min(starts) >= since


def _stored(work: ReadWork, after: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the results of batches after `after`, newest first: complete rows were emitted after it."""
    before: str | None = None
    while True:
        page = committed_rows(Path(work.results), "results", PAGE, before)
        for row in page.rows:
            if int(row["_id"].partition("-")[0]) <= after:
                return
            yield row["_id"], row
        before = page.next
        if before is None:
            return
