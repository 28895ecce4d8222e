"""The delay that each kind of node adds to CTIs: the table of TEMPORAL.md section 5 with numbers.

The reference keeps every bound: the output CTI never lags the smallest input CTI by more.
"""

from typing import Any

from streaming.definition.checks.window_sizes import fixed_panes
from streaming.definition.graph import (
    AntiJoinNode,
    ClipNode,
    ExtendNode,
    JoinNode,
    Node,
    SemiJoinNode,
    ShiftNode,
    TopKNode,
    WindowNode,
    sources,
)
from streaming.planning.explain.cti_rules import NODE_RULES
from streaming.planning.explain.explain_facts import Facts
from streaming.planning.explain.held import OPEN_EDGES, HoldBound, moved_by
from streaming.planning.explain.model import ExplainedHold
from streaming.planning.explain.windows.registry import window_kind
from streaming.planning.explain.words import below, code, spoken
from streaming.temporal.ticks import Ticks, parse_duration


def of_input(node: Any, facts: Facts) -> HoldBound:
    """Return the delay of an input, which computes its CTI from those of its lanes."""
    del node, facts
    return HoldBound("min over its lanes")


def nothing(node: Any, facts: Facts) -> HoldBound:
    """Return no delay: CTIs pass unchanged."""
    del node, facts
    return HoldBound("c")


def of_all(node: Node, facts: Facts) -> HoldBound:
    """Return the delay of a node whose slowest port alone determines the CTI."""
    del facts
    return HoldBound(_least_of(node))


def of_shift(node: ShiftNode, facts: Facts) -> HoldBound:
    """Return the delay of a shift: CTIs move like lifetimes."""
    del facts
    by = parse_duration(node.by)
    return HoldBound(moved_by("c", by), Ticks(-by), Ticks(-by))


def of_to_intervals(node: Node, facts: Facts) -> HoldBound:
    """Return the delay of a node at which an open edge stops the CTI at its start."""
    if not facts.edges_reach(node):
        return HoldBound("c")
    return HoldBound.unbounded("min(c, start of the oldest open edge)", OPEN_EDGES)


def of_stitch(node: Node, facts: Facts) -> HoldBound:
    """Return the delay of a stitch: a chain that every later piece makes longer stops the CTI at its start."""
    del node, facts
    because = "a chain that is not closed stops the CTI at its start, and each piece may make it longer"
    return HoldBound.unbounded("min(c, start of the oldest chain that is not closed)", because)


def of_extend(node: ExtendNode, facts: Facts) -> HoldBound:
    """Return the delay of an extension: only one that shortens waits for the ends of edges."""
    return of_to_intervals(node, facts) if parse_duration(node.by) < 0 else HoldBound("c")


def of_pieces(node: JoinNode | AntiJoinNode | SemiJoinNode | ClipNode, facts: Facts) -> HoldBound:
    """Return the delay of a node that waits for its oldest undecided left event."""
    if isinstance(node, JoinNode) and node.type == "inner":
        return of_all(node, facts)
    left = sources(node)[0]
    ctis = ", ".join(f"c({each})" for each in dict.fromkeys(sources(node)))
    formula = f"min({ctis}, start of the oldest undecided part of {code(left)})"
    life = facts.lives[left]
    if life.longest is not None and not life.edges:
        return HoldBound(formula, most=Ticks(life.longest - 1))
    because = OPEN_EDGES if life.edges else f"an event of {code(left)} may live for any length of time"
    return HoldBound.unbounded(
        formula, f"{because}, and it is undecided until the CTI of the other side reaches its end"
    )


def of_window(node: WindowNode | TopKNode, facts: Facts) -> HoldBound:
    """Return the delay of the windows of the node."""
    held = window_kind(node).hold(node, facts.grace(node), facts.lives[node.input])
    if isinstance(node, WindowNode) and node.empty == "default" and node.empty_gap is not None:
        return _filling(node, held)
    return held


def _filling(node: WindowNode, held: HoldBound) -> HoldBound:
    """Add the wait for empty windows: until the next event of the group, or until that is too far away (T21)."""
    windows, gap = fixed_panes(node), parse_duration(node.empty_gap or 0)
    more = max(0, gap + windows.overlap)
    formula = (
        f"{held.formula}, or of the first empty window that may still be filled after the last event of a listed group"
    )
    return HoldBound(formula, held.least, None if held.most is None else Ticks(held.most + more), held.because)


def explain_hold(node: Node, held: HoldBound) -> ExplainedHold:
    """Return `held` together with the rule of the table."""
    rule = window_kind(node).rule if isinstance(node, WindowNode | TopKNode) else NODE_RULES[node.kind]
    return ExplainedHold(
        rule=rule.out,
        why=rule.why,
        formula=held.formula,
        at_least=held.least,
        at_most=held.most,
        because=held.because,
        text=amount(held),
    )


def amount(held: HoldBound) -> str:
    """Return the delay in words."""
    least, most = held.least, held.most
    if most is None:
        start = f"at least {spoken(least)} behind" if least > 0 else "behind without a bound"
        return f"{start}: {held.because}"
    if least == most:
        return "not delayed" if most == 0 else f"{spoken(abs(most))} {'behind' if most > 0 else 'ahead'}"
    if most == 0:
        return f"at most {spoken(-least)} ahead"
    if least > 0:
        return f"at least {spoken(least)} and less than {below(most)} behind"
    return f"less than {below(most)} behind" + (f", at most {spoken(-least)} ahead" if least < 0 else "")


def _least_of(node: Node) -> str:
    read = [f"c({each})" for each in dict.fromkeys(sources(node))]
    return f"min({', '.join(read)})" if len(read) > 1 else read[0]
