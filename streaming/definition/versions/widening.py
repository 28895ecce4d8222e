"""Carrying the state of a query over to another version: the check that it can, and the then incomplete columns.

That works for widened windows: the window, its groups and all nodes before it are the same, only aggregates were added
or removed, and only projections and filters follow. Supported so far: fixed windows directly after an input, final
rows, aggregates that can be merged. Every other node with state must be unchanged.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.expanding import expanded
from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.problems import ExpressionError
from streaming.definition.expressions.tree import fields_used
from streaming.definition.graph import (
    Aggregate,
    FilterNode,
    InputNode,
    Node,
    OutputNode,
    ProjectNode,
    QueryGraph,
    SetDurationNode,
    WindowNode,
    sources,
)
from streaming.definition.versions.state_differences import NodeDifference, holds, state_differences
from streaming.definition.windows import FixedWindow
from streaming.temporal.ticks import NO_TICKS, Ticks, parse_duration

READ_AGAIN: Final = "Open windows can only be rebuilt by reading their rows again."
LOST: Final = "The node {node}, or a node before it, is different in this version, so its saved state can't be reused. "
NEW: Final = "The node {node} is new, and would lack the rows that were read before. "
GONE: Final = "The node {node} is not in this version. "
NOT_FIXED: Final = (
    "The node {node} stores rows, not partial results. Only fixed windows (tumbling, hopping, time_interval, calendar) "
    "can be widened without reading again. "
)
KEEPS_VALUES: Final = "{function} of the node {node} needs every value, so the node stores rows, not partial results. "
EMITS: Final = "The node {node} emits rows before they are final (emit), and these rows have the old columns. "
NOT_FIRST: Final = "The node {node} reads another node instead of an input. "
EDGES: Final = "The node {node} reads edges, whose ends may still be missing. "
LATEST_INPUT: Final = "An output uses the latest input of its rows (timestamp), so windows store rows. "
FILTERED: Final = "The node {node} filters by {columns}, which would be incomplete in open windows. "
NOT_LIFETIME: Final = (
    "The output {node} changes the times of its rows (timestamp), so incomplete rows can't be marked. "
)
UNREADABLE: Final = "An expression of the node {node} cannot be read. "
OTHERWISE: Final = "The node {node} is different, or at another place. "


@dataclass(frozen=True)
class LackingColumns:
    """The `columns` of an output, possibly none, that are incomplete in windows of the node `window` that were open.

    They lack the events that reached `input` before; `filled` is how far after the last event a row for an empty window
    may be.
    """

    window: str
    input: str
    columns: tuple[str, ...]
    filled: Ticks


@dataclass(frozen=True)
class WidenedQuery:
    """The carried-over state: by window the aggregates that start empty, and by output the incomplete columns.

    An aggregate is complete at once if others already stored all its partial results: `avg` with a `sum` of the same
    values, `count` of all events. A window with only such aggregates is in `begin_empty` too, with an empty tuple.
    """

    begin_empty: Mapping[str, tuple[str, ...]]
    lacking: Mapping[str, LackingColumns]


class NotCarried(Exception):
    """State cannot be carried over; the message gives the reason to the user."""


def widened(before: QueryGraph, after: QueryGraph, edges: frozenset[str]) -> WidenedQuery:
    """Return how the state of the checked graph `before` is carried over to `after`. Raises `NotCarried`.

    `edges` are the inputs whose events are edges. The streams and settings of the inputs must be the same.
    """
    before, after = expanded(before), expanded(after)
    olds, news = ({node.id: node for node in graph.nodes} for graph in (before, after))
    empty: dict[str, tuple[str, ...]] = {}
    for each in state_differences(before, after):
        if each.standing == "widened":
            empty[each.node] = _begin_empty(_window(olds[each.node]), _window(news[each.node]))
            _require_partials(each.node, olds, news, edges)
        elif each.standing != "same":
            raise NotCarried(_why_not(each) + READ_AGAIN)
    _require_alike(olds, news)
    lacking = {}
    for node in after.nodes:
        if isinstance(node, OutputNode):
            lacks = _lacking(node, news, empty)
            if lacks is not None:
                lacking[node.id] = lacks
    return WidenedQuery(empty, lacking)


def _why_not(each: NodeDifference) -> str:
    words = {"lost": LOST, "new": NEW, "gone": GONE}
    return words[each.standing].format(node=each.node)


def _window(node: Node) -> WindowNode:
    if not isinstance(node, WindowNode):
        raise TypeError(f"{node.id!r} is not a window and cannot be widened")
    return node


def _begin_empty(old: WindowNode, new: WindowNode) -> tuple[str, ...]:
    """Return the aggregates of `new` whose partial results were not all stored."""
    kept: dict[tuple[str | None, str | None], set[str]] = {}
    for each in old.aggregates:
        kept.setdefault(_taken(each), set()).update(AGGREGATES[each.function].partials or ())
    kept.setdefault((None, None), set())  # the number of events of a window is always stored
    return tuple(
        each.name
        for each in new.aggregates
        if _taken(each) not in kept or not kept[_taken(each)].issuperset(AGGREGATES[each.function].partials or ())
    )


def _taken(each: Aggregate) -> tuple[str | None, str | None]:
    return each.of, each.filter


def _require_partials(name: str, olds: Mapping[str, Node], news: Mapping[str, Node], edges: frozenset[str]) -> None:
    """Raise if the state of the widened window is more than partial results over the rows of an input."""
    new = _window(news[name])
    if not isinstance(new.window, FixedWindow):
        raise NotCarried(NOT_FIXED.format(node=name) + READ_AGAIN)
    for each in (*_window(olds[name]).aggregates, *new.aggregates):
        if AGGREGATES[each.function].partials is None:
            raise NotCarried(KEEPS_VALUES.format(function=each.function, node=name) + READ_AGAIN)
    if new.emit != "final":
        raise NotCarried(EMITS.format(node=name) + READ_AGAIN)
    way = list(_back(new, news))
    if not isinstance(way[-1], InputNode):
        raise NotCarried(NOT_FIRST.format(node=name) + READ_AGAIN)
    if way[-1].id in edges and not any(isinstance(each, SetDurationNode) for each in way):
        raise NotCarried(EDGES.format(node=name) + READ_AGAIN)
    if any(
        isinstance(node, OutputNode) and node.timestamp == "latest_input" for node in (*olds.values(), *news.values())
    ):
        raise NotCarried(LATEST_INPUT + READ_AGAIN)


def _back(node: Node, by_id: Mapping[str, Node]) -> Iterator[Node]:
    """Yield the nodes before `node`, back to an input or to a node with state."""
    reads = sources(node)
    while reads:
        before = by_id[reads[0]]
        yield before
        if holds(before):
            return
        reads = sources(before)


def _require_alike(olds: Mapping[str, Node], news: Mapping[str, Node]) -> None:
    """Raise if stateless nodes other than projections and filters differ."""
    for name in (*news, *(name for name in olds if name not in news)):
        node, old = news.get(name), olds.get(name)
        if any(isinstance(each, ProjectNode | FilterNode) for each in (node, old) if each is not None):
            continue
        if node is None or old is None or (not holds(node) and _content(node, news) != _content(old, olds)):
            raise NotCarried(OTHERWISE.format(node=name) + READ_AGAIN)


def _content(node: Node, by_id: Mapping[str, Node]) -> object:
    """Return the content of `node`, and the first node before it that isn't a projection or a filter."""
    back = (each.id for each in _back(node, by_id) if not isinstance(each, ProjectNode | FilterNode))
    return node.kind, node.model_dump(mode="json", exclude={"input"}), next(back, None)


def _lacking(
    output: OutputNode, by_id: Mapping[str, Node], empty: Mapping[str, tuple[str, ...]]
) -> LackingColumns | None:
    """Return the incomplete columns of `output`; None if no window with aggregates that start empty feeds it."""
    way = list(_back(output, by_id))
    window = way[-1]
    names = empty.get(window.id, ())
    if not isinstance(window, WindowNode) or not names:
        return None
    for node in reversed(way[:-1]):
        if isinstance(node, ProjectNode):
            names = tuple(each.name for each in node.columns if _read(node, each.of).intersection(names))
        elif isinstance(node, FilterNode) and (read := _read(node, node.where).intersection(names)):
            raise NotCarried(FILTERED.format(node=node.id, columns=", ".join(sorted(read))) + READ_AGAIN)
        elif not isinstance(node, FilterNode):
            raise NotCarried(NOT_LIFETIME.format(node=node.id) + READ_AGAIN)
    if output.timestamp != "lifetime":
        raise NotCarried(NOT_LIFETIME.format(node=output.id) + READ_AGAIN)
    source = list(_back(window, by_id))[-1]
    filled = NO_TICKS if window.empty_gap is None else parse_duration(window.empty_gap)
    return LackingColumns(window.id, source.id, names, filled)


def _read(node: Node, text: str) -> frozenset[str]:
    """Return the fields that the expression `text` of `node` reads."""
    try:
        return fields_used(parse(text))
    except ExpressionError:
        raise NotCarried(UNREADABLE.format(node=node.id) + READ_AGAIN) from None
