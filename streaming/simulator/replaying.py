"""What a binding has read, once as it was judged and once with rows of its quarantine taken as if in time.

No clock is run again: what became of every late row is known from the quarantine, and all others were in time. An
operator is a function of the set of its events, so that the order between lanes, which nobody keeps, does not matter;
what a late row met is said to its lane just before it. Only of rows that were kept late, on several lanes or inputs,
it is not known which of their windows had closed: there they count in every window (`KEPT_SOMEWHERE`).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.planning.soundness import checked_graph
from streaming.reference.executor import ReferenceRun
from streaming.reference.explain import absence
from streaming.reference.flow import ElementId
from streaming.simulator.comparing import ComparedRow, NetResult, beside
from streaming.temporal.events import Cti, EdgeKind, Event, Shape
from streaming.temporal.outcomes import QUARANTINED, Outcome, Reason
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import Tick
from streaming.wire.case import EndMode
from streaming.wire.messages import LateEvent
from streaming.wire.rows import Element, MalformedRow

PlaceRead = tuple[str, str, int]
"""Where a row stands: its input node, its lane, its position in it."""
NOTHING: Final = MalformedRow(Reason.BAD_ROW)
"""Stands where a row does not count, so that the same rows have the same ids in both runs."""
KEPT_SOMEWHERE: Final = (
    "Rows that came late and were kept count here in all their windows, as it stands and as it would be: which of "
    "these had closed before hangs on several lanes or inputs, and that is not kept."
)
OPEN_EDGES: Final = (
    "Edges that have no end yet count, as it stands and as it would be, up to the latest time of the rows that were "
    "read; their windows after that may be other ones than the binding has given."
)
NONE_SETTLED: Final[Mapping[PlaceRead, Element]] = {}
_MOVED: Final = frozenset({Outcome.ADJUSTED, Outcome.SHIFTED, Outcome.LATE_KEPT})


@dataclass(frozen=True)
class ReplayedQuery:
    """A sound query; by input node the stream that it reads, and its settings in force."""

    graph: QueryGraph
    streams: Mapping[str, StreamDefinition]
    advance: Mapping[str, AdvanceTime]


@dataclass(frozen=True)
class ReadRows:
    """What is known of the input: the rows that were read again, and which of these were late or malformed, and how.

    Of a row that is in neither nothing is known; one in `judged` alone is not read again.
    """

    elements: Mapping[PlaceRead, Element]
    judged: Mapping[PlaceRead, LateEvent]


@dataclass(frozen=True)
class ReplayedResult:
    """Every row of the result beside what it is today; of the chosen rows that still do not count, why, in words."""

    rows: Sequence[ComparedRow]
    not_counted: Mapping[PlaceRead, str]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One row as it stands and as it would be, at `place`; `met` is the CTI of its lane before it."""

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
    """Run `query` to its end without and with the `chosen` rows, which may be mended. Raises `Unsound`.

    Rows that were `settled` by a repair count as these say both times; none of them is chosen.
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
    rows = beside(_net(by_node, found), _net(by_node, today))
    return ReplayedResult(_without_pairs(rows), why, _notes(by_node, read, steps))


def by_input(query: ReplayedQuery, lanes: Collection[tuple[str, ...]]) -> ReplayedQuery:
    """The query with a stream of its own for each input, with exactly the lanes that were read, and without a clock."""
    nodes = tuple(
        node.model_copy(update={"stream": node.id}) if isinstance(node, InputNode) else node
        for node in query.graph.nodes
    )
    streams = {}
    settings = {}
    for name, stream in query.streams.items():
        own = sorted(lane for node, lane in lanes if node == name)
        streams[name] = stream.model_copy(update={"lanes": own or None})
        said = query.advance[name]
        settings[name] = AdvanceTime(late=said.late, late_end=said.late_end, default_grace=said.default_grace)
    return ReplayedQuery(query.graph.model_copy(update={"nodes": nodes}), streams, settings)


def steps_of(
    query: ReplayedQuery,
    read: ReadRows,
    chosen: Mapping[PlaceRead, Element],
    settled: Mapping[PlaceRead, Element] = NONE_SETTLED,
) -> Iterator[ReplayStep]:
    """Lane by lane: the settled and the chosen rows, which nothing comes before, then the others in their order."""
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
    """A start that was in time goes before the chosen rows that may end its edge: it was in time for all of them."""
    element = read.elements.get(place)
    return isinstance(element, Event) and element.edge is EdgeKind.START and place not in read.judged


def _in_their_order(
    places: Sequence[PlaceRead], read: ReadRows, chosen: Mapping[PlaceRead, Element]
) -> Iterator[ReplayStep]:
    """Rows that were in time, then, by the CTI that they met, those that a policy changed.

    Those of one lane met rising CTIs; where keys have clocks of their own, another key's row would meet them too, so
    that all that were in time go first. Edges keep their order, for ends follow their starts.
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
    """Whether a policy let the row count though it was late."""
    judged = read.judged.get(place)
    return judged is not None and judged.outcome in _MOVED


def _counts_nowhere(judged: LateEvent) -> bool:
    """Whether it is in no result. The end of a dropped start is an orphan as long as that start does not count."""
    return judged.outcome in QUARANTINED and judged.reason != Reason.START_DROPPED


def run_of(query: ReplayedQuery, steps: Sequence[ReplayStep], *, replayed: bool) -> ReferenceRun:
    """The run of `query` over `steps` to its end, with the rows as they would be or as they stand."""
    run = fed_run(query, steps, replayed=replayed)
    run.end(EndMode.FLUSH)
    return run


def fed_run(query: ReplayedQuery, steps: Sequence[ReplayStep], *, replayed: bool) -> ReferenceRun:
    """The same before its end: no CTI has come but those that late rows met."""
    run = ReferenceRun(query.graph, query.streams, query.advance)
    for step in steps:
        node, lane, _ = step.place
        if step.met is not None:
            run.take(node, lane, Cti(step.met))
        run.take(node, lane, step.replayed if replayed else step.standing)
    return run


def identities_of(steps: Sequence[ReplayStep]) -> dict[PlaceRead, ElementId]:
    """Under which id the run took each place first: chosen rows go before what stands at their place."""
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
    """Rows that go under one name and come under another with all that they are, as the same."""
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


def _notes(query: ReplayedQuery, read: ReadRows, steps: Sequence[ReplayStep]) -> list[str]:
    kept = any(_outcome(place, read) == Outcome.LATE_KEPT for place in read.elements)
    many = len(query.streams) > 1 or any(len(stream.lanes or ()) > 1 for stream in query.streams.values())
    edges = [each.standing.edge for each in steps if isinstance(each.standing, Event)]
    notes = [KEPT_SOMEWHERE] if kept and many else []
    return [*notes, OPEN_EDGES] if edges.count(EdgeKind.START) != edges.count(EdgeKind.END) else notes


def _outcome(place: PlaceRead, read: ReadRows) -> str | None:
    judged = read.judged.get(place)
    return None if judged is None else judged.outcome
