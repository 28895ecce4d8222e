"""What one branch of an input has to send at the end of a batch."""

from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.flows import Flows, together
from streaming.engine.folding.fold import Fold
from streaming.engine.judging.clock import NONE
from streaming.engine.plan import Branch, InputPlan
from streaming.engine.step_specs import ExtendStep, SetDurationStep
from streaming.engine.steps import follow_flows
from streaming.temporal.events import Shape
from streaming.wire.arrived import Int64s
from streaming.wire.failures import FailureTally

STEP = "@step"
"""The column of events that says how many CTIs came before a row; no field can have such a name."""
SOURCE = "@source"
"""The column of events that names watched rows."""


@dataclass(frozen=True, slots=True)
class Named:
    """The names of the watched rows of a chunk, by index and rising: `lane` (input and lane) and their positions."""

    lane: str
    positions: Int64s
    watched: Int64s

    def of(self, rows: Int64s) -> pa.Array | None:
        """The names of `rows`, null for those that are not watched; None when none of them is."""
        named = np.isin(rows, self.watched)
        if not named.any():
            return None
        return pc.if_else(pa.array(named), texts(self.lane, self.positions[rows]), pa.scalar(None, pa.string()))


def texts(lane: str, positions: Int64s) -> pa.Array:
    """The name of the row at each of `positions` of `lane` (input and lane)."""
    return pc.binary_join_element_wise(pa.scalar(lane), pa.array(positions).cast(pa.string()), "/")


@dataclass
class Sent:
    """One branch over one batch: `tables` of partials where the feed folds for a window, else `flows`; and its CTIs.

    `points`: every row is one tick long behind the steps. `befores` says of the rows of each of `flows` how many of the
    `ctis` came before them.
    """

    branch: Branch
    fold: Fold | None
    points: bool
    tables: list[pa.Table] = field(default_factory=list)
    flows: list[Flows] = field(default_factory=list)
    befores: list[Int64s] = field(default_factory=list)
    ctis: list[Int64s] = field(default_factory=list)

    @property
    def keys(self) -> list[str]:
        """The columns of the table whose values say the bucket of a row."""
        if self.fold is None:
            return list(self.branch.keys)
        return [self.fold.keys[self.fold.spec.group_by.index(key)] for key in self.branch.keys]

    def follow(self, entering: Flows, names: Named, step_row: Int64s, failures: FailureTally) -> None:
        """Send `entering`, whose sources are indices in their chunk, in which CTIs moved after each of `step_row`."""
        flows = follow_flows(entering, self.branch.steps, failures)
        if not len(flows) or flows.source is None:
            return
        rows = flows.source.to_numpy()
        self.flows.append(replace(flows, source=names.of(rows) if len(names.watched) else None))
        self.befores.append(sum(map(len, self.ctis)) + np.searchsorted(step_row, rows))

    def table(self, *, ordered: bool) -> pa.Table | None:
        """What there is to send in one table, None if nothing; `ordered`: with the column STEP."""
        if self.fold is not None:
            tables = [table for table in self.tables if table.num_rows]
            if len(tables) > 1:
                return self.fold.merge(self.fold.join(tables))
            return tables[0] if tables else None
        if not self.flows:
            return None
        table = together(self.flows).to_table()
        return (
            table.append_column(STEP, pa.array(np.concatenate([NONE, *self.befores]), pa.int32())) if ordered else table
        )


def sent_of(plan: InputPlan, branch: Branch, fold: Fold | None) -> Sent:
    """A branch at the beginning of a batch; `fold` is that of its window where the feed folds for one."""
    kept = not any(isinstance(step, SetDurationStep | ExtendStep) for step in branch.steps)
    return Sent(branch, fold, points=kept and plan.shape is Shape.POINT)
