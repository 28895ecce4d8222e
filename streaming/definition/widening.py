"""Whether what a query holds can be carried over to another version of it, and which columns are not whole then.

It can where windows were widened: they, their groups and all that they read are the same, aggregates were added or
removed, and nothing but projections and filters follows. Begun with: fixed windows right behind an input, final rows,
aggregates that merge. Every other node that holds something has to be the same.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from streaming.definition.aggregate_functions import AGGREGATES
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
from streaming.definition.state_differences import NodeDifference, holds, state_differences
from streaming.definition.windows import FixedWindow
from streaming.temporal.ticks import NO_TICKS, Ticks, parse_duration

READ_AGAIN: Final = "What is open can only be read again."
LOST: Final = (
    "The node {node} is another one in this version, or reads something else, so that what it holds does not fit. "
)
NEW: Final = "The node {node} is new, and would lack what was read before. "
GONE: Final = "The node {node} is not in this version. "
NOT_FIXED: Final = (
    "The node {node} keeps rows, not partial results: only fixed windows (tumbling, hopping, time_interval) can be "
    "widened without reading again. "
)
KEEPS_VALUES: Final = (
    "{function} of the node {node} needs every value, so that the node keeps rows and not partial results. "
)
EMITS: Final = "The node {node} gives rows before they are final (emit), and knows those it gave with other columns. "
NOT_FIRST: Final = "The node {node} does not read an input, but what another node gives. "
EDGES: Final = "The node {node} reads edges, whose ends may be yet to come. "
LATEST_INPUT: Final = "An output asks for the latest input of its rows (timestamp), so that windows keep rows. "
FILTERED: Final = "The node {node} keeps rows by {columns}, which would be incomplete in the windows that are open. "
NOT_LIFETIME: Final = "The output {node} moves the times of its rows (timestamp), so that none can be marked by them. "
UNREADABLE: Final = "An expression of the node {node} cannot be read. "
OTHERWISE: Final = "The node {node} is another one, or stands in another place. "


@dataclass(frozen=True)
class LackingColumns:
    """The `columns` of an output, perhaps none, that are not whole in windows of the node `window` that were open.

    They lack what came to `input` before; `filled`: so far a row without events may stand behind the last that came.
    """

    window: str
    input: str
    columns: tuple[str, ...]
    filled: Ticks


@dataclass(frozen=True)
class WidenedQuery:
    """How state is carried over: by window the aggregates that begin empty, and by output the columns that lack rows.

    An aggregate is whole at once where all that it needs was kept for others: `avg` beside a `sum` of the same, `count`
    of all events. A window that only has such is in `begin_empty` too, with none.
    """

    begin_empty: Mapping[str, tuple[str, ...]]
    lacking: Mapping[str, LackingColumns]


class NotCarried(Exception):
    """State cannot be carried over; the message is a sentence for the user that says why."""


def widened(before: QueryGraph, after: QueryGraph, edges: frozenset[str]) -> WidenedQuery:
    """How the state of the checked graph `before` is carried over to `after`. Raises `NotCarried`.

    `edges` are the inputs whose events are edges. Streams and settings of the inputs have to be the same.
    """
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
        raise TypeError(f"{node.id!r} is no window, and cannot be widened")
    return node


def _begin_empty(old: WindowNode, new: WindowNode) -> tuple[str, ...]:
    """The aggregates of `new` for which not all that they need was kept."""
    kept: dict[tuple[str | None, str | None], set[str]] = {}
    for each in old.aggregates:
        kept.setdefault(_taken(each), set()).update(AGGREGATES[each.function].partials or ())
    kept.setdefault((None, None), set())  # how many events a window has is known always
    return tuple(
        each.name
        for each in new.aggregates
        if _taken(each) not in kept or not kept[_taken(each)].issuperset(AGGREGATES[each.function].partials or ())
    )


def _taken(each: Aggregate) -> tuple[str | None, str | None]:
    return each.of, each.filter


def _require_partials(name: str, olds: Mapping[str, Node], news: Mapping[str, Node], edges: frozenset[str]) -> None:
    """Raise where the state of the widened window is more than partials of what an input gave."""
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
    """What `node` reads, back to an input or to what holds something."""
    reads = sources(node)
    while reads:
        before = by_id[reads[0]]
        yield before
        if holds(before):
            return
        reads = sources(before)


def _require_alike(olds: Mapping[str, Node], news: Mapping[str, Node]) -> None:
    """Raise where more than projections and filters differ of what holds nothing."""
    for name in (*news, *(name for name in olds if name not in news)):
        node, old = news.get(name), olds.get(name)
        if any(isinstance(each, ProjectNode | FilterNode) for each in (node, old) if each is not None):
            continue
        if node is None or old is None or (not holds(node) and _stands(node, news) != _stands(old, olds)):
            raise NotCarried(OTHERWISE.format(node=name) + READ_AGAIN)


def _stands(node: Node, by_id: Mapping[str, Node]) -> object:
    """What `node` says, and what it reads but for projections and filters."""
    back = (each.id for each in _back(node, by_id) if not isinstance(each, ProjectNode | FilterNode))
    return node.kind, node.model_dump(mode="json", exclude={"input"}), next(back, None)


def _lacking(
    output: OutputNode, by_id: Mapping[str, Node], empty: Mapping[str, tuple[str, ...]]
) -> LackingColumns | None:
    """What `output` lacks; None where it is no output of a window that was widened by what begins empty."""
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
    """The fields that the expression `text` of `node` reads."""
    try:
        return fields_used(parse(text))
    except ExpressionError:
        raise NotCarried(UNREADABLE.format(node=node.id) + READ_AGAIN) from None
