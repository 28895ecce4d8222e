"""Replay of what a binding has read: once as it was judged, and once with quarantined rows as if in time.

No clock runs again: the quarantine has the outcome of every late row, and all others were in time. An operator is a
function of the set of its events, so the order between lanes, which is not recorded, does not matter. The CTI that a
late row met is sent to its lane just before it. One thing is unknown for late rows that were kept on several lanes or
inputs: which of their windows had closed. Such rows count in every window (`KEPT_SOMEWHERE`).
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.validity import checked_graph
from streaming.reference.executor import ReferenceRun
from streaming.reference.explain import absence
from streaming.reference.flow import ElementId
from streaming.simulator.comparing import ComparedRow, NetResult, compare_rows
from streaming.temporal.events import Cti, EdgeKind, Event, Shape
from streaming.temporal.outcomes import QUARANTINED, Outcome, Reason
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import Tick
from streaming.wire.execution.case import EndMode
from streaming.wire.messages import LateEvent
from streaming.wire.rows.row_json import Element, MalformedRow

PlaceRead = tuple[str, str, int]
"""The place of a row: its input node, its lane, its position in the lane."""
NOTHING: Final = MalformedRow(Reason.BAD_ROW)
"""Placeholder for a row that does not count, so that the same rows have the same ids in both runs."""
KEPT_SOMEWHERE: Final = (
    "Late rows that were kept count in all their windows, both today and with this repair. Which of these windows had "
    "closed depends on several lanes or inputs, and that is not recorded."
)
OPEN_EDGES: Final = (
    "Edges without an end count up to the latest time of the rows that were read, both today and with this repair. "
    "Their later windows may differ from those that the binding emitted."
)
NONE_SETTLED: Final[Mapping[PlaceRead, Element]] = {}
_MOVED: Final = frozenset({Outcome.ADJUSTED, Outcome.SHIFTED, Outcome.LATE_KEPT})


@dataclass(frozen=True)
class ReplayedQuery:
    """A valid query; by input node the stream that it reads, and its settings in force."""

    graph: QueryGraph
    streams: Mapping[str, StreamDefinition]
    advance: Mapping[str, AdvanceTime]


@dataclass(frozen=True)
class ReadRows:
    """The recorded input: the rows that were read again, and which were late or malformed, and how.

    Nothing is known of a row that is in neither; a row in `judged` only was not read again.
    """

    elements: Mapping[PlaceRead, Element]
    judged: Mapping[PlaceRead, LateEvent]


@dataclass(frozen=True)
class ReplayedResult:
    """Every row of the result compared with today's; and why some of the chosen rows still do not count, in words."""

    rows: Sequence[ComparedRow]
    not_counted: Mapping[PlaceRead, str]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One row as `standing` (today) and as `replayed`, at `place`; `met` is the CTI of its lane before it."""

    place: PlaceRead
    standing: Element
    replayed: Element
    met: Tick | None = None


def replay(
    query: ReplayedQuery,
    read: ReadRows,
    chosen: Mapping[PlaceRead, Element],
    settled: Mapping[PlaceRead, Element] = NONE_SETTLED,
) -> ReplayedResult:
    """Run `query` to its end without and with the `chosen` rows, which may be corrected. Raises `InvalidDefinition`.

    Rows that a repair has `settled` count in both runs as given there; none of them is chosen.
    """
    by_node = by_input(query, {place[:2] for place in (*read.elements, *chosen, *settled)})
    steps = list(steps_of(by_node, read, chosen, settled))
    today = run_of(by_node, steps, replayed=False)
    found = run_of(by_node, steps, replayed=True)
    places = identities_of(steps)
    counted = {source for row in found.outputs for source in row.flow.sources}
    absent = {place: identity for place in chosen if (identity := places[place]) not in counted}
    why = {
        place: absence(identity, found.trace, AdvanceTime()).sentence.partition(": ")[2]
        for place, identity in absent.items()
    }
    rows = compare_rows(_net(by_node, found), _net(by_node, today))
    return ReplayedResult(_without_pairs(rows), why, _notes(by_node, read, [today, found]))


def by_input(query: ReplayedQuery, lanes: Collection[tuple[str, ...]]) -> ReplayedQuery:
    """Return the query with a separate stream for each input, with exactly the lanes that were read, and no clock."""
    nodes = tuple(
        node.model_copy(update={"stream": node.id}) if isinstance(node, InputNode) else node
        for node in query.graph.nodes
    )
    streams = {}
    settings = {}
    for name, stream in query.streams.items():
        own = sorted(lane for node, lane in lanes if node == name)
        streams[name] = stream.model_copy(update={"lanes": own or None})
        advance = query.advance[name]
        settings[name] = AdvanceTime(late=advance.late, late_end=advance.late_end, default_grace=advance.default_grace)
    return ReplayedQuery(query.graph.model_copy(update={"nodes": nodes}), streams, settings)


def steps_of(
    query: ReplayedQuery,
    read: ReadRows,
    chosen: Mapping[PlaceRead, Element],
    settled: Mapping[PlaceRead, Element] = NONE_SETTLED,
) -> Iterator[ReplayStep]:
    """Yield lane by lane: the settled and chosen rows first, then the others in their order."""
    every = sorted({*read.elements, *chosen, *settled})
    for node, lane in sorted({place[:2] for place in every}):
        own = [place for place in every if place[:2] == (node, lane)]
        opened = query.streams[node].shape is Shape.EDGE
        taken = {place for place in own if place in chosen or place in settled}
        first = [place for place in own if place in taken or (opened and _is_start_in_time(place, read))]
        for place in first:
            element = settled.get(place) or read.elements.get(place, NOTHING)
            yield ReplayStep(place, NOTHING, chosen[place]) if place in chosen else ReplayStep(place, element, element)
        in_front = set(first) - set(chosen)
        rest = [place for place in own if place in read.elements and place not in in_front]
        yield from _in_their_order(rest, read, chosen)


def _is_start_in_time(place: PlaceRead, read: ReadRows) -> bool:
    """Return true for a start that was in time: it precedes the chosen rows that may end its edge."""
    element = read.elements.get(place)
    return isinstance(element, Event) and element.edge is EdgeKind.START and place not in read.judged


def _in_their_order(
    places: Sequence[PlaceRead], read: ReadRows, chosen: Mapping[PlaceRead, Element]
) -> Iterator[ReplayStep]:
    """Yield the rows that were in time, then, by the CTI that they met, those that a policy changed.

    Rows of one lane met rising CTIs. If keys have separate clocks, another key's row would meet these CTIs too, so all
    rows that were in time go first. Edges keep their order, because ends follow their starts.
    """
    late = [place for place in places if was_moved(place, read)]
    ordered = places
    if not any(isinstance(each := read.elements[place], Event) and each.edge is not None for place in places):
        met = {place: read.judged[place].cti or 0 for place in late}
        ordered = [*(place for place in places if place not in met), *sorted(late, key=met.__getitem__)]
    for place in ordered:
        element, judged = read.elements[place], read.judged.get(place)
        if not isinstance(element, Event) or (judged is not None and _counts_nowhere(judged)):
            continue
        cti = judged.cti if judged is not None and was_moved(place, read) else None
        yield ReplayStep(place, element, NOTHING if place in chosen else element, None if cti is None else Tick(cti))


def was_moved(place: PlaceRead, read: ReadRows) -> bool:
    """Return true if a policy let the row count although it was late."""
    judged = read.judged.get(place)
    return judged is not None and judged.outcome in _MOVED


def _counts_nowhere(judged: LateEvent) -> bool:
    """Return true if the row is in no result.

    The end of a dropped start is an orphan as long as that start does not count.
    """
    return judged.outcome in QUARANTINED and judged.reason != Reason.START_DROPPED


def run_of(query: ReplayedQuery, steps: Sequence[ReplayStep], *, replayed: bool) -> ReferenceRun:
    """Run `query` over `steps` to its end, with the replayed rows or with the standing ones."""
    run = fed_run(query, steps, replayed=replayed)
    run.end(EndMode.FLUSH)
    return run


def fed_run(
    query: ReplayedQuery,
    steps: Sequence[ReplayStep],
    *,
    replayed: bool,
    prepare: Callable[[ReferenceRun], None] | None = None,
) -> ReferenceRun:
    """Run the same steps without ending the inputs: the only CTIs are those that late rows met.

    `prepare` receives the run before its first row.
    """
    run = ReferenceRun(query.graph, query.streams, query.advance)
    if prepare is not None:
        prepare(run)
    for step in steps:
        node, lane, _ = step.place
        if step.met is not None:
            run.take(node, lane, Cti(step.met))
        run.take(node, lane, step.replayed if replayed else step.standing)
    return run


def identities_of(steps: Sequence[ReplayStep]) -> dict[PlaceRead, ElementId]:
    """Return the id under which the run first took each place: chosen rows precede the others of their place."""
    found: dict[PlaceRead, ElementId] = {}
    taken: dict[tuple[str, str], int] = {}
    for step in steps:
        node, lane, _ = step.place
        at = taken.get((node, lane), 0) + (step.met is not None)
        found.setdefault(step.place, ElementId(node, lane, at))
        taken[node, lane] = at + 1
    return found


def _net(query: ReplayedQuery, run: ReferenceRun) -> NetResult:
    checked = checked_graph(query.graph, query.streams, query.advance)
    return NetResult({(row.output, row.flow.id): row.flow for row in run.outputs}, checked.schemas, {})


def _without_pairs(rows: Sequence[ComparedRow]) -> list[ComparedRow]:
    """Mark a missing row and an equal new row with another name as the same."""
    gone: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        if row.mark == "missing":
            gone.setdefault(_content(row), []).append(number)
    found = list(rows)
    paired: set[int] = set()
    for number, row in enumerate(rows):
        waiting = gone.get(_content(row)) if row.mark == "only_here" else None
        if waiting:
            paired.add(waiting.pop())
            found[number] = row.model_copy(update={"mark": "same"})
    return [row for number, row in enumerate(found) if number not in paired]


def _content(row: ComparedRow) -> str:
    return row.model_copy(update={"mark": "same"}).model_dump_json()


def _notes(query: ReplayedQuery, read: ReadRows, runs: Sequence[ReferenceRun]) -> list[str]:
    kept = any(_outcome(place, read) == Outcome.LATE_KEPT for place in read.elements)
    many = len(query.streams) > 1 or any(len(stream.lanes or ()) > 1 for stream in query.streams.values())
    notes = [KEPT_SOMEWHERE] if kept and many else []
    return [*notes, OPEN_EDGES] if any(feed.open_edges for run in runs for feed in run.feeds.values()) else notes


def _outcome(place: PlaceRead, read: ReadRows) -> str | None:
    judged = read.judged.get(place)
    return None if judged is None else judged.outcome
