"""What windows remember: partials by slice, or events, and what bounds either."""

from collections.abc import Iterator
from typing import Final

from streaming.definition.graph import (
    Windowed,
    WindowNode,
)
from streaming.planning.explain.facts import Facts
from streaming.planning.explain.model import ExplainedState
from streaming.planning.explain.windows.kind import groups, per_group
from streaming.planning.explain.windows.registry import window_kind


def of_window(node: Windowed, facts: Facts) -> Iterator[ExplainedState]:
    """What its windows need, and what its rows do that may still change."""
    yield from window_kind(node).state(node, facts)
    if facts.edges_reach(node):
        until = "its end comes; an edge that nobody closes stays for ever"
        yield ExplainedState(
            what=_OPEN, per="open edge", until=until, formula="edges that are open", bounded_by="open_edges"
        )
    if isinstance(node, WindowNode):
        yield from _rows(node)


_OPEN: Final = "open edges, which are in each window from their start on"


def _rows(node: WindowNode) -> Iterator[ExplainedState]:
    if node.emit != "final":
        yield ExplainedState(
            what="the last row that was given, which a later one replaces",
            per=f"{per_group(node)}open window",
            until="the window closes",
            formula=f"{groups(node)} x open windows",
            bounded_by="cti",
        )
