"""Values of a pane after each row, computed without evaluating all of its members each time."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any

from streaming.planning.columns import AggregateColumn
from streaming.reference.aggregates.result_column import folded, lived_value, within
from streaming.reference.aggregates.values import LivedValue
from streaming.reference.flow import Flow
from streaming.reference.windows.panes import PaneId
from streaming.temporal.ticks import Tick

_Taken = list[list[LivedValue | None]]
"""For each column the values that it takes from each member."""


def is_grown(members: Sequence[Flow], before: Sequence[Flow]) -> bool:
    """Return true if `members` starts with the same objects as `before`; more may follow."""
    return len(members) >= len(before) and all(map(is_, members, before))


@dataclass
class HeldValues:
    """Values of `columns` over the members of one pane; the values of a member are kept while it is in the pane.

    Without this, each row would evaluate the expressions on every member of its panes again. For a sample with large
    panes that takes most of the time.
    """

    columns: Sequence[AggregateColumn]
    _members: Sequence[Flow] = ()
    _pane: PaneId | None = None
    _taken: _Taken = field(default_factory=list)

    def of(self, pane: PaneId, members: Sequence[Flow]) -> dict[str, Any]:
        """Return the value of each column as if the pane were closed with these members."""
        bounds = (pane.start, pane.end)
        if not is_grown(members, self._members):
            self._members, self._taken = (), []
        elif self._pane is not None and (self._pane.start, self._pane.end) != bounds:
            self._taken = [self._clip(taken, bounds) for taken in self._taken]
        self._taken = self._taken or [[] for _ in self.columns]
        for column, taken in zip(self.columns, self._taken, strict=True):
            taken += [lived_value(column, flow, bounds) for flow in members[len(self._members) :]]
        self._members, self._pane = members, pane
        return {
            column.name: folded(column, [each for each in taken if each is not None], lambda _: None)
            for column, taken in zip(self.columns, self._taken, strict=True)
        }

    def _clip(self, taken: Sequence[LivedValue | None], bounds: tuple[Tick, Tick]) -> list[LivedValue | None]:
        """Return the same values in a pane of other bounds, for example a session that has grown."""
        return [
            None if each is None else replace(each, within=within(flow, bounds))
            for each, flow in zip(taken, self._members, strict=True)
        ]
