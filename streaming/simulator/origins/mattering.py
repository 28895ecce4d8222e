"""Selects the input rows that can affect a result row, by their times; the others need not run again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from streaming.definition.checks.window_sizes import fixed_panes
from streaming.definition.graph import JoinNode, Node, QueryGraph, ShiftNode, TopKNode, WindowNode
from streaming.definition.release import releases
from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.windows import FixedWindow
from streaming.temporal.events import Event, Shape
from streaming.temporal.ticks import INFINITY, parse_duration
from streaming.wire.rows.row_json import Element

_ALWAYS: Final = -INFINITY
_WHOLE: Final = frozenset(
    [
        "input",
        "filter",
        "project",
        "shift",
        "set_duration",
        "extend",
        "point_at_end",
        "union",
        "join",
        "window",
        "top_k",
        "output",
    ]
)
"""Kinds of nodes whose rows depend only on the events that overlap their lifetime."""


@dataclass(frozen=True)
class MatteringTimes:
    """Events that end by `low` or start after `high` have no effect."""

    low: int
    high: int

    def holds(self, element: Element) -> bool:
        """Return true if `element` can have an effect.

        Elements that are not events always can. Edges can too, because one end alone says little.
        """
        if not isinstance(element, Event) or element.edge is not None:
            return True
        return element.end > self.low and element.start <= self.high


EVERY_TIME: Final = MatteringTimes(_ALWAYS, INFINITY)


def mattering_times(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], output: str, start: int, end: int | None
) -> MatteringTimes:
    """Return the times that can affect a row of `output` with the lifetime `[start, end)`; `streams` are by input node.

    If a node cuts lifetimes at other events, all times can: the event that cut them may have ended before the row
    starts.
    """
    if any(_cuts(node) for node in graph.nodes):
        return EVERY_TIME
    edges = frozenset(name for name, stream in streams.items() if stream.shape is Shape.EDGE)
    release = releases(graph, {}, edges).get(output)
    if release is None or release.gap.whole is None:
        return EVERY_TIME
    after = None if end is None else _reach_back(graph)
    return MatteringTimes(start - release.gap.whole, INFINITY if end is None or after is None else end + after)


def mattering_at(graph: QueryGraph, streams: Mapping[str, StreamDefinition], output: str, at: int) -> MatteringTimes:
    """Return the times that can affect any row of `output` that lives at `at`."""
    edges = frozenset(name for name, stream in streams.items() if stream.shape is Shape.EDGE)
    release = releases(graph, {}, edges).get(output)
    if release is None or release.windows is None:
        return EVERY_TIME
    size = release.windows.size
    return mattering_times(graph, streams, output, at - size + 1, at + size)


def _cuts(node: Node) -> bool:
    return node.kind not in _WHOLE or (isinstance(node, JoinNode) and node.type != "inner")


def _reach_back(graph: QueryGraph) -> int | None:
    """Return how long after the end of a row an event that affects it can start; None: no bound.

    A shift moves an event back. A window that contains a row may end before the row does. A filled empty window needs
    the next window that is not empty.
    """
    found = 0
    for node in graph.nodes:
        match node:
            case ShiftNode():
                found += max(0, -parse_duration(node.by))
            case WindowNode() | TopKNode() if isinstance(node.window, FixedWindow):
                found += fixed_panes(node).size
            case WindowNode() | TopKNode():
                return None
        if isinstance(node, WindowNode) and node.empty_gap is not None:
            found += parse_duration(node.empty_gap)
    return found
