"""What the explanation of a kind of windows consists of, and the words that all of them share."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.graph import TopKNode, Windowed
from streaming.planning.explain.cti_rules import CtiRule
from streaming.planning.explain.facts import Facts, LifetimeBound
from streaming.planning.explain.held import HoldBound
from streaming.planning.explain.model import ExplainedState
from streaming.planning.explain.words import code, listed, spoken
from streaming.temporal.ticks import Ticks


@dataclass(frozen=True)
class WindowKind:
    """One kind of windows.

    `words`: what such a window is, with its numbers. `life`: how long its rows live, given the events before. `rule`:
    the CTI that leaves (TEMPORAL.md section 5). `hold`: how far that is behind, with a grace and over events that live
    so long. `state`: what is kept, and what bounds it.
    """

    words: Callable[[Any], str]
    life: Callable[[Windowed, LifetimeBound], LifetimeBound]
    rule: CtiRule
    hold: Callable[[Windowed, Ticks, LifetimeBound], HoldBound]
    state: Callable[[Windowed, Facts], Iterator[ExplainedState]]


def needed_events(node: Windowed) -> str:
    """What its windows need of their events."""
    if isinstance(node, TopKNode):
        return f"events that may still be among the {node.k} largest"
    whole = [each.name for each in node.aggregates if AGGREGATES[each.function].partials is None]
    return f"events: {listed(whole)} need every value" if whole else "events"


def per_group(node: Windowed) -> str:
    """Before what is kept once in each group."""
    return f"group ({', '.join(map(code, node.group_by))}) and " if node.group_by else ""


def groups(node: Windowed) -> str:
    """How many."""
    return "groups" if node.group_by else "1 group"


def plus(what: str, grace: int) -> str:
    """`what`, and the grace behind it."""
    return f"{what} + {spoken(grace)}" if grace else what
