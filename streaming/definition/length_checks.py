"""Events that are certain to be in too many windows, because the nodes before give them long lifetimes (T24)."""

from collections.abc import Iterable, Iterator, Mapping

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
from streaming.definition.window_checks import check_window, hopping_windows
from streaming.definition.windows import FixedWindow, SessionWindow
from streaming.temporal.ticks import ONE_TICK, Ticks, format_duration, parse_duration
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT


def check_lengths(by_id: Mapping[str, Node], placed: Iterable[str]) -> Iterator[Fault]:
    """TOO_MANY_WINDOWS where even the shortest event that can come is in more windows than the cap.

    `placed` are the ids so that each comes after what it reads.
    """
    least: dict[str, Ticks] = {}
    for name in placed:
        node = by_id[name]
        if isinstance(node, WindowNode | TopKNode):
            yield from _check_windows(node, least.get(node.input, ONE_TICK))
        least[name] = max(ONE_TICK, _least(node, [least.get(source, ONE_TICK) for source in sources(node)]))


def _least(node: Node, before: list[Ticks]) -> Ticks:
    """The length that every lifetime which leaves `node` has at least, given those of what it reads."""
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
    return hopping_windows(node).size if isinstance(node.window, FixedWindow) and _sound(node) else ONE_TICK


def _sound(node: Windowed) -> bool:
    return not any(fault.severity is Severity.ERROR for fault in check_window(node))


def _check_windows(node: Windowed, length: Ticks) -> Iterator[Fault]:
    if not isinstance(node.window, FixedWindow) or not _sound(node):
        return
    windows = hopping_windows(node)
    if (length - 1 + windows.size) // windows.hop > MAX_WINDOWS_PER_EVENT:
        message = (
            f"Every event that comes here lives for {format_duration(length)} or more, and would be in more than "
            f"{MAX_WINDOWS_PER_EVENT} windows, one each {format_duration(windows.hop)}."
        )
        remedy = "Make the windows longer, or shorten the lifetimes before them with point_at_end or set_duration."
        yield error(FaultCode.TOO_MANY_WINDOWS, message, remedy, node=node.id, field="window")
