"""Whether a window's sizes make sense (T23, T24, T25)."""

from collections.abc import Iterator
from typing import Final

from streaming.definition.faults import Fault, FaultCode, error, warning
from streaming.definition.graph import HoppingWindow, WindowNode
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, Ticks, format_duration, parse_duration
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT, HoppingWindows

LONGEST: Final = Ticks(LAST_TICK - FIRST_TICK + 1)
"""The years 1 to 9999: nothing longer has a use, and within it all window arithmetic stays in int64."""


def hopping_windows(node: WindowNode) -> HoppingWindows:
    """The windows of a node without faults; tumbling windows hop by their size."""
    spec = node.window
    size = parse_duration(spec.size)
    hop = parse_duration(spec.hop) if isinstance(spec, HoppingWindow) else size
    return HoppingWindows(size, hop, parse_duration(spec.offset))


def check_window(node: WindowNode) -> Iterator[Fault]:
    """All faults of the sizes in `node.window`."""
    spec = node.window
    lengths = {"size": parse_duration(spec.size)}
    if isinstance(spec, HoppingWindow):
        lengths["hop"] = parse_duration(spec.hop)
    sound = True
    for name, length in lengths.items():
        if not 0 < length <= LONGEST:
            sound = False
            message = f"The {name} of the window is {format_duration(length)}."
            remedy = "Write a duration above zero, such as '5m'." if length <= 0 else "Write less than 9999 years."
            yield error(FaultCode.BAD_WINDOW, message, remedy, node=node.id, field=f"window.{name}")
    offset = parse_duration(spec.offset)
    if abs(offset) > LONGEST:
        message = f"The offset of the window is {format_duration(offset)}."
        remedy = "Write an offset between zero and the hop; others only repeat those."
        yield error(FaultCode.BAD_WINDOW, message, remedy, node=node.id, field="window.offset")
    if sound and "hop" in lengths:
        yield from _check_overlap(node.id, lengths["size"], lengths["hop"])


def _check_overlap(node: str, size: Ticks, hop: Ticks) -> Iterator[Fault]:
    sizes = f"size {format_duration(size)}, hop {format_duration(hop)}"
    if hop > size:
        message = f"Between the windows ({sizes}) are gaps; an event in a gap is in no window."
        remedy = "Make the hop no longer than the size if every event is to count."
        yield warning(FaultCode.GAPS_BETWEEN_WINDOWS, message, remedy, node=node, field="window.hop")
    if size > hop * MAX_WINDOWS_PER_EVENT:
        message = f"An event would be in more than {MAX_WINDOWS_PER_EVENT} windows ({sizes})."
        remedy = f"Make the hop at least {format_duration(Ticks(-(-size // MAX_WINDOWS_PER_EVENT)))}."
        yield error(FaultCode.TOO_MANY_WINDOWS, message, remedy, node=node, field="window.hop")
