"""Checks for events that are certain to be in too many windows, because nodes before give them long lifetimes (T24)."""

from collections.abc import Iterable, Iterator, Mapping

from streaming.definition.checks.window_sizes import check_window, fixed_panes
from streaming.definition.faults import Fault, FaultCode, Severity, error
from streaming.definition.graph import (
    AsofJoinNode,
    ExtendNode,
    FilterNode,
    Node,
    ProjectNode,
    SetDurationNode,
    ShiftNode,
    TopKNode,
    UnionNode,
    Windowed,
    WindowNode,
    sources,
)
from streaming.definition.windows import FixedWindow, SessionWindow
from streaming.temporal.calendar_windows import CalendarWindows
from streaming.temporal.ticks import ONE_TICK, Ticks, format_duration, parse_duration
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT


def check_lengths(by_id: Mapping[str, Node], placed: Iterable[str]) -> Iterator[Fault]:
    """Yield TOO_MANY_WINDOWS where even the shortest possible event is in more windows than the cap.

    `placed` are the ids in an order in which each comes after its inputs.
    """
    least: dict[str, Ticks] = {}
    for name in placed:
        node = by_id[name]
        if isinstance(node, WindowNode | TopKNode):
            yield from _check_windows(node, least.get(node.input, ONE_TICK))
        least[name] = max(ONE_TICK, _least(node, [least.get(source, ONE_TICK) for source in sources(node)]))


def _least(node: Node, before: list[Ticks]) -> Ticks:
    """Return the shortest lifetime that can leave `node`; `before` are those of its inputs."""
    match node:
        case FilterNode() | ProjectNode() | ShiftNode() | AsofJoinNode():
            return before[0]
        case UnionNode():
            return min(before)
        case ExtendNode():
            return Ticks(before[0] + parse_duration(node.by))
        case SetDurationNode() if node.duration is not None:
            return parse_duration(node.duration)
        case WindowNode() | TopKNode():
            return _least_pane(node)
        case _:
            return ONE_TICK


def _least_pane(node: Windowed) -> Ticks:
    if isinstance(node.window, SessionWindow):
        return parse_duration(node.window.gap)
    if not isinstance(node.window, FixedWindow) or not _sound(node):
        return ONE_TICK
    panes = fixed_panes(node)
    return panes.hop if isinstance(panes, CalendarWindows) else panes.size


def _sound(node: Windowed) -> bool:
    return not any(fault.severity is Severity.ERROR for fault in check_window(node))


def _check_windows(node: Windowed, length: Ticks) -> Iterator[Fault]:
    if not isinstance(node.window, FixedWindow) or not _sound(node):
        return
    windows = fixed_panes(node)
    longest_hop = windows.size if isinstance(windows, CalendarWindows) else windows.hop
    if (length - 1 + windows.size) // longest_hop > MAX_WINDOWS_PER_EVENT:
        message = (
            f"Every event here lives for {format_duration(length)} or more, and would be in more than "
            f"{MAX_WINDOWS_PER_EVENT} windows, one each {format_duration(longest_hop)}."
        )
        remedy = "Make the windows longer, or shorten the lifetimes before them with point_at_end or set_duration."
        yield error(FaultCode.TOO_MANY_WINDOWS, message, remedy, node=node.id, field="window")
