"""Checks of late events that are kept (`late: keep`): the nodes they may reach, and the grace of windows (T9, T19)."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

from streaming.definition.analytic import AnalyticNode
from streaming.definition.checks.wiring import feeding, ports
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
    StitchNode,
    ToIntervalsNode,
    TopKNode,
    Windowed,
    WindowNode,
)
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.windows import CalendarWindow, FixedWindow, TimeIntervalWindow
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime, Late
from streaming.temporal.ticks import NO_TICKS, Ticks, format_duration, parse_duration

_JOINS: Final[tuple[type[Any], ...]] = (JoinNode, AntiJoinNode, SemiJoinNode, AsofJoinNode, ClipNode)
_REFUSING: Final[tuple[type[Any], ...]] = (*_JOINS, StitchNode)
"""Nodes that may refuse kept late events."""
_DECIDING: Final[tuple[type[Any], ...]] = (WindowNode, TopKNode, MatchRecognizeNode, AnalyticNode)
"""Nodes that decide about kept late events and pass none on."""
_END_EDGES: Final[tuple[type[Any], ...]] = (SetDurationNode, PointAtEndNode, ToIntervalsNode, StitchNode)
"""Nodes after which no edge is open: every event that leaves them has its final start and end."""


@dataclass(frozen=True)
class _Reach:
    """Late events of the input `input` reach `node` by the field `port`; with `edges`, as separate starts and ends."""

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
    """Return all faults of kept late events and of the grace of windows, for the settings by input node.

    `presets` are the input nodes whose late policy comes from a preset. A node never retracts a released row. So a late
    event must not reach a node where it would change the results of other events: the filtering side of a join or, as
    an edge, any join at all (LATE_KEEP_REFUSED).
    """
    reaches = [
        reach
        for node in graph.nodes
        if isinstance(node, InputNode) and node.id in advance and advance[node.id].late is Late.KEEP
        for reach in _reaches(graph, node, streams[node.stream].shape in (Shape.EDGE, Shape.TABLE))
    ]
    return (*_check_joins(reaches, presets), *_check_graces(graph, advance, _reaching(reaches)))


def _reaching(reaches: list[_Reach]) -> Mapping[str, list[str]]:
    """Return, by window or top_k, the inputs whose kept late events reach it."""
    by_window: dict[str, list[str]] = {}
    for reach in reaches:
        inputs = by_window.setdefault(reach.node.id, [])
        if reach.input not in inputs:
            inputs.append(reach.input)
    return by_window


def _reaches(graph: QueryGraph, start: InputNode, edges: bool) -> Iterator[_Reach]:
    """Yield every node, with its port, that late events of `start` reach; they do not pass nodes that decide them."""
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
            if following not in seen and not isinstance(node, _DECIDING):
                seen.add(following)
                pending.append(following)


def _check_joins(reaches: list[_Reach], presets: Set[str]) -> Iterator[Fault]:
    refused: set[tuple[str, str, str]] = set()
    for reach in reaches:
        place = (reach.input, reach.node.id, reach.port)
        if not isinstance(reach.node, _REFUSING) or place in refused:
            continue
        if reach.edges or _changes_others(reach.node, reach.port):
            refused.add(place)
            yield _refuse(reach, by_preset=reach.input in presets)
        else:
            other = next(field for field, _ in ports(reach.node) if field != reach.port)
            message = (
                f"Late events of {reach.input!r} are kept and reach {reach.port!r}, however late. So all events that "
                f"reached {other!r} stay in memory forever."
            )
            remedy = f"Set 'late' of {reach.input!r} to drop, adjust or shift if the query runs for a long time."
            yield warning(FaultCode.UNBOUNDED_STATE, message, remedy, node=reach.node.id, field=reach.port)


def _changes_others(node: Node, port: str) -> bool:
    """Return whether events that arrive by `port` change the results of other events."""
    if isinstance(node, StitchNode):
        return True
    if isinstance(node, JoinNode):
        return node.type == "left_outer" and port == "right"
    return port in ("right", "by")


def _refuse(reach: _Reach, *, by_preset: bool) -> Fault:
    kept = f"Late events of {reach.input!r} are kept and reach {reach.port!r} of {reach.node.id!r}"
    if isinstance(reach.node, StitchNode):
        message = f"{kept}: a late event would change lifetimes that are already joined and released."
        otherwise = "put a window before it"
    elif reach.edges:
        message = f"{kept} as edges: a late end would change pairs that are already released."
        otherwise = "put a to_intervals node before the join"
    else:
        message = f"{kept}, where they would change results that are already released."
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
    """Yield the warnings about the grace of each window; `kept` are the inputs whose kept late events reach it.

    With every other policy, no event leaves a node that starts before that node's CTI, whatever lanes, unions, joins,
    shifts and edges come before the window. So a complete window receives no more events, and a grace has no effect.
    """
    for node in graph.nodes:
        if isinstance(node, MatchRecognizeNode | AnalyticNode):
            yield from _check_grace_of_rows(node, kept.get(node.id, ()))
        if not isinstance(node, Windowed):
            continue
        path, grace = _written_grace(node)
        if grace is not None and grace > 0 and node.id not in kept:
            yield _unused(node, path, grace)
        waits = grace_of(node, graph, advance)
        if grace is None and waits > 0 and _final(node):
            yield _day_late(node, path, waits)
        if waits == 0 and _has_no_written_grace(node) and node.id in kept:
            yield _without(node, path, kept[node.id])


def _check_grace_of_rows(node: MatchRecognizeNode | AnalyticNode, kept: Sequence[str]) -> Iterator[Fault]:
    """Yield the warnings about the grace of a node over rows in order (T36); `kept` as in `_check_graces`."""
    grace = node.grace_ticks
    if grace > 0 and not kept:
        message = (
            "No input with 'late: keep' reaches this node, so no event can arrive in the "
            f"{format_duration(grace)} for which it waits. The grace only delays its results."
        )
        remedy = "Leave it out, or set 'late: keep' on an input."
        yield warning(FaultCode.NO_EFFECT, message, remedy, node=node.id, field="grace")
    if kept and node.grace is None:
        message = (
            f"Late events of {' and '.join(map(repr, kept))} are kept, but this {node.kind} has no grace: it decides "
            "at the CTI, so every late event is dropped (dropped_window_closed)."
        )
        remedy = "Set 'grace', such as '30s', to the time for which late events take their place, or to '0s' for none."
        yield warning(FaultCode.KEEP_WITHOUT_GRACE, message, remedy, node=node.id, field="grace")


def _final(node: Windowed) -> bool:
    return isinstance(node, TopKNode) or node.emit == "final"


def _has_no_written_grace(node: Windowed) -> bool:
    """Return whether the user may not have set a grace; a `discard_age` of zero can be its default."""
    return isinstance(node.window, TimeIntervalWindow) or isinstance(node, TopKNode) or node.grace is None


def _unused(node: Windowed, path: str, grace: Ticks) -> Fault:
    message = (
        f"No input with 'late: keep' reaches this window, so no event can arrive in the "
        f"{format_duration(grace)} for which it stays open after its end. "
        f"The grace only delays {'its results' if _final(node) else 'its CTIs'}."
    )
    remedy = "Leave it out, or set 'late: keep' on an input."
    return warning(FaultCode.NO_EFFECT, message, remedy, node=node.id, field=path)


def _day_late(node: Windowed, path: str, waits: Ticks) -> Fault:
    message = (
        f"The preset of its input keeps this window open for {format_duration(waits)} after its end, "
        "so its results appear only then."
    )
    remedy = "Set 'grace', such as '30s', or 'emit: on_complete', to get results sooner."
    if isinstance(node, TopKNode):
        remedy = "Use a time_interval window with a 'discard_age' to get results sooner."
    return warning(FaultCode.LATE_RESULTS, message, remedy, node=node.id, field=path)


def _without(node: Windowed, path: str, inputs: Sequence[str]) -> Fault:
    message = (
        f"Late events of {' and '.join(map(repr, inputs))} are kept, but {_each_window(node)} has no grace and closes "
        "at its end. A late event whose windows have all ended is dropped (dropped_window_closed)."
    )
    if isinstance(node.window, TimeIntervalWindow):
        remedy = "Set 'discard_age', such as '30s', to the time for which windows accept late events."
    elif isinstance(node, TopKNode):
        remedy = "Use a time_interval window with a 'discard_age', such as '30s', or set 'late' to drop."
    else:
        remedy = "Set 'grace', such as '30s', to the time for which windows accept late events, or to '0s' for none."
    return warning(FaultCode.KEEP_WITHOUT_GRACE, message, remedy, node=node.id, field=path)


def _each_window(node: Windowed) -> str:
    if not isinstance(node.window, FixedWindow):
        return f"each {node.window.kind} window"
    if isinstance(node.window, CalendarWindow):
        return f"each {node.window.unit}"
    return f"each window of {format_duration(node.window.panes().size)}"


def _written_grace(node: Windowed) -> tuple[str, Ticks | None]:
    """Return the field with the grace of the windows of `node`, and its value; None if it is not set."""
    if isinstance(node.window, TimeIntervalWindow):
        return "window.discard_age", parse_duration(node.window.discard_age)
    if isinstance(node, TopKNode):
        return "window", None
    return "grace", None if node.grace is None else parse_duration(node.grace)


def grace_of(node: Windowed, graph: QueryGraph, advance: Mapping[str, AdvanceTime]) -> Ticks:
    """Return how long the windows of `node` stay open after their end (T19).

    Without a grace of its own, a node has the longest default of the inputs that reach it: 24 hours for the preset
    lenses, else zero.
    """
    _, written = _written_grace(node)
    if written is not None:
        return written
    names = feeding(graph, node.id)
    return max((advance[name].default_grace for name in names if name in advance), default=NO_TICKS)
