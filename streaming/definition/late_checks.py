"""Where late events may go that are kept (`late: keep`), and how long windows wait for them (T9, T19)."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

from streaming.definition.faults import Fault, FaultCode, error, warning
from streaming.definition.graph import (
    AntiJoinNode,
    AsofJoinNode,
    ClipNode,
    InputNode,
    JoinNode,
    Node,
    PointAtEndNode,
    QueryGraph,
    SemiJoinNode,
    SetDurationNode,
    ToIntervalsNode,
    TopKNode,
    Windowed,
    WindowNode,
)
from streaming.definition.streams import StreamDefinition
from streaming.definition.windows import FixedWindow, TimeIntervalWindow
from streaming.definition.wiring import feeding, ports
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime, Late
from streaming.temporal.ticks import NO_TICKS, Ticks, format_duration, parse_duration

_JOINS: Final[tuple[type[Any], ...]] = (JoinNode, AntiJoinNode, SemiJoinNode, AsofJoinNode, ClipNode)
_END_EDGES: Final[tuple[type[Any], ...]] = (SetDurationNode, PointAtEndNode, ToIntervalsNode)
"""Nodes behind which no edge is open: what leaves them has both its ends for good."""


@dataclass(frozen=True)
class _Reach:
    """Late events of the input `input` come to `node` by the field `port`; with `edges`, starts and ends apart."""

    input: str
    edges: bool
    node: Node
    port: str


def check_late(
    graph: QueryGraph,
    streams: Mapping[str, StreamDefinition],
    advance: Mapping[str, AdvanceTime],
    presets: Set[str] = frozenset(),
) -> tuple[Fault, ...]:
    """All faults of late events that are kept, and of the grace of windows, under the settings by input node.

    `presets` are the input nodes whose settings are a preset, which then says that late events are kept.
    What a node has released is never taken back. So a late event may not reach where it would change the results of
    other events: the filtering side of a join, or, as an edge, any join at all (LATE_KEEP_REFUSED).
    """
    reaches = [
        reach
        for node in graph.nodes
        if isinstance(node, InputNode) and node.id in advance and advance[node.id].late is Late.KEEP
        for reach in _reaches(graph, node, streams[node.stream].shape is Shape.EDGE)
    ]
    return (*_check_joins(reaches, presets), *_check_graces(graph, advance, _reaching(reaches)))


def _reaching(reaches: list[_Reach]) -> Mapping[str, list[str]]:
    """By window or top_k, the inputs whose kept late events come to it."""
    found: dict[str, list[str]] = {}
    for reach in reaches:
        inputs = found.setdefault(reach.node.id, [])
        if reach.input not in inputs:
            inputs.append(reach.input)
    return found


def _reaches(graph: QueryGraph, start: InputNode, edges: bool) -> Iterator[_Reach]:
    """Every node, with its port, to which late events of `start` come; windows and top_k let none through."""
    readers: dict[str, list[tuple[str, Node]]] = {node.id: [] for node in graph.nodes}
    for node in graph.nodes:
        for port, source in ports(node):
            readers.setdefault(source, []).append((port, node))
    seen = {(start.id, edges)}
    pending = [(start.id, edges)]
    for name, open_edges in pending:
        for port, node in readers[name]:
            yield _Reach(start.id, open_edges, node, port)
            following = (node.id, open_edges and not isinstance(node, _END_EDGES))
            if following not in seen and not isinstance(node, WindowNode | TopKNode):
                seen.add(following)
                pending.append(following)


def _check_joins(reaches: list[_Reach], presets: Set[str]) -> Iterator[Fault]:
    refused: set[tuple[str, str, str]] = set()
    for reach in reaches:
        place = (reach.input, reach.node.id, reach.port)
        if not isinstance(reach.node, _JOINS) or place in refused:
            continue
        if reach.edges or _filters(reach.node, reach.port):
            refused.add(place)
            yield _refused(reach, by_preset=reach.input in presets)
        else:
            other = next(field for field, _ in ports(reach.node) if field != reach.port)
            message = (
                f"Late events of {reach.input!r} are kept and come by {reach.port!r}, however late, so everything that "
                f"came by {other!r} is remembered for ever."
            )
            remedy = f"Set 'late' of {reach.input!r} to drop, adjust or shift, if the query is to run for long."
            yield warning(FaultCode.UNBOUNDED_STATE, message, remedy, node=reach.node.id, field=reach.port)


def _filters(node: Node, port: str) -> bool:
    """Whether events that come by `port` decide what becomes of events of the other side."""
    if isinstance(node, JoinNode):
        return node.type == "left_outer" and port == "right"
    return port in ("right", "by")


def _refused(reach: _Reach, *, by_preset: bool) -> Fault:
    kept = f"Late events of {reach.input!r} are kept and reach {reach.port!r} of {reach.node.id!r}"
    if reach.edges:
        message = f"{kept} as edges: a late end would change pairs that were released already."
        otherwise = "put a to_intervals node before the join"
    else:
        message = f"{kept}, where they would change results that were released already."
        otherwise = "put a window before that side"
    if by_preset:
        remedy = f"Choose a preset that keeps no late events, such as watermark(5s), or {otherwise}."
    else:
        remedy = f"Set 'late' to drop, adjust or shift, or {otherwise}."
    field = "preset" if by_preset else "late"
    return error(FaultCode.LATE_KEEP_REFUSED, message, remedy, node=reach.input, field=field)


def _check_graces(
    graph: QueryGraph, advance: Mapping[str, AdvanceTime], kept: Mapping[str, Sequence[str]]
) -> Iterator[Fault]:
    """The warnings about the grace of each window; `kept` are the inputs whose kept late events come to it.

    Under every other policy nothing leaves a node that starts before that node's CTI, whatever lanes, unions, joins,
    shifts and edges are before the window: so a window that is complete gets nothing more, and a grace does nothing.
    """
    for node in graph.nodes:
        if not isinstance(node, Windowed):
            continue
        path, grace = _written_grace(node)
        if grace is not None and grace > 0 and node.id not in kept:
            yield _unused(node, path, grace)
        waits = grace_of(node, graph, advance)
        if grace is None and waits > 0 and _final(node):
            yield _day_late(node, path, waits)
        if waits == 0 and _not_said(node) and node.id in kept:
            yield _without(node, path, kept[node.id])


def _final(node: Windowed) -> bool:
    return isinstance(node, TopKNode) or node.emit == "final"


def _not_said(node: Windowed) -> bool:
    """Whether nobody wrote that windows close at their end; a `discard_age` of zero may not have been written."""
    return isinstance(node.window, TimeIntervalWindow) or isinstance(node, TopKNode) or node.grace is None


def _unused(node: Windowed, path: str, grace: Ticks) -> Fault:
    message = (
        f"No input whose late events are kept reaches this window, so nothing can come in the "
        f"{format_duration(grace)} for which it stays open after its end; "
        f"{'its results' if _final(node) else 'its CTIs'} only come later."
    )
    remedy = "Leave it out, or set 'late: keep' on an input."
    return warning(FaultCode.NO_EFFECT, message, remedy, node=node.id, field=path)


def _day_late(node: Windowed, path: str, waits: Ticks) -> Fault:
    message = (
        f"The preset of its input keeps this window open for {format_duration(waits)} after its end, "
        "and its results come only then."
    )
    remedy = "Set 'grace', such as '30s', or 'emit: on_complete', if results are to come sooner."
    if isinstance(node, TopKNode):
        remedy = "Use a time_interval window with a 'discard_age', if results are to come sooner."
    return warning(FaultCode.LATE_RESULTS, message, remedy, node=node.id, field=path)


def _without(node: Windowed, path: str, inputs: Sequence[str]) -> Fault:
    message = (
        f"Late events of {' and '.join(map(repr, inputs))} are kept, and {_each_window(node)} closes at its end, for "
        "no grace is said: a late event whose windows have all ended is refused (dropped_window_closed)."
    )
    if isinstance(node.window, TimeIntervalWindow):
        remedy = "Set 'discard_age', such as '30s', to the time for which late events are to be taken."
    elif isinstance(node, TopKNode):
        remedy = "Use a time_interval window with a 'discard_age', such as '30s', or set 'late' to drop."
    else:
        remedy = "Set 'grace', such as '30s', to the time for which late events are to be taken, or to '0s' if none is."
    return warning(FaultCode.KEEP_WITHOUT_GRACE, message, remedy, node=node.id, field=path)


def _each_window(node: Windowed) -> str:
    if not isinstance(node.window, FixedWindow):
        return f"each {node.window.kind} window"
    return f"each window of {format_duration(node.window.panes().size)}"


def _written_grace(node: Windowed) -> tuple[str, Ticks | None]:
    """The field that says how long the windows of `node` stay open, and what it says; None if nothing is said."""
    if isinstance(node.window, TimeIntervalWindow):
        return "window.discard_age", parse_duration(node.window.discard_age)
    if isinstance(node, TopKNode):
        return "window", None
    return "grace", None if node.grace is None else parse_duration(node.grace)


def grace_of(node: Windowed, graph: QueryGraph, advance: Mapping[str, AdvanceTime]) -> Ticks:
    """How long the windows of `node` stay open after their end (T19).

    Where it does not say so, the most that an input asks which reaches it: 24 hours behind one with the preset lenses,
    else zero.
    """
    _, written = _written_grace(node)
    if written is not None:
        return written
    names = feeding(graph, node.id)
    return max((advance[name].default_grace for name in names if name in advance), default=NO_TICKS)
