"""What a pane would give after each row, without looking at all of its members again for each."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any

from streaming.planning.plan import AggregateColumn
from streaming.reference.aggregate_values import LivedValue
from streaming.reference.aggregates import folded, lived_value, within
from streaming.reference.flow import Flow
from streaming.reference.panes import PaneId
from streaming.temporal.ticks import Tick

_Taken = list[list[LivedValue | None]]
"""For each column what it takes of each member."""


def is_grown(members: Sequence[Flow], before: Sequence[Flow]) -> bool:
    """Whether `members` are those of `before`, the same objects, and perhaps others behind them."""
    return len(members) >= len(before) and all(map(is_, members, before))


@dataclass
class HeldValues:
    """The values of `columns` over the members of one pane; what was taken of a member stays while it is there.

    Without this, each row has the expressions computed again on every member of its panes, which takes most of the time
    of a sample with large ones.
    """

    columns: Sequence[AggregateColumn]
    _members: Sequence[Flow] = ()
    _pane: PaneId | None = None
    _taken: _Taken = field(default_factory=list)

    def of(self, pane: PaneId, members: Sequence[Flow]) -> dict[str, Any]:
        """What the pane would give if it were closed with these members, by column."""
        bounds = (pane.start, pane.end)
        if not is_grown(members, self._members):
            self._members, self._taken = (), []
        elif self._pane is not None and (self._pane.start, self._pane.end) != bounds:
            self._taken = [self._clipped(taken, bounds) for taken in self._taken]
        self._taken = self._taken or [[] for _ in self.columns]
        for column, taken in zip(self.columns, self._taken, strict=True):
            taken += [lived_value(column, flow, bounds) for flow in members[len(self._members) :]]
        self._members, self._pane = members, pane
        return {
            column.name: folded(column, [each for each in taken if each is not None], lambda _: None)
            for column, taken in zip(self.columns, self._taken, strict=True)
        }

    def _clipped(self, taken: Sequence[LivedValue | None], bounds: tuple[Tick, Tick]) -> list[LivedValue | None]:
        """The same values in a pane of other bounds, such as a session that has grown."""
        return [
            None if each is None else replace(each, within=within(flow, bounds))
            for each, flow in zip(taken, self._members, strict=True)
        ]
