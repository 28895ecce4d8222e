"""The rows and CTIs that one branch of an input sends at the end of a batch."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.flows import CLOSE, Flows, concat_flows
from streaming.engine.columns.folding.fold import Fold
from streaming.engine.columns.steps import follow_flows, step_times
from streaming.engine.feed.judging.clock import NONE
from streaming.planning.plan import Branch, InputPlan, QueryPlan
from streaming.planning.steps import ExtendStep, SetDurationStep
from streaming.temporal.events import Shape
from streaming.temporal.ticks import NO_CTI
from streaming.wire.execution.failures import FailureTally
from streaming.wire.rows.arrived import Int64s

Bools = npt.NDArray[np.bool_]
_NO_MASK: Final[Bools] = np.empty(0, np.bool_)
STEP = "@step"
"""The column of events that counts the CTIs before a row; no field can have this name."""
SOURCE = "@source"
"""The column of events that names watched rows."""


class RowNames(Protocol):
    """The names of the watched rows of a chunk."""

    def of(self, rows: Int64s) -> pa.Array | None:
        """Return the names of `rows`, null for rows that are not watched; None if none of them is."""


@dataclass(frozen=True, slots=True)
class WatchedNames:
    """The names of the watched rows of a chunk, by index and rising: `lane` (input and lane) and their positions."""

    lane: str
    positions: Int64s
    watched: Int64s

    def of(self, rows: Int64s) -> pa.Array | None:
        """See `RowNames`."""
        named = np.isin(rows, self.watched) if len(self.watched) else _NO_MASK
        if not named.any():
            return None
        return pc.if_else(pa.array(named), row_names(self.lane, self.positions[rows]), pa.scalar(None, pa.string()))


@dataclass(frozen=True, slots=True)
class VersionNames:
    """The names of the rows of a table that changed its versions: one for each edge, null if it is not watched."""

    texts: pa.Array

    def of(self, rows: Int64s) -> pa.Array | None:
        """See `RowNames`."""
        found = self.texts.take(pa.array(rows))
        return None if found.null_count == len(found) else found


def row_names(lane: str, positions: Int64s) -> pa.Array:
    """Return the name of the row at each of `positions` of `lane` (input and lane)."""
    return pc.binary_join_element_wise(pa.scalar(lane), pa.array(positions).cast(pa.string()), "/")


@dataclass
class BranchOutbox:
    """One branch over one batch: `tables` of partials if the feed folds for a window, otherwise `flows`; and its CTIs.

    `points`: every row is one tick long after the steps. `befores` counts for each row of `flows` the `ctis` before it.
    `trailing`: partials of late rows that no CTI of the batch has followed so far, if the window marks complete panes.
    """

    branch: Branch
    fold: Fold | None
    points: bool
    tables: list[pa.Table] = field(default_factory=list)
    flows: list[Flows] = field(default_factory=list)
    befores: list[Int64s] = field(default_factory=list)
    ctis: list[Int64s] = field(default_factory=list)
    trailing: list[pa.Table] = field(default_factory=list)

    @property
    def keys(self) -> list[str]:
        """Return the columns of the table whose values determine the bucket of a row."""
        if self.fold is None:
            return list(self.branch.keys)
        return [self.fold.keys[self.fold.spec.group_by.index(key)] for key in self.branch.keys]

    def follow(self, entering: Flows, names: RowNames, step_row: Int64s, failures: FailureTally) -> None:
        """Send `entering`, whose sources are indices in their chunk, in which CTIs moved after each of `step_row`."""
        flows = follow_flows(entering, self.branch.steps, failures)
        if not len(flows) or flows.source is None:
            return
        rows = flows.source.to_numpy()
        self.flows.append(replace(flows, source=names.of(rows)))
        self.befores.append(sum(map(len, self.ctis)) + np.searchsorted(step_row, rows))

    def step(self, ctis: Int64s) -> None:
        """Add `ctis` after all rows so far."""
        self.ctis.append(step_times(self.branch.steps, ctis))
        if len(ctis):
            self.tables += self.trailing
            self.trailing = []

    def parts(self, plan: QueryPlan) -> Iterator[tuple[pa.Table, bool]]:
        """Yield the parts to send; if the `plan` wants it, late rows after the last CTI separately.

        Flows of an ordered plan have the column STEP.
        """
        if self.fold is not None:
            for tables, trailing in ((self.tables, False), (self.trailing, True)):
                filled = [table for table in tables if table.num_rows]
                if filled:
                    yield self.fold.merge(self.fold.join(filled)) if len(filled) > 1 else filled[0], trailing
        elif self.flows:
            flows, before = concat_flows(self.flows), np.concatenate([NONE, *self.befores])
            table = flows.to_table()
            if plan.ordered:
                table = table.append_column(STEP, pa.array(before, pa.int32()))
            behind = np.zeros(len(flows), np.bool_)
            if plan.trailing and flows.late_at is not None:
                last = before == sum(map(len, self.ctis))
                behind = last & (flows.late_at != NO_CTI)
                behind |= last & _ends_of(flows, behind)
            for chosen, trailing in ((~behind, False), (behind, True)):
                if chosen.any():
                    yield table if chosen.all() else table.take(pa.array(np.flatnonzero(chosen))), trailing


def _ends_of(flows: Flows, starts: Bools) -> Bools:
    """Return which of `flows` end an edge that starts among `starts`: an end before its start would match no edge."""
    if flows.id is None or not starts.any():
        return np.zeros(len(flows), np.bool_)
    same: Bools = pc.is_in(flows.ids, flows.ids.filter(pa.array(starts))).to_numpy(zero_copy_only=False)
    found: Bools = (flows.flags == CLOSE) & same
    return found


def outbox_of(plan: InputPlan, branch: Branch, fold: Fold | None) -> BranchOutbox:
    """Return a branch at the start of a batch; `fold` is that of its window if the feed folds for one."""
    kept = not any(isinstance(step, SetDurationStep | ExtendStep) for step in branch.steps)
    return BranchOutbox(branch, fold, points=kept and plan.shape is Shape.POINT)
