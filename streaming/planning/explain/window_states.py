"""The state of windows: partial results by slice, or events, and its bounds."""

from collections.abc import Iterator
from typing import Final

from streaming.definition.graph import (
    Windowed,
    WindowNode,
)
from streaming.planning.explain.explain_facts import Facts
from streaming.planning.explain.model import ExplainedState
from streaming.planning.explain.windows.kind import groups, per_group
from streaming.planning.explain.windows.registry import window_kind


def of_window(node: Windowed, facts: Facts) -> Iterator[ExplainedState]:
    """Yield the state of the windows, and that of rows that may still change."""
    yield from window_kind(node).state(node, facts)
    if facts.edges_reach(node):
        until = "its end arrives; an edge without an end stays forever"
        yield ExplainedState(what=_OPEN, per="open edge", until=until, formula="open edges", bounded_by="open_edges")
    if isinstance(node, WindowNode):
        yield from _rows(node)


_OPEN: Final = "open edges, which are in each window from their start on"


def _rows(node: WindowNode) -> Iterator[ExplainedState]:
    if node.emit != "final":
        yield ExplainedState(
            what="the last emitted row, which a later one replaces",
            per=f"{per_group(node)}open window",
            until="the window closes",
            formula=f"{groups(node)} x open windows",
            bounded_by="cti",
        )
