"""Warnings about window rows that meet in a join, a union or a ranking but are not on one grid (T23)."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from streaming.definition.checks.window_sizes import check_window, fixed_panes
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
from streaming.definition.windows import FixedWindow
from streaming.temporal.ticks import Ticks, format_duration, parse_duration
from streaming.temporal.windows import HoppingWindows

_OVERLAPPING: Final[tuple[type[Any], ...]] = (JoinNode, AntiJoinNode, SemiJoinNode)
"""Nodes in which two rows meet because their lifetimes overlap; an as-of join and a clip compare starts."""
Grids = Mapping[str, HoppingWindows]


def check_alignment(by_id: Mapping[str, Node], placed: Iterable[str]) -> Iterator[Fault]:
    """Yield the warnings WINDOWS_NOT_ALIGNED and OVERLAPPING_RANKS for rows whose lifetimes are windows.

    In a join: where a row of either side meets several rows of the other, in part or from neighbouring windows.
    Windows of different sizes that nest, as five minutes in an hour, are no problem: each row of the smaller
    meets one row of the larger. In a union: where windows have the same size and hop but different offsets; rows of
    different sizes in one union are common, and do not meet there. In a top_k: where one event or row is ranked in
    several windows. `placed` are the ids in an order in which each comes after its inputs.
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
        elif isinstance(node, TopKNode) and grid is not None:
            yield from _check_ranks(node, grid, grids.get(node.input))


def _grid(node: Node, grids: Grids) -> HoppingWindows | None:
    """Return the windows that are the lifetimes of all rows that leave `node`; None if unknown or not all windows."""
    match node:
        case WindowNode() | TopKNode():
            panes = fixed_panes(node) if isinstance(node.window, FixedWindow) and _sound(node) else None
            return panes if isinstance(panes, HoppingWindows) else None
        case FilterNode() | ProjectNode():
            return grids.get(node.input)
        case ShiftNode():
            before = grids.get(node.input)
            return before and replace(before, offset=Ticks(before.offset + parse_duration(node.by)))
        case UnionNode():
            inputs = [grids.get(source) for source in sources(node)]
            return inputs[0] if all(each == inputs[0] for each in inputs) else None
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
            f"Rows of {left!r} and {right!r} live for {_describe(one)}, which overlap: a row also meets the rows of "
            "neighbouring windows."
        )
    else:
        message = (
            f"Rows of {left!r} live for {_describe(one)}, those of {right!r} for {_describe(other)}: a row meets "
            "several rows of the other side, each for a part of its time."
        )
    remedy = "" if aligned else "Give both windows the same size, hop and offset. "
    if _share_an_end(one, other):
        how = "put a point_at_end node after both windows."
        remedy += f"To join only rows of windows that end together, {how}"
    yield warning(FaultCode.WINDOWS_NOT_ALIGNED, message, remedy.strip(), node=node.id, field="right")


def _check_union(node: UnionNode, grids: Grids) -> Iterator[Fault]:
    first = grids.get(node.inputs[0])
    for index, source in enumerate(node.inputs[1:], start=1):
        other = grids.get(source)
        if first is None or other is None or (first.size, first.hop) != (other.size, other.hop):
            continue
        if _phase(first) != _phase(other):
            message = (
                f"Rows of {node.inputs[0]!r} live for {_describe(first)}, those of {source!r} for {_describe(other)}: "
                "their windows have the same size but start at different times."
            )
            remedy = "Give both windows the same offset."
            yield warning(FaultCode.WINDOWS_NOT_ALIGNED, message, remedy, node=node.id, field=f"inputs[{index}]")


def _check_ranks(node: TopKNode, ranked: HoppingWindows, rows: HoppingWindows | None) -> Iterator[Fault]:
    """Yield a warning where a row would be ranked in several windows; to rank totals, each must be in one window."""
    hop = format_duration(ranked.hop if rows is None else rows.hop)
    each = f"rank in tumbling windows of {hop}"
    if rows is not None and _meets_several(rows, ranked):
        message = (
            f"Rows of {node.input!r} live for {_describe(rows)} and are ranked in {_describe(ranked)}: each row is in "
            "several rankings, together with rows of other windows."
        )
        remedy = f"To rank the rows of each window of {node.input!r}, put point_at_end before this node and {each}."
    elif rows is None and ranked.size > ranked.hop:
        message = (
            f"The {_describe(ranked)} overlap, and each has its own ranking: the same event can be in several results. "
            "Single events are ranked, not totals of a window."
        )
        remedy = (
            "To rank totals, put a window with these sizes and a group_by before this node, then point_at_end, and "
            f"{each}. To rank each event once, use tumbling windows."
        )
    else:
        return
    yield warning(FaultCode.OVERLAPPING_RANKS, message, remedy, node=node.id, field="window")


def _phase(grid: HoppingWindows) -> int:
    """Return the start of windows within a hop."""
    return grid.offset % grid.hop


def _meets_several(one: HoppingWindows, other: HoppingWindows) -> bool:
    """Return whether a window of `one` overlaps two or more of `other`.

    A window that starts `d` after one of `one` overlaps it iff -other.size < d < one.size. The values of d that occur
    are the difference of the offsets plus any multiple of the hops' greatest common divisor. So two windows of `other`
    overlap it iff such a d and d + other.hop are both in that range.
    """
    step = math.gcd(one.hop, other.hop)
    least = -other.size + 1
    first = least + (other.offset - one.offset - least) % step
    return first + other.hop < one.size


def _share_an_end(one: HoppingWindows, other: HoppingWindows) -> bool:
    return (one.offset + one.size - other.offset - other.size) % math.gcd(one.hop, other.hop) == 0


def _describe(grid: HoppingWindows) -> str:
    hop = "" if grid.hop == grid.size else f", one each {format_duration(grid.hop)}"
    offset = f", offset {format_duration(Ticks(_phase(grid)))}" if _phase(grid) else ""
    return f"windows of {format_duration(grid.size)}{hop}{offset}"
