"""Events as rows in order: the rows of each group, and those that are known (TEMPORAL, section 8; T27, T36)."""

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import total_ordering
from typing import Any, Final

from streaming.definition.rows import ROW_START
from streaming.planning.columns import RowOrderBy
from streaming.reference.expressions.evaluation import evaluate
from streaming.reference.flow import Flow, TraceRecorder
from streaming.reference.row import Row
from streaming.reference.windows.panes import Key, group_key, settled
from streaming.temporal.events import Payload
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import NO_CTI, NO_TICKS, Tick, Ticks, format_instant
from streaming.temporal.value_order import sort_key

ORDER_BY: Final = "order_by"
"""The name under which failures of ORDER BY expressions are counted."""


@total_ordering
@dataclass(frozen=True, slots=True)
class _Falling:
    key: tuple[Any, ...]

    def __lt__(self, other: "_Falling") -> bool:
        return other.key < self.key


@dataclass
class RowsInOrder:
    """The rows of the node `node` by group, each group in order; `fields` is the schema's order of the payload.

    A row is known once its start is before `at`, the CTI less `grace`: then nothing can come before it any more. Rows
    that are equal in start, ORDER BY and payload are in order of their ends, those of open edges in order of arrival.
    """

    node: str
    group_by: Sequence[str]
    fields: Sequence[str]
    order_by: Sequence[RowOrderBy] = ()
    grace: Ticks = NO_TICKS
    groups: dict[Key, list[Row]] = field(default_factory=dict)
    at: Tick = NO_CTI

    def take(self, flow: Flow, witness: TraceRecorder) -> tuple[Key, Row] | None:
        """Add the row of `flow`, which is not the end of an edge, to its group; None if its place is decided (T36).

        A late_kept event is judged by the CTI of its own lane, so that no decision depends on how lanes interleave.
        """
        if flow.late_at is not None and flow.start < settled(flow.late_at, self.grace):
            before = format_instant(settled(flow.late_at, self.grace))
            why = f"the rows of {self.node!r} before {before} were decided"
            witness.refused(self.node, flow, Reason.WINDOW_CLOSED, why, Tick(flow.start + self.grace + 1))
            return None
        key, row = group_key(flow, self.group_by), Row(self._place(flow, witness), flow)
        insort(self.groups.setdefault(key, []), row)
        witness.took(self.node, flow)
        return key, row

    def advance(self, cti: Tick) -> None:
        """Process the CTI: rows that start before it, less the grace, become known."""
        self.at = settled(cti, self.grace)

    def known_rows(self, key: Key) -> list[Row]:
        """Return the known rows of the group `key`, in order."""
        return [row for row in self.groups.get(key, ()) if row.start < self.at]

    def _place(self, flow: Flow, witness: TraceRecorder) -> tuple[Any, ...]:
        payload = {**flow.payload, ROW_START: flow.start}
        expressions = (self._order_key(each, flow, payload, witness) for each in self.order_by)
        return (flow.start, *expressions, sort_key([flow.payload[name] for name in self.fields]), flow.end)

    def _order_key(self, by: RowOrderBy, flow: Flow, payload: Payload, witness: TraceRecorder) -> Any:
        value = evaluate(by.of, payload, lambda why: witness.failed(self.node, flow, ORDER_BY, why))
        return _Falling(sort_key(value)) if by.descending else sort_key(value)
