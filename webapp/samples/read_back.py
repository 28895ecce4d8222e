"""What a binding has read, read again in a limited process: from where it can be, and how its rows were judged.

The module stands alone: the server of limited processes imports it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from streaming.adapters.contract import AdapterError, InputAdapter, ReplayingAdapter
from streaming.definition.advance import to_temporal
from streaming.definition.counts import counted
from streaming.definition.faults import FaultCode
from streaming.definition.graph import QueryGraph
from streaming.simulator.replay_rows import first_other
from streaming.simulator.replaying import PlaceRead, ReadRows, ReplayedQuery
from streaming.wire.arrived_rows import elements
from streaming.wire.kept import Positions
from streaming.wire.messages import InputSpec, LateEvent
from streaming.wire.results import committed_rows
from streaming.wire.rows import Element
from webapp.core.errors import Faulty, fault
from webapp.runs.inputs.input_journals import journal_of
from webapp.samples.replay_bodies import MendedRow
from webapp.streams.adapters import adapter_fault, build, now_ticks

PAGE: Final = 500
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


@dataclass(frozen=True)
class BeginChoice:
    """A place from which a binding may be read again: after `batch` (-1: from the beginning of its inputs).

    `whole`, by output: from when on its rows are whole then (None: not known); an output that is absent is whole.
    `clocks`, by input and lane, are as restart points keep them (None: this one does not).
    """

    batch: int
    positions: Positions
    whole: Mapping[str, int | None]
    clocks: Mapping[str, Mapping[str, Mapping[str, Any] | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class SettledRow:
    """A row of quarantine that a repair has taken back, and how it was mended, if it was."""

    late: LateEvent
    mended: MendedRow | None


@dataclass(frozen=True)
class ReadWork:
    """All that the job is given: what the binding runs, how far it came, from where it can be read again (oldest first)

    until when each output had given all, the folder of its quarantine, and that of its journals (`journals_folder`).
    `ended`: all inputs have come to their end, which has closed all windows.
    `settled` are the rows of its quarantine that repairs have taken back into its results, which are in `results`.
    `carried` says what it means that it began with the state of another version, "" where it did not.
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
    settled: Sequence[SettledRow] = ()
    results: str = ""
    carried: str = ""

    def said_of(self, begin: BeginChoice) -> str:
        """What is to be said where all that can be is read again, from `begin` on, and something is missing."""
        return self.carried if self.begins and begin == self.begins[0] else ""


@dataclass(frozen=True)
class RowsAgain:
    """What was read again, by place, and from where."""

    begin: BeginChoice
    found: Mapping[PlaceRead, Element]


def read_rows(work: ReadWork, most: int) -> tuple[RowsAgain, ReadRows]:
    """What was read again, at most `most` rows, and how it was judged. Raises `Faulty` with why it cannot be."""
    try:
        again = _again(work, _adapters(work), most)
    except AdapterError as error:
        raise Faulty([adapter_fault(f"What the binding has read cannot be read again. {error}")]) from None
    if again is None:
        message, remedy = NOT_AGAIN.format(most=counted(most, "row")), MORE_ROWS
        if work.carried:
            more = any(begin.positions != work.positions for begin in work.begins)  # else nothing was read since
            message, remedy = (f"{message} {work.carried}", MORE_ROWS) if more else (work.carried, TRY_THERE)
        raise Faulty([fault(FaultCode.EMPTY_SAMPLE, message, remedy)])
    judged = judged_between(work, again.begin)
    other = first_other(again.found, judged)
    if other is not None:
        message = OTHER_ROWS.format(input=other.input, lane=other.lane, position=other.position)
        raise Faulty([fault(FaultCode.BAD_ADAPTER, message, TRY_THERE)])
    return again, ReadRows(again.found, judged)


def query_of(work: ReadWork) -> ReplayedQuery:
    """What the binding runs, with its settings in force."""
    streams = {name: each.stream for name, each in work.inputs.items()}
    advance = {name: to_temporal(each.stream.advance, each.advance) for name, each in work.inputs.items()}
    return ReplayedQuery(work.graph, streams, advance)


def _adapters(work: ReadWork) -> dict[str, InputAdapter]:
    """The adapters by input, each over what the runner has journaled for it, where that is here."""
    return {
        name: build(each.stream, each.adapter, journal_of(work.journals, name)) for name, each in work.inputs.items()
    }


def _again(work: ReadWork, adapters: Mapping[str, InputAdapter], most: int) -> RowsAgain | None:
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


def _begins_at_zero(work: ReadWork) -> bool:
    """Whether all lanes begin at 0: those of a broker that was to be read from some time on do not.

    Adapters are asked that have no journal, for who is asked may write there.
    """
    now = now_ticks()
    adapters = (build(each.stream, each.adapter) for each in work.inputs.values())
    return not any(at for each in adapters for at in each.latest({}, now=now, limit_rows=0).values())


def _holds(adapter: InputAdapter, lane: str, start: int, end: int) -> bool:
    """Whether all rows were there. Asked after reading: without a journal an adapter knows only what it has read."""
    return not isinstance(adapter, ReplayingAdapter) or adapter.holds(lane, start, end)


def _spans(work: ReadWork, begin: BeginChoice) -> Iterator[tuple[str, str, int, int]]:
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


def quarantine_of(work: ReadWork) -> Iterator[dict[str, Any]]:
    """All rows of the quarantine, newest first."""
    before: str | None = None
    while True:
        page = committed_rows(Path(work.folder), "late", PAGE, before)
        yield from page.rows
        before = page.next
        if before is None:
            return


def judged_between(work: ReadWork, begin: BeginChoice) -> dict[PlaceRead, LateEvent]:
    """What became of late and malformed rows between both places; of a row that was read twice, the last time."""
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
    """A row of quarantine without its id and its run."""
    return LateEvent.model_validate({name: value for name, value in row.items() if not name.startswith("_")})
