"""A binding's input read again in a limited process: the possible start points, and the past outcomes of its rows.

The server of limited processes imports this module, so it must import nothing that starts threads.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from streaming.adapters.contract import AdapterError, InputAdapter, ReplayingAdapter
from streaming.definition.checks.advance import to_temporal
from streaming.definition.counts import counted
from streaming.definition.faults import FaultCode
from streaming.definition.graph import QueryGraph
from streaming.resume.restart_points import Positions
from streaming.simulator.origins.mattering import EVERY_TIME, MatteringTimes
from streaming.simulator.replay.replaying import PlaceRead, ReadRows, ReplayedQuery
from streaming.simulator.replay.rows import first_other
from streaming.storage.results import committed_rows
from streaming.wire.messages import InputSpec, LateEvent
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import Element
from webapp.core.errors import Faulty, fault
from webapp.runs.inputs.input_journals import journal_of
from webapp.samples.replay_bodies import MendedRow
from webapp.streams.adapters import adapter_fault, build, now_ticks

PAGE: Final = 500
NOT_AGAIN: Final = (
    "The binding's input cannot be read again: no point where reading can start is both within {most} of its present "
    "position and still available."
)
NOT_THERE: Final = (
    "The binding's input cannot be read again: its start is unknown, or its inputs no longer have the rows."
)
MOST_HELD: Final = 100_000
"""Most rows in memory at once, about 100 MB."""
MORE_ROWS: Final = "Allow more rows to be read again, or try the rows in the simulator."
OTHER_ROWS: Final = (
    "The input {input!r} has other rows than the binding has read: row {position} of lane {lane} starts at another "
    "time. The input has changed since then, or its files are in another order."
)
TRY_THERE: Final = "Try the rows in the simulator, which needs no other rows."


@dataclass(frozen=True)
class BeginChoice:
    """A point where a binding's input may be read again: after `batch` (-1: from the start of its inputs).

    `whole`, by output: the time from which on its rows are complete (None: unknown); an absent output is complete.
    `clocks`, by input and lane, are as in restart points (None: not in this one). `fresh`: unless they are there, a run
    started here with new clocks.
    """

    batch: int
    positions: Positions
    whole: Mapping[str, int | None]
    clocks: Mapping[str, Mapping[str, Mapping[str, Any] | None]] = field(default_factory=dict)
    fresh: bool = False


@dataclass(frozen=True)
class RepairedLateRow:
    """A row of quarantine that a repair has restored, and its correction, if any."""

    late: LateEvent
    mended: MendedRow | None


@dataclass(frozen=True)
class ReadWork:
    """The input of the job, and the points where the binding's input can be read again, oldest first.

    `batch` and `positions` are where the binding has read to. `given_until` is the time up to which each output was
    complete. `folder` is that of its quarantine, `journals` that of its journals (`journals_folder`). `ended`: all
    inputs have ended, which has closed all windows. `settled` are the rows of its quarantine that repairs have restored
    into its results, which are in `results`. `carried` explains the consequences of a start with another version's
    state, "" without one. `runs`: its run has not ended, so its last rows will soon be covered by a restart point.
    `of_runs` are the runs whose quarantine counts: earlier ones may have judged the same rows in another way.
    """

    graph: QueryGraph
    inputs: Mapping[str, InputSpec]
    batch: int
    positions: Positions
    begins: Sequence[BeginChoice]
    given_until: Mapping[str, int | None]
    folder: str
    journals: str
    ended: bool = False
    settled: Sequence[RepairedLateRow] = ()
    results: str = ""
    carried: str = ""
    runs: bool = True
    of_runs: frozenset[str] = frozenset()

    def note_for(self, begin: BeginChoice) -> str:
        """Return the note for reading everything from `begin` on, if something is still missing."""
        return self.carried if self.begins and begin == self.begins[0] else ""


@dataclass(frozen=True)
class RowsAgain:
    """The rows read again, by place, and their start: `count` rows; `found` has all of them, or those that matter."""

    begin: BeginChoice
    found: Mapping[PlaceRead, Element]
    count: int

    @property
    def whole(self) -> bool:
        """Return whether all rows are there."""
        return len(self.found) == self.count


@dataclass(frozen=True)
class RowLimit:
    """The limit of rows to read (None: no limit); above `MOST_HELD` rows only those that `matter` are kept."""

    most: int | None
    matter: MatteringTimes = EVERY_TIME


def read_rows(work: ReadWork, limit: RowLimit) -> tuple[RowsAgain, ReadRows]:
    """Return the rows read again, and their outcomes. Raises `Faulty` with the reason if that is impossible."""
    try:
        again = _again(work, _adapters(work), limit)
    except AdapterError as error:
        raise Faulty([adapter_fault(f"The binding's input cannot be read again. {error}")]) from None
    if again is None:
        message, remedy = NOT_THERE, TRY_THERE
        if limit.most is not None:
            message, remedy = NOT_AGAIN.format(most=counted(limit.most, "row")), MORE_ROWS
        if work.carried:
            more = any(begin.positions != work.positions for begin in work.begins)  # else nothing was read since then
            message, remedy = (f"{message} {work.carried}", MORE_ROWS) if more else (work.carried, TRY_THERE)
        raise Faulty([fault(FaultCode.EMPTY_SAMPLE, message, remedy)])
    judged = judged_between(work, again.begin)
    other = first_other(again.found, judged)
    if other is not None:
        message = OTHER_ROWS.format(input=other.input, lane=other.lane, position=other.position)
        raise Faulty([fault(FaultCode.BAD_ADAPTER, message, TRY_THERE)])
    return again, ReadRows(again.found, judged)


def query_of(work: ReadWork) -> ReplayedQuery:
    """Return the binding's query, with its settings in force."""
    streams = {name: each.stream for name, each in work.inputs.items()}
    advance = {name: to_temporal(each.stream.advance, each.advance) for name, each in work.inputs.items()}
    return ReplayedQuery(work.graph, streams, advance)


def _adapters(work: ReadWork) -> dict[str, InputAdapter]:
    """Return the adapters by input, each with the runner's journal if it is here."""
    return {
        name: build(each.stream, each.adapter, journal_of(work.journals, name)) for name, each in work.inputs.items()
    }


def _again(work: ReadWork, adapters: Mapping[str, InputAdapter], limit: RowLimit) -> RowsAgain | None:
    """Return the rows from the earliest point within the limit from which all rows are still available.

    Raises `AdapterError` if no point is readable and an adapter gives a reason.
    """
    refusal: AdapterError | None = None
    for begin in work.begins:
        spans = list(_spans(work, begin))
        rows = sum(end - start for _, _, start, end in spans)
        if rows == 0 or (limit.most is not None and rows > limit.most):
            continue
        try:
            if begin.batch < 0 and not begin.positions and not _begins_at_zero(work):
                continue
            found, count = _read(work, begin, adapters, limit.matter if rows > MOST_HELD else EVERY_TIME)
            if all(_holds(adapters[name], lane, start, end) for name, lane, start, end in spans):
                return RowsAgain(begin, found, count)
        except AdapterError as error:
            refusal = error
    if refusal is not None:
        raise refusal
    return None


def _begins_at_zero(work: ReadWork) -> bool:
    """Return whether all lanes start at 0; those of a broker with a start time do not.

    Uses adapters without a journal, because `latest` may write one.
    """
    now = now_ticks()
    adapters = (build(each.stream, each.adapter) for each in work.inputs.values())
    return not any(at for each in adapters for at in each.latest({}, now=now, limit_rows=0).values())


def _holds(adapter: InputAdapter, lane: str, start: int, end: int) -> bool:
    """Return whether all rows were there. Call it after reading: without a journal adapters know only read rows."""
    return not isinstance(adapter, ReplayingAdapter) or adapter.holds(lane, start, end)


def _spans(work: ReadWork, begin: BeginChoice) -> Iterator[tuple[str, str, int, int]]:
    for name, lanes in work.positions.items():
        for lane, end in lanes.items():
            yield name, lane, min(begin.positions.get(name, {}).get(lane, 0), end), end


def _read(
    work: ReadWork, begin: BeginChoice, adapters: Mapping[str, InputAdapter], matter: MatteringTimes
) -> tuple[dict[PlaceRead, Element], int]:
    """Return the rows since `begin` that matter, or were late or malformed, and the number of all rows."""
    found: dict[PlaceRead, Element] = {}
    count = 0
    judged = {} if matter is EVERY_TIME else judged_between(work, begin)
    for name, lane, start, end in _spans(work, begin):
        for arrived in adapters[name].read(lane, start, end):
            for position, element in zip(arrived.positions.tolist(), elements(arrived), strict=True):
                count += 1
                place = (name, lane, position)
                if matter.holds(element) or place in judged:
                    found[place] = element
    return found, count


def quarantine_of(work: ReadWork) -> Iterator[dict[str, Any]]:
    """Yield all rows of the quarantine of `work.of_runs`, newest first, and those of unknown runs."""
    before: str | None = None
    while True:
        page = committed_rows(Path(work.folder), "late", PAGE, before)
        yield from (row for row in page.rows if not work.of_runs or row["_run"] is None or row["_run"] in work.of_runs)
        before = page.next
        if before is None:
            return


def judged_between(work: ReadWork, begin: BeginChoice) -> dict[PlaceRead, LateEvent]:
    """Return the outcomes of late and malformed rows after `begin`; of a row that was read twice, the last one."""
    found: dict[PlaceRead, LateEvent] = {}
    for row in quarantine_of(work):
        batch = int(row["_id"].partition("-")[0])
        if batch <= begin.batch:
            break
        if batch <= work.batch:
            late = late_of(row)
            found.setdefault((late.input, late.lane, late.position), late)
    return found


def late_of(row: Mapping[str, Any]) -> LateEvent:
    """Return a row of quarantine without its id and its run."""
    return LateEvent.model_validate({name: value for name, value in row.items() if not name.startswith("_")})
