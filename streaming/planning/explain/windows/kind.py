"""The parts of the explanation of a kind of windows, and their shared words."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.graph import TopKNode, Windowed
from streaming.planning.explain.cti_rules import CtiRule
from streaming.planning.explain.explain_facts import Facts, LifetimeBound
from streaming.planning.explain.held import HoldBound
from streaming.planning.explain.model import ExplainedState
from streaming.planning.explain.words import code, listed, spoken
from streaming.temporal.ticks import Ticks


@dataclass(frozen=True)
class WindowKind:
    """One kind of windows.

    `words`: the window with its numbers. `life`: the lifetime of its rows, from that of its events. `rule`: the output
    CTI (TEMPORAL.md section 5). `hold`: the delay of that CTI, for a grace and a lifetime of events. `state`: its
    state, and the bounds of that.
    """

    words: Callable[[Any], str]
    life: Callable[[Windowed, LifetimeBound], LifetimeBound]
    rule: CtiRule
    hold: Callable[[Windowed, Ticks, LifetimeBound], HoldBound]
    state: Callable[[Windowed, Facts], Iterator[ExplainedState]]


def needed_events(node: Windowed) -> str:
    """Return what its windows store of their events."""
    if isinstance(node, TopKNode):
        return f"events that may still be among the {node.k} largest"
    whole = [each.name for each in node.aggregates if AGGREGATES[each.function].partials is None]
    return f"events: {listed(whole)} need every value" if whole else "events"


def per_group(node: Windowed) -> str:
    """Return the words before an entry that exists once in each group."""
    return f"group ({', '.join(map(code, node.group_by))}) and " if node.group_by else ""


def groups(node: Windowed) -> str:
    """Return the number of groups."""
    return "groups" if node.group_by else "1 group"


def plus(what: str, grace: int) -> str:
    """Return a formula for `what` plus the grace."""
    return f"{what} + {spoken(grace)}" if grace else what
