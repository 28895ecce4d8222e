"""A repair in a limited process: what was read is read again, and the rows to give are computed. Nothing is written.

The module stands alone: the server of limited processes imports it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from streaming.definition.faults import Fault, FaultCode
from streaming.definition.release import Release, releases
from streaming.simulator.comparing import ComparedRow
from streaming.simulator.repairing import corrected, reason_to_wait, reasons_against, result_words
from streaming.simulator.replaying import KEPT_SOMEWHERE, PlaceRead
from streaming.wire.results import committed_rows
from webapp.core.errors import Faulty, fault
from webapp.core.limited.jobs import MIB, Limits, limited
from webapp.samples.read_back import PAGE, ReadWork, SettledRow
from webapp.samples.replay_bodies import MOST_CHOSEN, ReplayBody, RowNotCounted
from webapp.samples.replay_job import FEWER, GatheredRows, gather, not_counted_rows

LIMITS: Final = Limits(cpu_s=80, wall_s=100, memory_bytes=1024 * MIB, at_once=1)
CANNOT: Final = "Rows cannot be taken back into these results: {why}."
OTHERWISE: Final = "See what they would change, and start the binding again from the beginning, or let its clock wait."
KEPT_LATE: Final = (
    "Rows that were kept late are among what was read, on several lanes or inputs: which of their windows had closed "
    "is not known, and so not what stands."
)
NOT_WHOLE: Final = "{result} has rows that were read before what is read again here, so that its values are not known."
READ_MORE: Final = "Let more rows be read again, or choose rows of later results."
LATER: Final = "Choose rows of later results."
OTHER_RESULT: Final = (
    "{result} as the input gives it now is not among those that are kept: it was deleted, "
    "or was not whole, or the input is not what the binding has read."
)
LEAVE_IT: Final = "Choose rows of other results."
MORE_CHOSEN: Final = f"More rows are chosen than the {MOST_CHOSEN:,} that a repair takes at once."
IN_PARTS: Final = "Choose fewer, of a shorter time or of one lane, then repair again for the others."
NO_CHANGE: Final = "No result would be another one by these rows."
SEE_WHY: Final = "See what would change: it says of each row why it does not count."


@dataclass(frozen=True)
class RepairedRow:
    """A row of quarantine that is taken back: its id there, and the row."""

    id: str
    row: SettledRow


@dataclass(frozen=True)
class PreparedRepair:
    """The rows to give as they are stored, and what they are made of.

    `marks` counts the rows of the result that are others; `replaced` are the ids of those that are taken back;
    `not_taken` the chosen rows that stay in quarantine.
    """

    rows: list[dict[str, Any]]
    replaced: list[str]
    taken: list[RepairedRow]
    not_taken: list[RowNotCounted]
    marks: dict[str, int]


@dataclass(frozen=True)
class RepairGiven:
    """The repair, or the faults for which there is none."""

    prepared: PreparedRepair | None = None
    faults: list[Fault] = field(default_factory=list)


@limited("This repair", FEWER, LIMITS, opens_secrets=True)
def prepare_repair(work: ReadWork, body: ReplayBody, repair: str) -> RepairGiven:
    """Return the rows that the repair of the id `repair` gives; nothing is written."""
    edges = frozenset(name for name, each in work.inputs.items() if each.stream.shape == "edge")
    found = releases(work.graph, {}, edges)
    reasons = reasons_against(work.graph, edges, found)
    if reasons:
        message = CANNOT.format(why="; ".join(reasons))
        return RepairGiven(None, [fault(FaultCode.BAD_SHAPE, message, OTHERWISE)])
    try:
        gathered = gather(work, body)
    except Faulty as faulty:
        return RepairGiven(None, faulty.faults)
    if gathered.chosen.more:
        return RepairGiven(None, [fault(FaultCode.BAD_SHAPE, MORE_CHOSEN, IN_PARTS)])
    return _prepared(work, _ripe(work, gathered, found), body, repair)


def _ripe(work: ReadWork, gathered: GatheredRows, found: Mapping[str, Release]) -> GatheredRows:
    """Without the rows that cannot be taken back yet, and with why."""
    refused = dict(gathered.refused)
    taken = {}
    for place, (row_id, element) in gathered.taken.items():
        why = reason_to_wait(gathered.chosen.rows[row_id], element, found, None if work.ended else work.given_until)
        if why is None:
            taken[place] = (row_id, element)
        else:
            refused[row_id] = why
    return replace(gathered, taken=taken, refused=refused)


def _prepared(work: ReadWork, gathered: GatheredRows, body: ReplayBody, repair: str) -> RepairGiven:
    result = gathered.replayed(work) if gathered.taken else None
    absent: Mapping[PlaceRead, str] = {} if result is None else result.not_counted
    if result is not None and absent:
        result = gathered.replayed(work, without=absent)  # what counts nowhere is left where it is
    if result is not None and KEPT_SOMEWHERE in result.notes:
        return RepairGiven(None, [fault(FaultCode.BAD_SHAPE, KEPT_LATE, OTHERWISE)])
    changes = [] if result is None else [row for row in result.rows if row.mark != "same"]
    refused = {**gathered.refused, **{gathered.taken[place][0]: why for place, why in absent.items()}}
    if not changes:
        whys = "".join(f" {why[:1].upper()}{why[1:].rstrip('.')}." for why in dict.fromkeys(refused.values()))
        return RepairGiven(None, [fault(FaultCode.EMPTY_SAMPLE, f"{NO_CHANGE}{whys}", SEE_WHY)])
    partial = next((row for row in changes if not _is_whole(gathered, row)), None)
    if partial is not None:
        carried = work.said_of(gathered.again.begin)
        return _of_row(f"{NOT_WHOLE} {carried}" if carried else NOT_WHOLE, partial, LATER if carried else READ_MORE)
    given = corrected(changes, _stored(work, gathered.again.begin.batch), repair)
    if given.lacking is not None:
        return _of_row(OTHER_RESULT, given.lacking, LEAVE_IT)
    corrections = {each.id: each for each in body.mended}
    taken = [
        RepairedRow(row_id, SettledRow(gathered.chosen.rows[row_id], corrections.get(row_id)))
        for place, (row_id, _) in gathered.taken.items()
        if place not in absent
    ]
    marks = {mark: sum(row.mark == mark for row in changes) for mark in ("changed", "only_here", "missing")}
    not_taken = not_counted_rows(gathered.chosen, refused)
    return RepairGiven(PreparedRepair(list(given.rows), list(given.replaced), taken, not_taken, marks))


def _of_row(sentence: str, row: ComparedRow, remedy: str) -> RepairGiven:
    message = sentence.format(result=result_words(row))
    return RepairGiven(None, [fault(FaultCode.BAD_SHAPE, message, remedy)])


def _is_whole(gathered: GatheredRows, row: ComparedRow) -> bool:
    """Whether all that belongs to it, as it stands and as it would be, was read again."""
    whole = gathered.again.begin.whole
    if row.output not in whole:
        return True
    since = whole[row.output]
    starts = [row.start] if row.today_start is None else [row.start, row.today_start]
    return since is not None and min(starts) >= since


def _stored(work: ReadWork, after: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The results of batches after `after`, newest first: what is whole was given behind it."""
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
