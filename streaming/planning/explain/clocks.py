"""How time advances on an input, what becomes of late events, of silent lanes and of events from the future."""

from collections.abc import Iterator, Mapping
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.graph import InputNode
from streaming.definition.streams import Rowtime
from streaming.planning.explain.facts import Facts
from streaming.planning.explain.model import ExplainedClock
from streaming.planning.explain.words import code, listed, spoken
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime, Basis, Future, Generate, Idle, Late, LateEnd
from streaming.temporal.ticks import ONE_TICK, Ticks

LATE: Final[Mapping[Late, str]] = {
    Late.DROP: "Late events are dropped.",
    Late.ADJUST: "Late events start at the CTI instead, if they live that long; late points are dropped.",
    Late.SHIFT: "Late events are moved to the CTI and keep their length.",
    Late.KEEP: "Late events are kept as they are; windows take them until they close.",
}
"""What becomes of an event before the CTI (T10)."""
LATE_EDGES: Final = "Late starts of edges become the CTI, and so do late ends."
"""What adjust and shift do with edges alike."""
LATE_ENDS: Final[Mapping[LateEnd, str]] = {
    LateEnd.LEAVE_OPEN: "An edge whose end is late stays open.",
    LateEnd.CLOSE_AT_CTI: "An edge whose end is late is closed at the CTI.",
}
"""What becomes, under drop, of the edge whose end was late."""
BASES: Final[Mapping[Basis, str]] = {
    Basis.LAST: "the start of the last event",
    Basis.MAX: "the largest start so far",
}
"""What generated CTIs follow (T9)."""
IDLE: Final[Mapping[Idle, str]] = {
    Idle.LEAVE_OUT: "is left out of the minimum",
    Idle.ADVANCE: "moves on with the wall clock",
}
"""What becomes of a silent lane (T16)."""
ALL_IDLE: Final[Mapping[Idle, str]] = {
    Idle.LEAVE_OUT: "nothing moves",
    Idle.ADVANCE: "each does, so the last windows close by the wall clock",
}
"""What becomes of an input whose lanes are all silent (T16)."""
FUTURES: Final[Mapping[Future, str]] = {
    Future.ACCEPT: "Events from the future count like others.",
    Future.HOLD: "An event more than {} beyond its arrival is taken, but does not move the clock.",
    Future.DROP: "An event more than {} beyond its arrival is dropped.",
}
"""What becomes of an event that is too far ahead (T18)."""
ROWTIMES: Final[Mapping[Rowtime, str | None]] = {
    Rowtime.EXPLICIT: None,
    Rowtime.IMPLICIT: "The start of an event is the arrival of its row, and each heartbeat is a CTI (T17).",
}
"""What the origin of starts adds to the clock."""


def clock_of(node: InputNode, facts: Facts) -> ExplainedClock:
    """The clock of an input, in sentences."""
    stream, advance = facts.streams[node.stream], facts.advance[node.id]
    return ExplainedClock(
        advances=list(_advances(node, facts)),
        behind=behind_events(advance),
        imports=advance.import_from,
        lanes=stream.lanes,
        minimum=_minimum(stream.lanes, advance),
        late=_late(advance, stream.shape),
        idle=_idle(advance),
        future=FUTURES[advance.future].format(spoken(advance.max_ahead)),
    )


def _advances(node: InputNode, facts: Facts) -> Iterator[str]:
    said, advance = facts.settings[node.id], facts.advance[node.id]
    if advance.generate is not None:
        preset = "" if said.preset is None else f" (preset {code(said.preset)})"
        yield f"{_generated(advance.generate)}{preset}."
        if facts.streams[node.stream].shape is Shape.EDGE:
            yield "Ends of edges count for nothing here: CTIs follow starts alone (T6)."
    if advance.import_from is not None:
        yield f"The CTIs of {code(advance.import_from)} are copied at the end of each micro-batch (T26)."
    if advance.late_arrival is not None:
        yield f"The CTI is never further than {spoken(advance.late_arrival)} behind the arrival of an event (T9)."
    rowtime = ROWTIMES[facts.streams[node.stream].rowtime]
    if rowtime is not None:
        yield rowtime


def _generated(generate: Generate) -> str:
    if generate.every_count is not None:
        count = generate.every_count
        every = "After every event" if count == 1 else f"After every {counted(count, 'event')}"
    else:
        every = f"Each time that {spoken(generate.every_ticks or 0)} of event time have passed"
    gap = f", if that is {spoken(generate.minimum_gap)} further than the last" if generate.minimum_gap else ""
    final = "; infinity when the user stops the run" if generate.final else ""
    return f"{every} a CTI: {BASES[generate.basis]}{_less(generate)}{gap}{final}"


def behind_events(advance: AdvanceTime) -> Ticks | None:
    """How far the CTI of a lane is behind the largest start on it, at most; None: it hangs on how many events come.

    An event that is held as one from the future does not count; under `over` each value has a clock.
    """
    generate = advance.generate
    if generate is None or advance.over is not None:
        return None
    waits = generate.every_ticks if generate.every_count is None else ONE_TICK
    if waits is None or (generate.every_count or 1) > 1:
        return None
    return Ticks(generate.delay + max(waits, generate.minimum_gap) - 1)


def _less(generate: Generate) -> str:
    if generate.delay == 0:
        return ""
    return f" {'+' if generate.delay < 0 else '-'} {spoken(abs(generate.delay))}"


def _minimum(lanes: list[str] | None, advance: AdvanceTime) -> str:
    if advance.over is not None:
        return f"The CTI is the smallest over the values of {code(advance.over)}, each of which has a clock (T15)."
    if lanes is None:
        return "The CTI is the smallest over the lanes of the adapter; the slowest decides (T14)."
    if len(lanes) == 1:
        return f"There is one lane, {code(lanes[0])}."
    return f"The CTI is the smallest over the lanes {listed(lanes)}; none leaves before each has one (T14)."


def _late(advance: AdvanceTime, shape: Shape) -> str:
    if shape is Shape.EDGE and advance.late is Late.DROP:
        return f"{LATE[advance.late]} {LATE_ENDS[advance.late_end]}"
    if shape is Shape.EDGE and advance.late in (Late.ADJUST, Late.SHIFT):
        return LATE_EDGES
    return LATE[advance.late]


def _idle(advance: AdvanceTime) -> str:
    if advance.idle_after is None:
        return "There is no idle rule: a silent lane holds the CTI for as long as it is silent."
    after = f"after {spoken(advance.idle_after)} of silence"
    return f"A lane {IDLE[advance.idle]} {after}; when all are silent, {ALL_IDLE[advance.idle]} (T16)."
