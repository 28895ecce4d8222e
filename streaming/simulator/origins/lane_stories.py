"""Outcomes of the rows of a lane that was read again, and the row that set the CTI each of them met.

If only its rows move a lane's clock, the lane is judged again from the recorded state of that clock (`ClockBefore`).
Only the quarantine's data is used in two cases: the new judgement contradicts it for a late row, or something else
moves the clock (imports, the wall clock, keys).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from streaming.definition.streams.stream import Rowtime
from streaming.simulator.replay.replaying import PlaceRead, ReadRows, ReplayedQuery
from streaming.simulator.words import TimeWords, generated_by
from streaming.temporal.clock import JudgedElement, LaneClock, LaneClockState
from streaming.temporal.events import Cti, Event, Shape
from streaming.temporal.outcomes import IN_TIME
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import Tick
from streaming.wire.rows.row_json import MalformedRow

ClockBefore = Mapping[str, Any] | None
"""The state of a clock before the first row that was read again, from restart points. None: unknown."""
FRESH: Final[Mapping[str, Any]] = {}
"""The clock of a lane before its first row."""
_OPEN: Final = "open_edges"


@dataclass(frozen=True, slots=True)
class LaneCtiStep:
    """The lane reached the CTI `at` with the row `place`.

    The CTI was `sent` in the row, or generated from its `own` start or a larger one.
    """

    at: Tick
    place: PlaceRead
    sent: bool
    own: bool


@dataclass(frozen=True)
class LaneStory:
    """The outcome of each row by position, and the step that had set the CTI that it met; the steps in order."""

    judged: Mapping[int, tuple[JudgedElement, LaneCtiStep | None]]
    steps: Sequence[LaneCtiStep]


@dataclass(frozen=True)
class LaneStories:
    """The stories of all lanes that can be judged again, by input and lane."""

    query: ReplayedQuery
    by_lane: Mapping[tuple[str, str], LaneStory] = field(default_factory=dict)

    def of(self, place: PlaceRead) -> tuple[JudgedElement, LaneCtiStep | None] | None:
        """Return the judgement of the row at `place` and the step that set its CTI; None if unknown."""
        story = self.by_lane.get(place[:2])
        return None if story is None else story.judged.get(place[2])

    def reached(self, node: str, lane: str, cti: int) -> LaneCtiStep | None:
        """Return the step that moved a lane to `cti` or later."""
        story = self.by_lane.get((node, lane))
        return None if story is None else next((step for step in story.steps if step.at >= cti), None)

    def ctis_between(self, node: str, after: int, upto: int) -> list[Tick]:
        """Return the CTIs in (`after`, `upto`] that lanes of an input reached, in rising order."""
        steps = (step for (of, _), story in self.by_lane.items() if of == node for step in story.steps)
        return sorted({step.at for step in steps if after < step.at <= upto})

    def words(self, step: LaneCtiStep, times: TimeWords) -> str:
        """Return `the CTI 10:00:05 set by row 41 of lane '0' (10:00:10 minus 5 s)`."""
        node, lane, position = step.place
        row = f"row {position} of lane {lane!r}"
        generate = self.query.advance[node].generate
        if step.sent or generate is None:
            return f"the CTI {times.at(step.at)} sent in {row}"
        return f"the CTI {times.at(step.at)} {generated_by(row, step.at, generate.delay, times, own=step.own)}"


def lane_stories(query: ReplayedQuery, read: ReadRows, clocks: Mapping[tuple[str, str], ClockBefore]) -> LaneStories:
    """Judge the lanes in `clocks` again, as far as possible; `query` has its clocks."""
    found = {}
    for (node, lane), clock in clocks.items():
        if clock is None or not hangs_on_rows_alone(query, node):
            continue
        rows = sorted(place for place in read.elements if place[:2] == (node, lane))
        story = _story(query.advance[node], _state(clock), rows, read)
        if _agrees(story, rows, read):
            found[node, lane] = story
    return LaneStories(query, found)


def hangs_on_rows_alone(query: ReplayedQuery, node: str) -> bool:
    """Return true if only its own rows move the clock of a lane of the input `node`."""
    settings, stream = query.advance[node], query.streams[node]
    others = (settings.import_from, settings.over, settings.late_arrival, settings.idle_after)
    by_others = any(each is not None for each in others)
    return not by_others and stream.shape is not Shape.EDGE and stream.rowtime is not Rowtime.IMPLICIT


def _state(clock: Mapping[str, Any]) -> LaneClockState:
    return LaneClockState(**{name: value for name, value in clock.items() if name != _OPEN})


def _story(settings: AdvanceTime, state: LaneClockState, rows: Sequence[PlaceRead], read: ReadRows) -> LaneStory:
    clock = LaneClock(settings, state)
    judged: dict[int, tuple[JudgedElement, LaneCtiStep | None]] = {}
    steps: list[LaneCtiStep] = []
    delay = 0 if settings.generate is None else settings.generate.delay
    for place in rows:
        element, before, by = read.elements[place], clock.cti, steps[-1] if steps else None
        match element:
            case Cti():
                clock.take_cti(element)
            case MalformedRow(reason):
                judged[place[2]] = (clock.take_malformed(reason), by)
            case Event():
                judged[place[2]] = (clock.take(element), by)
        if clock.cti > before:
            own = isinstance(element, Event) and element.start == clock.cti + delay
            steps.append(LaneCtiStep(clock.cti, place, isinstance(element, Cti), own))
    return LaneStory(judged, steps)


def _agrees(story: LaneStory, rows: Sequence[PlaceRead], read: ReadRows) -> bool:
    """Return true if exactly the rows that were late are late again, at the CTIs that they met."""
    for place in rows:
        judgement, late = story.judged.get(place[2]), read.judged.get(place)
        if judgement is None:
            continue
        in_time = judgement[0].outcome in IN_TIME
        if in_time is not (late is None):
            return False
        if late is not None and late.cti is not None and late.cti != judgement[0].cti_met:
            return False
    return True
