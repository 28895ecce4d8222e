"""Origins of a row that a binding has emitted: its rows, the CTI that released it, and the late rows that it lacks.

`replaying` runs the binding's input without clocks. Then the CTIs that the inputs reached are sent to that run one
after the other, so that the run shows which of them released the row.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import Fields
from streaming.planning.validity import checked_graph
from streaming.reference.executor import ReferenceRun
from streaming.reference.explain import Absence
from streaming.reference.flow import ElementId
from streaming.reference.output import OutputRow
from streaming.simulator.origins.lane_stories import ClockBefore, LaneCtiStep, LaneStories, lane_stories
from streaming.simulator.origins.traced import MOST_TOLD, TracedRow, TracedRows
from streaming.simulator.picture.cti_words import absence_sentences
from streaming.simulator.picture.outcome_words import MetWords, outcome_sentences, smallest_delay
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
from streaming.simulator.words import TimeWords, finite
from streaming.temporal.clock import JudgedElement
from streaming.temporal.events import Cti, Event
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick, Ticks
from streaming.wire.execution.case import ONLY_LANE
from streaming.wire.messages import LateEvent
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

    def fed(self, prepare: Callable[[ReferenceRun], None] | None = None) -> ReferenceRun:
        """Return the run before any CTI has come; `prepare` receives it before its first row."""
        return fed_run(self.plain, self.steps, replayed=False, prepare=prepare)

    def smallest_delay_of(self, place: PlaceRead) -> int | None:
        """Return the smallest delay with which a late row would have been in time, None if none would."""
        judged = self._judge(place, self._event(place), self.stories.of(place))
        return smallest_delay(judged, self.known.query.advance[place[0]])

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


def _nothing_kept(outcome: Outcome, event: Event) -> JudgedElement:
    """Return a judgement for a row that was in time at an unrecorded CTI."""
    return JudgedElement(outcome, None, event, event, NO_CTI, None, None, NO_CTI, None)
