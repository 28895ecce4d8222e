"""The right column of the table in TEMPORAL.md section 5: the output CTI, from all events and CTIs so far."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from streaming.definition.analytic import AnalyticNode
from streaming.definition.graph import (
    AntiJoinNode,
    ClipNode,
    ExtendNode,
    JoinNode,
    Node,
    SemiJoinNode,
    ShiftNode,
    StitchNode,
    ToIntervalsNode,
    TopKNode,
    WindowNode,
)
from streaming.definition.windows import (
    CalendarWindow,
    CountWindow,
    HoppingWindow,
    TimeIntervalWindow,
    TumblingWindow,
    WindowSpec,
)
from streaming.temporal.ticks import NO_CTI
from tests.reference.batch.analytic import oldest_undecided
from tests.reference.batch.cutting import stitch
from tests.reference.batch.joins import clip, parts
from tests.reference.batch.lives import FOREVER, Life, Lives, ticks
from tests.reference.batch.window_kinds import PANES, fixed_bounds
from tests.reference.batch.windows import fills, gap_of, groups

FIXED: Final = (TumblingWindow, HoppingWindow, TimeIntervalWindow, CalendarWindow)


@dataclass(frozen=True)
class Port:
    """The input of one port: the events as far as they are known (an open edge has no end), and the last CTI."""

    lives: Lives
    cti: int


def output_cti(node: Node, ports: Sequence[Port]) -> int:
    """Return the output CTI of `node`; NO_CTI until each port has one."""
    c = min(port.cti for port in ports)
    if c == NO_CTI:
        return c
    if isinstance(node, ShiftNode):
        return c + ticks(node.by)
    if isinstance(node, WindowNode | TopKNode):
        return _window_cti(node, ports[0].lives, c)
    if isinstance(node, AnalyticNode):
        settled = c - ticks(node.grace or 0)
        oldest = oldest_undecided(node, ports[0].lives, settled)
        return settled if oldest is None else min(settled, oldest)
    return held(c, list(_undecided(node, ports)))


def _undecided(node: Node, ports: Sequence[Port]) -> Iterator[int]:
    """Return the starts of waiting rows, which events after the CTI may still change."""
    match node:
        case ToIntervalsNode():
            yield from (life.start for life in ports[0].lives.all if life.open)
        case StitchNode():
            chains = stitch(node, ports[0].lives).all
            yield from (chain.start for chain in chains if chain.end >= ports[0].cti)
        case ExtendNode() if ticks(node.by) < 0:
            yield from (life.start for life in ports[0].lives.all if life.open)
        case ClipNode() | AntiJoinNode() | SemiJoinNode():
            yield from _undecided_parts(node, *ports)
        case JoinNode() if node.type == "left_outer":
            yield from _undecided_parts(node, *ports)
        case _:
            return


def _undecided_parts(node: ClipNode | AntiJoinNode | SemiJoinNode | JoinNode, left: Port, right: Port) -> Iterator[int]:
    """Return the starts of the parts that a future right event, or the end of an open left edge, may change.

    A right edge that is open may still vanish until the CTI is after its start, and counts only from then on. An event
    at the end of a part does not change it, but prolongs a part of a semi join, unless the left ends there.
    """
    certain = [life for life in right.lives.all if not life.open or life.start < right.cti]
    for one in left.lives.all:
        found = _parts_of(node, one, certain)
        until = min(left.cti, right.cti) if one.open else right.cti
        for part in found:
            prolonged = isinstance(node, SemiJoinNode) and part.end == right.cti and part.end != one.end
            if part.end > until or prolonged:
                yield part.start


def _parts_of(node: ClipNode | AntiJoinNode | SemiJoinNode | JoinNode, one: Life, right: Sequence[Life]) -> list[Life]:
    left, others = Lives([one], 0), Lives(right, 0)
    if isinstance(node, ClipNode):
        return list(clip(node, left, others).all)
    return list(parts(node, left, others, covered=isinstance(node, SemiJoinNode)))


def held(c: int, starts: Sequence[int]) -> int:
    """Return the CTI `c`, at most the oldest of `starts`."""
    return min([c, *starts])


def _window_cti(node: WindowNode | TopKNode, lives: Lives, c: int) -> int:
    closed = c - _grace(node)
    by_group = groups(node.group_by, lives)
    spec = node.window
    if isinstance(spec, FIXED):
        earliest = min(start for start, end in fixed_bounds(spec) if end > closed)
        if isinstance(node, TopKNode):
            return earliest
        filled = [group for key, group in by_group.items() if fills(node, key)]
        return held(earliest, [start for group in filled for start in _fillable(node, group, closed, c)])
    if isinstance(spec, CountWindow):
        return held(closed, [start for group in by_group.values() for start in _incomplete(spec, group, closed)])
    return held(closed, [start for group in by_group.values() for start in _unclosed(spec, group, closed)])


def _unclosed(spec: WindowSpec, group: Sequence[Life], closed: int) -> Iterator[int]:
    """Return the starts of the panes that are not closed.

    An edge that is open and starts where time is not final may vanish: a snapshot that ends only there is not closed.
    """
    find = PANES[type(spec)]
    certain = [life for life in group if not (life.open and life.start >= closed)]
    firm = {pane.start for pane in find(spec, certain, 0) if pane.end <= closed}
    return (pane.start for pane in find(spec, group, 0) if pane.end > closed or pane.start not in firm)


def _grace(node: WindowNode | TopKNode) -> int:
    if isinstance(node.window, TimeIntervalWindow):
        return ticks(node.window.discard_age)
    return 0 if isinstance(node, TopKNode) or node.grace is None else ticks(node.grace)


def _incomplete(spec: CountWindow, group: Sequence[Life], closed: int) -> list[int]:
    """Return the starts whose window has too few later ones, or is not closed."""
    starts = sorted({life.start for life in group})
    ends = [*starts[spec.n - 1 :], *[FOREVER] * (spec.n - 1)]
    return [start for start, last in zip(starts, ends, strict=False) if last + 1 > closed]


def _fillable(node: WindowNode, group: Sequence[Life], closed: int, c: int) -> list[int]:
    """Return the closed windows without events that are filled if an open one gets an event (T21)."""
    certain = [replace(life, end=max(life.start + 1, c), open=False) if life.open else life for life in group]
    full = {pane.start for pane in PANES[type(node.window)](node.window, certain, 0)}
    bounds = [(start, end) for start, end in fixed_bounds(node.window) if full and start >= min(full)]
    found = []
    for start, end in bounds:
        if end > closed or start in full:
            continue
        earlier_end = max(end for other, end in bounds if other in full and other < start)
        later = min((other for other in full if other > start), default=FOREVER)
        unclosed = [other for other, end in bounds if end > closed and other <= later]
        if later - earlier_end > gap_of(node) and unclosed and unclosed[0] - earlier_end <= gap_of(node):
            found.append(start)
    return found
