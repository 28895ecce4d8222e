"""Origins of a row that a binding has emitted: its rows, the CTI that released it, and the late rows that it lacks.

`replaying` runs the binding's input without clocks. Then the CTIs that the inputs reached are sent to that run one
after the other, so that the run shows which of them released the row.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from streaming.definition.counts import counted
from streaming.definition.graph import TopKNode, WindowNode
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import Fields
from streaming.planning.last_digits import same_up_to_last_digits, varying_columns
from streaming.planning.validity import checked_graph
from streaming.reference.executor import ReferenceRun
from streaming.reference.explain import Absence
from streaming.reference.flow import CausingCti, ElementId, FlowId
from streaming.reference.output import OutputRow
from streaming.simulator.origins.lane_stories import ClockBefore, LaneCtiStep, LaneStories, lane_stories
from streaming.simulator.origins.traced import MOST_TOLD, ResultTrace, TracedRow, TracedRows
from streaming.simulator.picture.cti_words import absence_sentences
from streaming.simulator.picture.outcome_words import MetWords, outcome_sentences
from streaming.simulator.picture.rows import smallest_delay
from streaming.simulator.replay.replaying import (
    PlaceRead,
    ReadRows,
    ReplayedQuery,
    ReplayStep,
    by_input,
    fed_run,
    identities_of,
    run_of,
    steps_of,
)
from streaming.simulator.words import TimeWords, came_out_with, finite, made_of
from streaming.temporal.clock import JudgedElement
from streaming.temporal.events import Cti, Event
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick, Ticks
from streaming.wire.execution.case import ONLY_LANE, EndMode
from streaming.wire.messages import LateEvent, ResultRow
from streaming.wire.rows.payload_json import payload_to_json
from streaming.wire.rows.row_json import Element

BY_A_REPAIR: Final = "A repair added it to the results."


@dataclass(frozen=True)
class KnownInput:
    """All recorded data on what a binding has read.

    `query` has its clocks. `dropped` are late rows as events; they may be older or newer than the rows that were read
    again. `late` has the quarantine's data on these and on all rows that were read again. `clocks` by input and lane.
    `repaired` are late rows in their corrected form that a repair has added: they count, and none of them is in
    `dropped`. `lanes` are all rows that were read, while `read` has only those that can have an effect (mattering.py);
    `partial`: some of those are missing.
    """

    query: ReplayedQuery
    read: ReadRows
    dropped: Mapping[PlaceRead, Element]
    late: Mapping[PlaceRead, LateEvent]
    clocks: Mapping[tuple[str, str], ClockBefore]
    repaired: Mapping[PlaceRead, Element] = field(default_factory=dict)
    lanes: ReadRows | None = None
    partial: bool = False

    @property
    def every(self) -> ReadRows:
        """Return all rows of lanes, also those that need not be run."""
        return self.read if self.lanes is None else self.lanes


@dataclass(frozen=True)
class CtiMove:
    """The CTI of an input before and after a batch, NO_CTI before its first CTI."""

    before: int
    after: int


@dataclass(frozen=True)
class Tracer:
    """Replays and explains the recorded input; `about` are the times that sentences mention."""

    known: KnownInput
    about: Sequence[int]
    plain: ReplayedQuery = field(init=False)
    steps: Sequence[ReplayStep] = field(init=False)
    ids: Mapping[PlaceRead, ElementId] = field(init=False)
    schemas: Mapping[str, Fields] = field(init=False)

    def __post_init__(self) -> None:
        known = self.known
        places = {place[:2] for place in (*known.read.elements, *known.dropped, *known.repaired)}
        plain = by_input(known.query, places)
        steps = tuple(steps_of(plain, known.read, known.dropped, known.repaired))
        for name, value in (
            ("plain", plain),
            ("steps", steps),
            ("ids", identities_of(steps)),
            ("schemas", checked_graph(plain.graph, plain.streams, plain.advance).schemas),
        ):
            object.__setattr__(self, name, value)

    @cached_property
    def stories(self) -> LaneStories:
        """Return the stories of the lanes."""
        return lane_stories(self.known.query, self.known.every, self.known.clocks)

    @cached_property
    def times(self) -> TimeWords:
        """Return the format of instants."""
        starts = [each.start for each in self.known.read.elements.values() if isinstance(each, Event)]
        return TimeWords.of([*starts, *(each for each in self.about if abs(each) < INFINITY)])

    @cached_property
    def places(self) -> Mapping[ElementId, PlaceRead]:
        """Return the place of each element of a run."""
        return {identity: place for place, identity in self.ids.items()}

    def fed(self) -> ReferenceRun:
        """Return the run before any CTI has come."""
        return fed_run(self.plain, self.steps, replayed=False)

    def flushed(self, *, in_time: bool) -> ReferenceRun:
        """Return the run at its end, as it is or with the dropped rows `in_time`."""
        return run_of(self.plain, self.steps, replayed=in_time)

    def raise_to(self, run: ReferenceRun, node: str, cti: int) -> None:
        """Raise the input `node` to `cti`."""
        for lane in self.plain.streams[node].lanes or [ONLY_LANE]:
            run.take(node, lane, Cti(Tick(cti)))

    def missed(self, would: Iterable[OutputRow], standing: Iterable[OutputRow]) -> TracedRows:
        """Return the dropped rows that are origins of `would` but not of `standing`."""
        has = {source for row in standing for source in row.flow.sources}
        more = {source for row in would for source in row.flow.sources} - has
        return self.trace(place for place in self.known.dropped if self.ids[place] in more)

    def trace(self, places: Iterable[PlaceRead], absent: Mapping[PlaceRead, Absence] | None = None) -> TracedRows:
        """Return the rows at `places` by their start."""
        every = sorted(places, key=lambda place: (self._event(place).start, place))
        missing = absent or {}
        rows = [self._trace(place, missing.get(place)) for place in every[:MOST_TOLD]]
        return TracedRows(rows=rows, left_out=len(every) - len(rows))

    def _event(self, place: PlaceRead) -> Event:
        known = self.known
        element = known.repaired.get(place) or known.read.elements.get(place) or known.dropped.get(place)
        assert isinstance(element, Event)  # nosec B101 # nothing else makes rows, or would have
        return element

    def _trace(self, place: PlaceRead, missing: Absence | None) -> TracedRow:
        node, lane, position = place
        event, story = self._event(place), self.stories.of(place)
        judged = self._judge(place, event, story)
        settings = self.known.query.advance[node]
        met = MetWords(self._met(judged, story), self.times, settings.late, known=story is not None)
        delay = smallest_delay(judged, settings)
        repaired = place in self.known.repaired
        why = [BY_A_REPAIR] if repaired else []
        why += [*outcome_sentences(judged, met, delay), *([] if missing is None else absence_sentences(missing))]
        return TracedRow(
            input=node,
            lane=lane,
            position=position,
            edge=None if event.edge is None else event.edge.value,
            start=event.start,
            end=finite(event.end),
            payload=payload_to_json(event.payload, parse_fields(self.known.query.streams[node].fields)),
            outcome=judged.outcome,
            lateness=judged.lateness,
            moved_by=judged.moved_by,
            cti_met=finite(judged.cti_met),
            why=why,
            repaired=repaired,
        )

    def _met(self, judged: JudgedElement, story: tuple[JudgedElement, LaneCtiStep | None] | None) -> str | None:
        """Describe the CTI that a row met."""
        if judged.cti_met == NO_CTI:
            return None
        if story is not None and story[1] is not None and story[1].at == judged.cti_met:
            return self.stories.words(story[1], self.times)
        return f"the CTI {self.times.at(judged.cti_met)}"

    def _judge(
        self, place: PlaceRead, event: Event, story: tuple[JudgedElement, LaneCtiStep | None] | None
    ) -> JudgedElement:
        late = self.known.late.get(place)
        if story is not None:
            return story[0] if late is None else replace(story[0], outcome=Outcome(late.outcome))
        if late is None:
            return _nothing_kept(Outcome.REORDERED if self._was_passed(place, event) else Outcome.ON_TIME, event)
        met = NO_CTI if late.cti is None else Tick(late.cti)
        moved = Outcome(late.outcome) in (Outcome.ADJUSTED, Outcome.SHIFTED, Outcome.LATE_KEPT)
        taken = self._flow_of(place) if moved else None
        return JudgedElement(
            outcome=Outcome(late.outcome),
            reason=None if late.reason is None else Reason(late.reason),
            event=taken,
            original=event,
            cti_met=met,
            lateness=Ticks(met - event.sync) if met > event.sync else None,
            moved_by=None if late.moved_by is None else Ticks(late.moved_by),
            cti_after=met,
            emitted=None,
            fixed_cti=met,
        )

    def _flow_of(self, place: PlaceRead) -> Event | None:
        """Return the row after the late policy."""
        judged = self._standing.judged.get(self.ids[place])
        return None if judged is None else judged.event

    @cached_property
    def _standing(self) -> ReferenceRun:
        return self.fed()

    def _was_passed(self, place: PlaceRead, event: Event) -> bool:
        return event.sync < self._largest_before.get(place, NO_CTI)

    @cached_property
    def _largest_before(self) -> Mapping[PlaceRead, int]:
        """Return for each row the largest start before it in its lane, among the rows that were read again."""
        found: dict[PlaceRead, int] = {}
        largest: dict[tuple[str, str], int] = {}
        for place in sorted(self.known.every.elements):
            element, lane = self.known.every.elements[place], (place[0], place[1])
            found[place] = largest.get(lane, NO_CTI)
            if isinstance(element, Event):
                largest[lane] = max(found[place], element.sync)
        return found


def trace_row(known: KnownInput, given: ResultRow, moves: Mapping[str, CtiMove]) -> ResultTrace | None:
    """Return the origins of `given`, emitted in a batch with these `moves` of the inputs; None if no such row is found.

    Raises `InvalidDefinition`.
    """
    tracer = Tracer(known, [given.start, given.end if given.end is not None else given.start])
    run = tracer.fed()
    for node, tick in _in_order(tracer, moves):
        tracer.raise_to(run, node, tick)
    run.end(EndMode.FLUSH)
    row, same = _find(tracer, run, given)
    if row is None:
        return None
    would = [] if not known.dropped else _alike(tracer.flushed(in_time=True), row)
    sources = sorted(row.flow.sources)
    return ResultTrace(
        same=same,
        why=[
            made_of(counted(len(sources), "row") if sources else ""),
            *_describe_release(tracer, row.released_by, moves),
        ],
        made_of=tracer.trace(tracer.places[source] for source in sources),
        missed=tracer.missed(would, [row]),
    )


def _in_order(tracer: Tracer, moves: Mapping[str, CtiMove]) -> list[tuple[str, int]]:
    """Return the CTIs to send: first the previous CTI of each input, then step by step as far as steps are known."""
    begun = [(node, move.before) for node, move in moves.items() if move.before != NO_CTI]
    steps = [
        (tick, node)
        for node, move in moves.items()
        for tick in {*tracer.stories.ctis_between(node, move.before, move.after), move.after}
        if tick not in (NO_CTI, INFINITY)
    ]
    return [*begun, *((node, tick) for tick, node in sorted(steps))]


def _find(tracer: Tracer, run: ReferenceRun, given: ResultRow) -> tuple[OutputRow | None, bool]:
    """Return the row as the run emitted it, and true if it is the same; otherwise one of its time and group."""
    end = INFINITY if given.end is None else given.end
    alike = [
        row
        for row in _as_given(run, given.output)
        if (row.flow.start, row.flow.end) == (given.start, end) and not (row.flow.gone or row.flow.vanishes)
    ]
    # The order of the inputs may decide if a lifetime is emitted as two edges or whole: prefer a row of the same form.
    exact = [row for row in alike if row.edge == given.edge]
    found = _among(tracer, exact, given)
    return found if found[1] else _among(tracer, alike, given)


def _among(tracer: Tracer, alike: Sequence[OutputRow], given: ResultRow) -> tuple[OutputRow | None, bool]:
    """Return the row of `alike`, all of the same time, that equals `given`; otherwise the last one of its group.

    Columns that `given` marks as incomplete are complete in the replayed input, so they are not compared.
    """
    payloads = [payload_to_json(row.flow.payload, tracer.schemas[given.output]) for row in alike]
    lacks = dict.fromkeys(given.incomplete_columns or ())
    columns = varying_columns(tracer.plain.graph, tracer.schemas)[given.output]
    for row, payload in zip(alike, payloads, strict=True):
        if _is_given({**payload, **lacks}, {**given.payload, **lacks}, columns):
            return row, True
    group = group_of(tracer, given.payload)
    for row, payload in zip(reversed(alike), reversed(payloads), strict=True):
        if group and group_of(tracer, payload) == group:
            return row, False
    return (alike[0], False) if len(alike) == 1 and not group else (None, False)


def _is_given(payload: Mapping[str, Any], given: Mapping[str, Any], varying: Container[str]) -> bool:
    """Return true if two payloads are the same; the last digits of the columns `varying` do not count."""
    if payload.keys() != given.keys():
        return False
    return all(
        same_up_to_last_digits(value, given[name]) if name in varying else value == given[name]
        for name, value in payload.items()
    )


def _as_given(run: ReferenceRun, output: str) -> Iterator[OutputRow]:
    """Yield the rows of an output in the order in which they left; an edge's end has the origins of its start too."""
    opened: dict[FlowId, OutputRow] = {}
    for row in run.released:
        if row.output != output:
            continue
        if row.flow.opens:
            opened[row.flow.id] = row
        if row.flow.closes and row.flow.id in opened:
            sources = row.flow.sources | opened[row.flow.id].flow.sources
            yield replace(row, flow=replace(row.flow, sources=sources))
        else:
            yield row


def group_of(tracer: Tracer, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the group of a row, if it has any."""
    windows = (node for node in tracer.plain.graph.nodes if isinstance(node, WindowNode | TopKNode))
    names = {name for node in windows for name in node.group_by}
    return {name: value for name, value in payload.items() if name in names}


def _alike(run: ReferenceRun, row: OutputRow) -> list[OutputRow]:
    """Return the rows that would be in the place of `row`."""
    near = [each for each in run.outputs if each.output == row.output]
    same = [each for each in near if each.flow.id == row.flow.id]
    return same or [each for each in near if each.flow.sources & row.flow.sources]


def _describe_release(tracer: Tracer, cause: CausingCti | None, moves: Mapping[str, CtiMove]) -> list[str]:
    """Name the CTI that released the row, and the rows that brought it."""
    if cause is None:
        return ["It waited for no CTI."]
    if cause.cti == INFINITY:
        ended = [node for node, move in moves.items() if move.after == INFINITY]
        return ["It came out at the end of its inputs."] if ended else []
    node, cti = cause.input, cause.cti
    lanes = tracer.plain.streams[node].lanes or [ONLY_LANE]
    steps = [tracer.stories.reached(node, lane, cti) for lane in lanes]
    known = [step for step in steps if step is not None]
    if len(lanes) == 1 and known and known[0].at == cti:
        return [came_out_with(tracer.stories.words(known[0], tracer.times), node)]
    brought = [f"Lane {step.place[1]!r} had {tracer.stories.words(step, tracer.times)}." for step in known]
    return [came_out_with(f"the CTI {tracer.times.at(cti)}", node), *brought]


def _nothing_kept(outcome: Outcome, event: Event) -> JudgedElement:
    """Return a judgement for a row that was in time at an unrecorded CTI."""
    return JudgedElement(outcome, None, event, event, NO_CTI, None, None, NO_CTI, None)


def cti_of(cti: int | None, *, ended: bool = False) -> int:
    """Return a CTI from a message: null is no CTI yet, or infinity for an input that has ended."""
    if cti is not None:
        return cti
    return INFINITY if ended else NO_CTI
