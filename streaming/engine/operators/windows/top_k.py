"""top_k: the events of each group of each window with the largest ranks."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from streaming.engine.columns.flows import TIMINGS, Flows, PaneColumns
from streaming.engine.columns.grouping import combine, encode
from streaming.engine.columns.ordering import ordered
from streaming.engine.operators.kernel import NodeOutput, PortInput, TurnContext
from streaming.engine.operators.windows.pane_rule import order_of
from streaming.engine.operators.windows.pane_source import PaneMembers
from streaming.engine.operators.windows.pane_sources import source_of
from streaming.engine.state.node_state import NodeState
from streaming.planning.plan import TopKSpec
from streaming.wire.rows.arrived import Int64s

_MOST_PAIRS: Final = 1 << 22
"""At most so many pairs of an event and a pane are ranked at once."""


class TopKKernel:
    """One top_k node: its rows leave when a pane closes; ties at rank `k` are all included (section 5)."""

    def __init__(self, spec: TopKSpec) -> None:
        self._spec = spec
        self._source = source_of(spec)

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Take the events of the port, and release the first events of the panes that its CTI closes."""
        paned = self._source.turn(ports[0], state, turn, known=False)
        return NodeOutput(self.chosen(paned.closing), paned.ctis, paned.horizon)

    def chosen(self, members: PaneMembers) -> Flows:
        """Return the first `k` of each group of each pane by falling rank, with their ties.

        Events without a rank are left out. The others have the lifetime of the pane and are whole, whatever they were
        before; earliest pane first, in each the largest first.
        """
        flows = members.flows
        ranks = flows.rows.values(self._spec.by, self._spec.by_type)
        ranked = np.flatnonzero(ranks.is_valid().to_numpy(zero_copy_only=False))
        numbers = ordered(ranks.drop_null()).numbers
        falling = np.unique(-numbers if numbers.dtype.kind == "f" else ~numbers, return_inverse=True)[1]
        groups = [encode(flows.columns[name]) for name in self._spec.group_by]
        group = combine(groups, len(flows)).codes[ranked]
        rows, panes = [], []
        for event, number in _pairs(members.first[ranked], members.last[ranked]):
            best = _best(group[event], number, falling[event], self._spec.k)
            rows.append(event[best])
            panes.append(number[best])
        event, number = np.concatenate(rows), np.concatenate(panes)
        start, end = members.bounds(number)
        order = np.lexsort((flows.start[ranked[event]], falling[event], group[event], end, start))
        return _rows(flows.take(ranked[event[order]]), start[order], end[order])


def _pairs(first: Int64s, last: Int64s) -> Iterator[tuple[Int64s, Int64s]]:
    """Yield each event with each pane that it is in, in parts, and no pane in two parts.

    At least one part, maybe empty.
    """
    count = last - first + 1
    if int(count.sum()) > _MOST_PAIRS and int(first.min()) < int(last.max()):
        middle = (int(first.min()) + int(last.max())) // 2
        for low, high in ((None, middle), (middle + 1, None)):
            some = np.flatnonzero(first <= middle if low is None else last > middle)
            clipped = np.maximum(first[some], middle + 1) if low is not None else first[some]
            until = last[some] if high is None else np.minimum(last[some], middle)
            yield from ((some[event], number) for event, number in _pairs(clipped, until))
        return
    event = np.repeat(np.arange(len(first)), count)
    within = np.arange(len(event)) - np.repeat(np.cumsum(count) - count, count)
    yield event, first[event] + within


def _best(group: Int64s, number: Int64s, falling: Int64s, k: int) -> Int64s:
    """Return the pairs up to the k-th of their pane and group, smallest `falling` first, with ties of the k-th."""
    order = np.argsort(falling)
    order = order[order_of(group[order], number[order], stable=True)]
    group, number, falling = group[order], number[order], falling[order]
    opens = np.ones(len(order), np.bool_)
    opens[1:] = (group[1:] != group[:-1]) | (number[1:] != number[:-1])
    firsts = np.flatnonzero(opens)
    size = np.diff(np.append(firsts, len(order)))
    worst = falling[firsts + np.minimum(size, k) - 1]
    return order[falling <= np.repeat(worst, size)]


def _rows(flows: Flows, start: Int64s, end: Int64s) -> Flows:
    panes = PaneColumns(
        start=start,
        end=end,
        timing=np.full(len(flows), TIMINGS.index("on_time"), np.int8),
        index=np.zeros(len(flows), np.int64),
        is_last=np.ones(len(flows), np.bool_),
    )
    return replace(flows.lasting(start, end), flag=None, id=None, late_at=None, source=None, pane=panes)
