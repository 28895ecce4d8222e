"""How far each kind of node holds CTIs back: the table of TEMPORAL.md section 5 with numbers.

Every bound is one that the reference keeps: the CTI that leaves is never further behind the smallest that came in.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from streaming.definition.graph import (
    AntiJoinNode,
    ClipNode,
    CountWindow,
    ExtendNode,
    HoppingWindow,
    JoinNode,
    Node,
    SemiJoinNode,
    SessionWindow,
    ShiftNode,
    SnapshotWindow,
    TimeIntervalWindow,
    TopKNode,
    TumblingWindow,
    WindowNode,
    sources,
)
from streaming.definition.window_checks import hopping_windows
from streaming.planning.explain.cti_rules import NODE_RULES, WINDOW_RULES
from streaming.planning.explain.facts import Facts, Life
from streaming.planning.explain.model import Hold
from streaming.planning.explain.words import below, code, spoken
from streaming.temporal.ticks import NO_TICKS, ONE_TICK, Ticks, parse_duration

OPEN_EDGES: Final = "an edge may stay open for any length of time"


@dataclass(frozen=True)
class Held:
    """By how many ticks, at least and at most; `most` None: without a bound, for the reason `because`."""

    formula: str
    least: Ticks = NO_TICKS
    most: Ticks | None = NO_TICKS
    because: str | None = None

    @classmethod
    def unbounded(cls, formula: str, because: str, least: Ticks = NO_TICKS) -> "Held":
        """Held for as long as it takes."""
        return cls(formula, least, None, because)


def of_input(node: Any, facts: Facts) -> Held:
    """Its CTI is made here, from those of its lanes."""
    del node, facts
    return Held("min over its lanes")


def nothing(node: Any, facts: Facts) -> Held:
    """CTIs pass as they are."""
    del node, facts
    return Held("c")


def of_all(node: Node, facts: Facts) -> Held:
    """The slowest port decides, and nothing else."""
    del facts
    return Held(_least_of(node))


def of_shift(node: ShiftNode, facts: Facts) -> Held:
    """CTIs move like lifetimes."""
    del facts
    by = parse_duration(node.by)
    return Held(_moved("c", by), Ticks(-by), Ticks(-by))


def of_to_intervals(node: Node, facts: Facts) -> Held:
    """An open edge holds them at its start."""
    if not facts.edges_reach(node):
        return Held("c")
    return Held.unbounded("min(c, start of the oldest open edge)", OPEN_EDGES)


def of_extend(node: ExtendNode, facts: Facts) -> Held:
    """Only one that shortens waits for the ends of edges."""
    return of_to_intervals(node, facts) if parse_duration(node.by) < 0 else Held("c")


def of_pieces(node: JoinNode | AntiJoinNode | SemiJoinNode | ClipNode, facts: Facts) -> Held:
    """The oldest left event that is not decided holds them, for as long as left events live."""
    if isinstance(node, JoinNode) and node.type == "inner":
        return of_all(node, facts)
    left = sources(node)[0]
    ctis = ", ".join(f"c({each})" for each in dict.fromkeys(sources(node)))
    formula = f"min({ctis}, start of the oldest undecided piece of {code(left)})"
    life = facts.lives[left]
    if life.longest is not None and not life.edges:
        return Held(formula, most=Ticks(life.longest - 1))
    because = OPEN_EDGES if life.edges else f"an event of {code(left)} may live for any length of time"
    return Held.unbounded(formula, f"{because}, and is undecided until the other side has passed its end")


def of_window(node: WindowNode | TopKNode, facts: Facts) -> Held:
    """That of its windows."""
    life = facts.lives[node.input]
    held = WINDOW_HOLDS[type(node.window)](node, facts.grace(node), life)
    if isinstance(node, WindowNode) and node.empty == "default" and node.empty_gap is not None:
        return _filling(node, held)
    return held


def _fixed(node: WindowNode | TopKNode, grace: Ticks, life: Life) -> Held:
    del life
    windows = hopping_windows(node)
    phase = windows.offset % windows.hop
    start = f"k x {spoken(windows.hop)}" + (f" + {spoken(phase)}" if phase else "")
    of = f"[{start}, + {spoken(windows.size)})"
    formula = f"start of the earliest window {of} that ends after {_moved('c', Ticks(-grace))}"
    return Held(formula, Ticks(grace + windows.size - windows.hop), Ticks(grace + windows.size - 1))


def _filling(node: WindowNode, held: Held) -> Held:
    """An empty window is not decided before the next event of its group, or before that is too far away (T21)."""
    windows, gap = hopping_windows(node), parse_duration(node.empty_gap or 0)
    more = max(0, gap + windows.size - windows.hop)
    formula = f"{held.formula}, or of the first one after the last event of a listed group that may still be filled"
    return Held(formula, held.least, None if held.most is None else Ticks(held.most + more), held.because)


def _session(node: WindowNode | TopKNode, grace: Ticks, life: Life) -> Held:
    del life
    if not isinstance(node.window, SessionWindow):
        raise TypeError(f"{node.id!r} has no sessions")
    formula = f"min({_moved('c', Ticks(-grace))}, start of the earliest open session)"
    if node.window.max is None:
        gap = spoken(parse_duration(node.window.gap))
        because = f"a session stays open for as long as its group never pauses for {gap}, and no `max` ends it"
        return Held.unbounded(formula, because, grace)
    return Held(formula, grace, Ticks(grace + parse_duration(node.window.max) - 1))


def _snapshot(node: WindowNode | TopKNode, grace: Ticks, life: Life) -> Held:
    formula = f"min({_moved('c', Ticks(-grace))}, start of the unfinished snapshot)"
    if life.longest is None or life.edges:
        whose = OPEN_EDGES if life.edges else f"an event of {code(node.input)} may live for any length of time"
        return Held.unbounded(formula, f"{whose}, and a snapshot lasts for as long as nothing begins or ends", grace)
    return Held(formula, grace, Ticks(grace + life.longest - 1))


def _count(node: WindowNode | TopKNode, grace: Ticks, life: Life) -> Held:
    del life
    if not isinstance(node.window, CountWindow):
        raise TypeError(f"{node.id!r} has no count windows")
    formula = f"min({_moved('c', Ticks(-grace))}, start of the oldest incomplete window)"
    if node.window.n == 1:
        return Held(formula, grace, grace)
    because = f"a group may never get the {node.window.n} distinct starts that complete a window"
    return Held.unbounded(formula, because, grace)


WINDOW_HOLDS: Final[Mapping[type[Any], Callable[[WindowNode | TopKNode, Ticks, Life], Held]]] = {
    TumblingWindow: _fixed,
    HoppingWindow: _fixed,
    TimeIntervalWindow: _fixed,
    SessionWindow: _session,
    SnapshotWindow: _snapshot,
    CountWindow: _count,
}
"""How far windows of each kind hold CTIs back, with a grace and over events that live so long."""


def shown(node: Node, held: Held) -> Hold:
    """`held` beside the rule of the table."""
    rule = WINDOW_RULES[node.window.kind] if isinstance(node, WindowNode | TopKNode) else NODE_RULES[node.kind]
    return Hold(
        rule=rule.out,
        why=rule.why,
        formula=held.formula,
        at_least=held.least,
        at_most=held.most,
        because=held.because,
        text=amount(held),
    )


def amount(held: Held) -> str:
    """How far behind, in words."""
    least, most = held.least, held.most
    if most is None:
        start = f"{spoken(least)} behind or more" if least > 0 else "behind without a bound"
        return f"{start}: {held.because}"
    if least == most:
        return "not held back" if most == 0 else f"{spoken(abs(most))} {'behind' if most > 0 else 'ahead'}"
    if most == 0:
        return f"at most {spoken(-least)} ahead"
    if least > 0:
        return f"at least {spoken(least)} and less than {below(most)} behind"
    return f"less than {below(most)} behind" + (f", at most {spoken(-least)} ahead" if least < 0 else "")


def _least_of(node: Node) -> str:
    read = [f"c({each})" for each in dict.fromkeys(sources(node))]
    return f"min({', '.join(read)})" if len(read) > 1 else read[0]


def _moved(what: str, by: Ticks) -> str:
    if by == 0:
        return what
    sign = "-" if by < 0 else "+"
    return f"{what} {sign} {'1 tick' if abs(by) == ONE_TICK else spoken(abs(by))}"
