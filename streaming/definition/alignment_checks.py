"""Rows of two windows that meet in a join, or stand side by side in a union, and do not stand on one grid (T23)."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from streaming.definition.faults import Fault, FaultCode, Severity, warning
from streaming.definition.graph import (
    AntiJoinNode,
    FilterNode,
    JoinNode,
    Node,
    ProjectNode,
    SemiJoinNode,
    ShiftNode,
    TopKNode,
    UnionNode,
    Windowed,
    WindowNode,
    sources,
)
from streaming.definition.window_checks import check_window, hopping_windows
from streaming.definition.windows import FixedWindow
from streaming.temporal.ticks import Ticks, format_duration, parse_duration
from streaming.temporal.windows import HoppingWindows

_OVERLAPPING: Final[tuple[type[Any], ...]] = (JoinNode, AntiJoinNode, SemiJoinNode)
"""Nodes in which two rows meet because their lifetimes overlap; an as-of join and clip look at starts."""
Grids = Mapping[str, HoppingWindows]


def check_alignment(by_id: Mapping[str, Node], placed: Iterable[str]) -> Iterator[Fault]:
    """WINDOWS_NOT_ALIGNED, a warning, for joins and unions of rows whose lifetimes are windows of different grids.

    In a join: where a row of either side meets several rows of the other, by halves or from neighbouring windows.
    Windows of different sizes that nest, as five minutes in an hour, are what a join is for: each row of the smaller
    meets one row of the larger. In a union: where windows have one size and one hop, and different offsets; rows of
    different sizes side by side are common, and nothing meets there. `placed` are the ids so that each comes after
    what it reads.
    """
    grids: dict[str, HoppingWindows] = {}
    for name in placed:
        node = by_id[name]
        grid = _grid(node, grids)
        if grid is not None:
            grids[name] = grid
        if isinstance(node, _OVERLAPPING):
            yield from _check_join(node, grids)
        elif isinstance(node, UnionNode):
            yield from _check_union(node, grids)


def _grid(node: Node, grids: Grids) -> HoppingWindows | None:
    """The windows that are the lifetimes of what leaves `node`; None where others may be, or it is not known."""
    match node:
        case WindowNode() | TopKNode():
            return hopping_windows(node) if isinstance(node.window, FixedWindow) and _sound(node) else None
        case FilterNode() | ProjectNode():
            return grids.get(node.input)
        case ShiftNode():
            before = grids.get(node.input)
            return before and replace(before, offset=Ticks(before.offset + parse_duration(node.by)))
        case UnionNode():
            found = [grids.get(source) for source in sources(node)]
            return found[0] if all(each == found[0] for each in found) else None
        case _:
            return None


def _sound(node: Windowed) -> bool:
    return not any(fault.severity is Severity.ERROR for fault in check_window(node))


def _check_join(node: Node, grids: Grids) -> Iterator[Fault]:
    left, right = sources(node)
    one, other = grids.get(left), grids.get(right)
    if one is None or other is None or not (_meets_several(one, other) and _meets_several(other, one)):
        return
    aligned = (one.size, one.hop, _phase(one)) == (other.size, other.hop, _phase(other))
    if aligned:
        message = (
            f"Rows of {left!r} and {right!r} live for {_shown(one)}, which overlap: a row also meets the rows of "
            "neighbouring windows."
        )
    else:
        message = (
            f"Rows of {left!r} live for {_shown(one)}, those of {right!r} for {_shown(other)}: a row meets several "
            "rows of the other side, each for a part of its time."
        )
    remedy = "" if aligned else "Give both windows one size, hop and offset. "
    if _share_an_end(one, other):
        so = "If only rows of windows that end together are to meet, put point_at_end behind both windows."
        remedy += so if not aligned else so.removeprefix("If ").capitalize().replace("meet, put", "meet: put")
    yield warning(FaultCode.WINDOWS_NOT_ALIGNED, message, remedy.strip(), node=node.id, field="right")


def _check_union(node: UnionNode, grids: Grids) -> Iterator[Fault]:
    first = grids.get(node.inputs[0])
    for index, source in enumerate(node.inputs[1:], start=1):
        other = grids.get(source)
        if first is None or other is None or (first.size, first.hop) != (other.size, other.hop):
            continue
        if _phase(first) != _phase(other):
            message = (
                f"Rows of {node.inputs[0]!r} live for {_shown(first)}, those of {source!r} for {_shown(other)}: "
                "their windows are of one size and begin at different times."
            )
            remedy = "Give both windows one offset."
            yield warning(FaultCode.WINDOWS_NOT_ALIGNED, message, remedy, node=node.id, field=f"inputs[{index}]")


def _phase(grid: HoppingWindows) -> int:
    """Where windows start within a hop."""
    return grid.offset % grid.hop


def _meets_several(one: HoppingWindows, other: HoppingWindows) -> bool:
    """Whether a window of `one` overlaps two or more of `other`.

    A window that starts `d` after one of `one` overlaps it iff -other.size < d < one.size; every d that is the
    difference of the offsets but for a multiple of the common divisor of the hops occurs, so two of `other` do iff
    such a d and d + other.hop lie in there.
    """
    step = math.gcd(one.hop, other.hop)
    least = -other.size + 1
    first = least + (other.offset - one.offset - least) % step
    return first + other.hop < one.size


def _share_an_end(one: HoppingWindows, other: HoppingWindows) -> bool:
    return (one.offset + one.size - other.offset - other.size) % math.gcd(one.hop, other.hop) == 0


def _shown(grid: HoppingWindows) -> str:
    hop = "" if grid.hop == grid.size else f", one each {format_duration(grid.hop)}"
    offset = f", from {format_duration(Ticks(_phase(grid)))} on" if _phase(grid) else ""
    return f"windows of {format_duration(grid.size)}{hop}{offset}"
