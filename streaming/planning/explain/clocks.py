"""The clock of an input, and its policies for late events, silent lanes and events from the future."""

from collections.abc import Iterator, Mapping
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.graph import InputNode
from streaming.definition.streams.stream import Rowtime
from streaming.planning.explain.explain_facts import Facts
from streaming.planning.explain.model import ExplainedClock
from streaming.planning.explain.words import code, listed, spoken
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime, Basis, Future, Generate, Idle, Late, LateEnd
from streaming.temporal.ticks import ONE_TICK, Ticks

LATE: Final[Mapping[Late, str]] = {
    Late.DROP: "Late events are dropped.",
    Late.ADJUST: "Late events start at the CTI instead if they still live then; late points are dropped.",
    Late.SHIFT: "Late events are moved to the CTI and keep their length.",
    Late.KEEP: "Late events are kept unchanged; windows accept them until they close.",
}
"""The policy for an event before the CTI (T10)."""
LATE_EDGES: Final = "Late starts and late ends of edges are moved to the CTI."
"""The effect of both adjust and shift on edges."""
LATE_ENDS: Final[Mapping[LateEnd, str]] = {
    LateEnd.LEAVE_OPEN: "An edge whose end is late stays open.",
    LateEnd.CLOSE_AT_CTI: "An edge whose end is late is closed at the CTI.",
}
"""The policy, with drop, for an edge whose end is late."""
BASES: Final[Mapping[Basis, str]] = {
    Basis.LAST: "the start of the last event",
    Basis.MAX: "the largest start so far",
}
"""The base of generated CTIs (T9)."""
IDLE: Final[Mapping[Idle, str]] = {
    Idle.LEAVE_OUT: "is left out of the minimum",
    Idle.ADVANCE: "advances with the wall clock",
}
"""The policy for a silent lane (T16)."""
ALL_IDLE: Final[Mapping[Idle, str]] = {
    Idle.LEAVE_OUT: "the CTI does not advance",
    Idle.ADVANCE: "all of them do, so the last windows close by the wall clock",
}
"""The effect on an input whose lanes are all silent (T16)."""
FUTURES: Final[Mapping[Future, str]] = {
    Future.ACCEPT: "Events from the future are treated like others.",
    Future.HOLD: "An event more than {} ahead of its arrival is accepted, but does not advance the clock.",
    Future.DROP: "An event more than {} ahead of its arrival is dropped.",
}
"""The policy for an event that is too far ahead (T18)."""
ROWTIMES: Final[Mapping[Rowtime, str | None]] = {
    Rowtime.EXPLICIT: None,
    Rowtime.IMPLICIT: "The start of an event is the arrival of its row, and each heartbeat is a CTI (T17).",
}
"""The effect of `rowtime` on the clock."""


def clock_of(node: InputNode, facts: Facts) -> ExplainedClock:
    """Return the clock of an input, in sentences."""
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
    settings, advance = facts.settings[node.id], facts.advance[node.id]
    if advance.generate is not None:
        preset = "" if settings.preset is None else f" (preset {code(settings.preset)})"
        yield f"{_describe_generate(advance.generate)}{preset}."
        if facts.streams[node.stream].shape is Shape.EDGE:
            yield "CTIs follow only the starts of edges, not their ends (T6)."
    if advance.import_from is not None:
        yield f"The CTIs of {code(advance.import_from)} are copied at the end of each micro-batch (T26)."
    if advance.late_arrival is not None:
        yield f"The CTI is never more than {spoken(advance.late_arrival)} earlier than the arrival of an event (T9)."
    rowtime = ROWTIMES[facts.streams[node.stream].rowtime]
    if rowtime is not None:
        yield rowtime


def _describe_generate(generate: Generate) -> str:
    if generate.every_count is not None:
        count = generate.every_count
        every = "After every event" if count == 1 else f"After every {counted(count, 'event')}"
    else:
        every = f"After every {spoken(generate.every_ticks or 0)} of event time"
    gap = (
        f", if that is at least {spoken(generate.minimum_gap)} later than the last CTI" if generate.minimum_gap else ""
    )
    final = "; infinity when the user stops the run" if generate.final else ""
    return f"{every}, a CTI at {BASES[generate.basis]}{_less(generate)}{gap}{final}"


def behind_events(advance: AdvanceTime) -> Ticks | None:
    """Return how much smaller the CTI of a lane is, at most, than the largest start on it; None: without a bound.

    An event that is held as one from the future does not count; with `over`, each value has its own clock.
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
        return f"Each value of {code(advance.over)} has its own clock; the CTI is the smallest of these (T15)."
    if lanes is None:
        return "The CTI is the smallest of all lanes of the adapter, so the slowest lane determines it (T14)."
    if len(lanes) == 1:
        return f"There is one lane, {code(lanes[0])}."
    return f"The CTI is the smallest of the lanes {listed(lanes)}; it exists once each lane has one (T14)."


def _late(advance: AdvanceTime, shape: Shape) -> str:
    if shape is Shape.EDGE and advance.late is Late.DROP:
        return f"{LATE[advance.late]} {LATE_ENDS[advance.late_end]}"
    if shape is Shape.EDGE and advance.late in (Late.ADJUST, Late.SHIFT):
        return LATE_EDGES
    return LATE[advance.late]


def _idle(advance: AdvanceTime) -> str:
    if advance.idle_after is None:
        return "There is no idle rule: while a lane is silent, the CTI does not advance."
    after = f"after {spoken(advance.idle_after)} of silence"
    return f"A lane {IDLE[advance.idle]} {after}; if all lanes are silent, {ALL_IDLE[advance.idle]} (T16)."
