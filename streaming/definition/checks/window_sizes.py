"""Checks of the sizes of windows (T19, T23, T24, T25)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from streaming.definition.faults import Fault, FaultCode, error, warning
from streaming.definition.graph import Windowed
from streaming.definition.windows import (
    FixedPanes,
    FixedWindow,
    HoppingWindow,
    SessionWindow,
    TimeIntervalWindow,
    TumblingWindow,
)
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, Ticks, format_duration, parse_duration
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT, HoppingWindows

LONGEST: Final = Ticks(LAST_TICK - FIRST_TICK + 1)
"""The years 1 to 9999: no longer duration is useful, and up to it all window arithmetic stays in int64."""


def fixed_panes(node: Windowed) -> FixedPanes:
    """Return the fixed windows of a node without faults; those of a time_interval hop by its period.

    Raises TypeError for windows that events create: session, snapshot, count.
    """
    if not isinstance(node.window, FixedWindow):
        raise TypeError(f"the windows of {node.id!r} are of kind {node.window.kind}; they have no fixed sizes")
    return node.window.panes()


def hopping_windows(node: Windowed) -> HoppingWindows:
    """Return the windows of one size of a node without errors. Raises TypeError for others."""
    panes = fixed_panes(node)
    if not isinstance(panes, HoppingWindows):
        raise TypeError(f"the windows of {node.id!r} have no fixed size")
    return panes


_Sized = TumblingWindow | HoppingWindow | TimeIntervalWindow
"""Windows of one size."""


def _size_and_hop(spec: _Sized) -> tuple[tuple[str, Ticks], tuple[str, Ticks]]:
    """Return both lengths, each with the name of its field."""
    match spec:
        case TumblingWindow():
            size, hop = ("size", spec.size), ("size", spec.size)
        case HoppingWindow():
            size, hop = ("size", spec.size), ("hop", spec.hop)
        case TimeIntervalWindow():
            size = ("duration", spec.duration)
            hop = size if spec.period is None else ("period", spec.period)
    return (size[0], parse_duration(size[1])), (hop[0], parse_duration(hop[1]))


def check_window(node: Windowed) -> Iterator[Fault]:
    """Return all faults of the sizes in `node.window`."""
    check = _CHECKS.get(type(node.window))
    return iter(()) if check is None else check(node.window, node.id)


def _check_fixed(spec: _Sized, node: str) -> Iterator[Fault]:
    (size_name, size), (hop_name, hop) = _size_and_hop(spec)
    faults = [fault for name, length in {size_name: size, hop_name: hop}.items() for fault in _size(name, length, node)]
    yield from faults
    offset = parse_duration(spec.offset)
    if abs(offset) > LONGEST:
        message = f"The offset of the window is {format_duration(offset)}, which is too long."
        remedy = f"Write an offset between zero and the {hop_name}; longer ones define the same windows."
        yield error(FaultCode.BAD_WINDOW, message, remedy, node=node, field="window.offset")
    if isinstance(spec, TimeIntervalWindow):
        yield from check_grace(parse_duration(spec.discard_age), node, "window.discard_age")
    if not faults and hop_name != size_name:
        yield from _check_overlap(node, (size_name, size), (hop_name, hop))


def _check_session(spec: SessionWindow, node: str) -> Iterator[Fault]:
    gap = parse_duration(spec.gap)
    faults = list(_size("gap", gap, node))
    yield from faults
    if spec.max is None:
        return
    longest = parse_duration(spec.max)
    if longest > LONGEST:
        yield from _size("max", longest, node)
    elif longest < gap and not faults:
        message = f"The session may last at most {format_duration(longest)}, which is less than its gap."
        remedy = f"Set 'max' to at least {format_duration(gap)}: a single event creates a session of that length."
        yield error(FaultCode.BAD_WINDOW, message, remedy, node=node, field="window.max")


_CHECKS: Final[Mapping[type[Any], Callable[[Any, str], Iterator[Fault]]]] = {
    TumblingWindow: _check_fixed,
    HoppingWindow: _check_fixed,
    TimeIntervalWindow: _check_fixed,
    SessionWindow: _check_session,
}
"""Checks by the model of windows; others have no sizes, or the model itself bounds them."""


def _size(name: str, length: Ticks, node: str) -> Iterator[Fault]:
    if not 0 < length <= LONGEST:
        message = f"The {name} of the window is {format_duration(length)}, which is out of range."
        remedy = "Write a duration above zero, such as '5m'." if length <= 0 else "Write less than 9999 years."
        yield error(FaultCode.BAD_WINDOW, message, remedy, node=node, field=f"window.{name}")


def check_grace(grace: Ticks, node: str, path: str) -> Iterator[Fault]:
    """Yield the error of a grace that is below zero or too long (T19)."""
    if not 0 <= grace <= LONGEST:
        message = f"Windows cannot stay open for {format_duration(grace)} after their end."
        remedy = "Write zero or more, such as '30s'." if grace < 0 else "Write less than 9999 years."
        yield error(FaultCode.BAD_WINDOW, message, remedy, node=node, field=path)


def _check_overlap(node: str, sized: tuple[str, Ticks], hopped: tuple[str, Ticks]) -> Iterator[Fault]:
    (size_name, size), (hop_name, hop) = sized, hopped
    sizes = f"{size_name} {format_duration(size)}, {hop_name} {format_duration(hop)}"
    field = f"window.{hop_name}"
    if hop > size:
        message = f"There are gaps between the windows ({sizes}); an event in a gap is in no window."
        remedy = f"To count every event, make the {hop_name} no longer than the {size_name}."
        yield warning(FaultCode.GAPS_BETWEEN_WINDOWS, message, remedy, node=node, field=field)
    if size > hop * MAX_WINDOWS_PER_EVENT:
        message = f"An event would be in more than {MAX_WINDOWS_PER_EVENT} windows ({sizes})."
        remedy = f"Make the {hop_name} at least {format_duration(Ticks(-(-size // MAX_WINDOWS_PER_EVENT)))}."
        yield error(FaultCode.TOO_MANY_WINDOWS, message, remedy, node=node, field=field)


def check_length(length: Ticks, what: str, node: str, path: str) -> Iterator[Fault]:
    """Yield the error of a `length` that is not above zero, or too long; `what` starts the message."""
    if not 0 < length <= LONGEST:
        remedy = "Write a duration above zero, such as '5m'." if length <= 0 else "Write less than 9999 years."
        message = f"{what} is {format_duration(length)}, which is out of range."
        yield error(FaultCode.BAD_DURATION, message, remedy, node=node, field=path)


def check_row_grace(grace: Ticks, node: str) -> Iterator[Fault]:
    """Yield the error of a sequence or of analytic functions whose grace is below zero or too long (T36)."""
    if not 0 <= grace <= LONGEST:
        remedy = "Write zero or more, such as '30s'." if grace < 0 else "Write less than 9999 years."
        message = f"The grace is {format_duration(grace)}, which is out of range."
        yield error(FaultCode.BAD_DURATION, message, remedy, node=node, field="grace")
