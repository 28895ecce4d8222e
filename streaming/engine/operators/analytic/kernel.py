"""analytic: each event passes once, with a column for each function over rows of its group (T43 to T47)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pyarrow as pa

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.expressions.failures import FailureKind
from streaming.engine.columns.expressions.failure_listener import FailureListener
from streaming.engine.columns.flows import CLOSE, Flows, Mask, concat_flows
from streaming.engine.columns.steps import evaluate_operands
from streaming.engine.operators.analytic.placed_rows import PlacedRows, groups_in_order, order_of_rows
from streaming.engine.operators.analytic.row_state import NOT_ENDED, KeptRows, KeptRowState
from streaming.engine.operators.analytic.running import row_numbers
from streaming.engine.operators.analytic.values import CUSUMS, RowValues
from streaming.engine.operators.kernel import NodeOutput, PortInput, TurnContext
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.state.node_state import NodeState
from streaming.planning.plan import AnalyticSpec
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.execution.failures import FailureCount, example_of
from streaming.wire.rows.arrived import Int64s
from streaming.wire.rows.arrow_types import arrow_type

_OUT: Final = "out"


@dataclass(frozen=True)
class AnalyticKernel:
    """One analytic node. In the state, by group: the rows that wait, and those that later rows still see."""

    spec: AnalyticSpec

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Take rows and ends of edges, and release the rows that the CTI decides."""
        (port,) = ports
        before = int(state.head.get(_OUT, NO_CTI))
        known_until = _settled(port.cti, self.spec.grace)
        kept = KeptRowState(self.spec, state)
        fresh, closes = self._admitted(port.flows, turn.report)
        pool = kept.read(fresh, closes, port.cti)
        pool = pool.take(
            order_of_rows(pool.visible.rows, self.spec.group_by, self.spec.order_by, list(self.spec.before))
        )
        rows = PlacedRows(pool.visible, groups_in_order(pool.flows, self.spec.group_by), known_until, self.spec.reach)
        self._number(pool, rows)
        values = RowValues(self.spec, rows, {})
        for column, sums in zip(pool.summed, pool.sums, strict=True):
            sums.run(rows, values.of(column))
        decided = values.decided()
        leaving = np.flatnonzero(decided & ~pool.left)
        released = self._released(pool, values, leaving, turn.report)
        late_ends = kept.ended(closes)
        kept.write(pool, rows, values, decided | pool.left, port.cti)
        kept.opened(released.where(pool.ended[leaving] == NOT_ENDED))
        out = max(before, min(known_until, kept.held))
        state.head[_OUT] = out
        ends = pool.ends(leaving, released)
        return NodeOutput(
            _without_flags(concat_flows([released, ends, late_ends])), (out,) if out > before else (), port.horizon
        )

    def _admitted(self, flows: Flows, report: OutcomeReport) -> tuple[Flows, Flows]:
        """Return the rows that take their place in the order, and ends of edges; report late rows that are refused.

        A late_kept row, or end, is judged by the CTI of its own lane, so no decision depends on other lanes (T36).
        """
        closing = flows.flags == CLOSE
        fresh, closes = flows.where(~closing), flows.where(closing)
        report.took(closes.source)
        late = fresh.lates
        refused = (late != NO_CTI) & (fresh.start < late - self.spec.grace)
        if fresh.source is not None:
            report.refused(fresh.source.filter(pa.array(refused)), Reason.WINDOW_CLOSED)
            report.took(fresh.source.filter(pa.array(~refused)))
        fresh = fresh.where(~refused)
        if closes.late_at is not None:
            floor = np.where(closes.late_at == NO_CTI, NO_CTI, closes.late_at - self.spec.grace)
            closes = replace(closes, end=np.maximum(closes.end, floor))
        self._count_failures(fresh, report)
        return fresh, closes

    def _count_failures(self, fresh: Flows, report: OutcomeReport) -> None:
        """Count the rows on which expressions fail, once each, however many rows see them (T5)."""
        listener = FailureListener(report.failures, self.spec.node)
        rows = replace(fresh, columns={**fresh.columns, "_start": pa.array(fresh.start)}).rows
        columns = [(each.name, each.value.of, each.value.where) for each in self.spec.columns]
        defaults = [(each.name, each.default, None) for each in self.spec.columns if each.default is not None]
        orders = [("order_by", each.of, None) for each in self.spec.order_by]
        evaluate_operands(rows, [*columns, *defaults, *orders], listener)

    def _number(self, pool: KeptRows, rows: PlacedRows) -> None:
        if any(column.function == "row_number" for column in self.spec.columns):
            pool.number[:] = row_numbers(rows, pool.number)

    def _released(self, pool: KeptRows, values: RowValues, leaving: Int64s, report: OutcomeReport) -> Flows:
        """Return the rows `leaving` with their columns; edges leave open."""
        flows = pool.flows.take(leaving)
        found = values.aggregates(leaving) if len(leaving) else {}
        columns = dict(flows.columns)
        sums = dict(zip((column.name for column in pool.summed), pool.sums, strict=True))
        for column in self.spec.columns:
            if not len(leaving):
                made = pa.array([], arrow_type(column.value.type))
            elif column.function == "row_number":
                made = pa.array(pool.number[leaving])
            elif column.function in CUSUMS:
                made, values.failed[column.name] = sums[column.name].values(leaving)
            elif column.function in AGGREGATES:
                made = found[column.name]
            else:
                made = values.column(column, leaving)
            columns[column.name] = made
        self._count_overflows(flows, values.failed, report)
        return replace(flows, columns=columns)

    def _count_overflows(self, flows: Flows, failed: dict[str, Mask], report: OutcomeReport) -> None:
        kinds = {column.name: column.value.type for column in self.spec.columns}
        for name, mask in failed.items():
            rows = np.flatnonzero(mask)
            if len(rows):
                first = {field: column[int(rows[0])].as_py() for field, column in flows.columns.items()}
                example = example_of({field: (first[field], of) for field, of in self.spec.before.items()})
                kind: FailureKind = "too_long" if pa.types.is_list(arrow_type(kinds[name])) else "overflow"
                report.failures.add(FailureCount(self.spec.node, name, kind, len(rows), example))


def _without_flags(flows: Flows) -> Flows:
    """Return the flows without flags and ids if all are whole lifetimes."""
    return flows if flows.flags.any() else replace(flows, flag=None, id=None)


def _settled(cti: int, grace: int) -> int:
    return cti if cti in (NO_CTI, INFINITY) else cti - grace
