"""Events in fixed windows, in columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pyarrow as pa

from streaming.engine.columns.flows import Flows, Mask, concat_flows
from streaming.wire.rows.arrived import Int64s

_SPAN: Final = ("@first", "@last")


@dataclass(frozen=True, slots=True)
class InWindows:
    """Row i of `flows` is in the windows `first[i]..last[i]`, by index."""

    flows: Flows
    first: Int64s
    last: Int64s

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def none(cls, flows: Flows) -> "InWindows":
        """Return no events, of the schema of `flows`."""
        empty = np.empty(0, np.int64)
        return cls(without_outcome(flows.take(empty)), empty, empty)

    @classmethod
    def joined(cls, parts: Sequence["InWindows"]) -> "InWindows":
        """Return all of `parts`; at least one is required."""
        first, last = (np.concatenate([getattr(part, name) for part in parts]) for name in ("first", "last"))
        return cls(concat_flows(part.flows for part in parts), first, last)

    def where(self, mask: Mask) -> "InWindows":
        """The rows where `mask` is true."""
        return self if mask.all() else InWindows(self.flows.where(mask), self.first[mask], self.last[mask])

    def to_table(self) -> pa.Table:
        """Return a table whose first two columns are the first and the last window."""
        table = self.flows.to_table()
        arrays = [pa.array(self.first), pa.array(self.last), *table.columns]
        return pa.table(arrays, names=[*_SPAN, *table.column_names])

    @classmethod
    def of_table(cls, table: pa.Table) -> "InWindows":
        """Read the result of `to_table`."""
        first, last = (table.column(name).to_numpy() for name in _SPAN)
        return cls(Flows.of_table(table.drop_columns(list(_SPAN))), first, last)

    @classmethod
    def compacted(cls, tables: Sequence[pa.Table]) -> pa.Table:
        """All of `tables` in one."""
        return cls.joined([cls.of_table(table) for table in tables]).to_table()


def without_outcome(flows: Flows) -> Flows:
    """Return the events in the form that windows store: without arrival and outcome data."""
    return replace(flows, flag=None, late_at=None, source=None, pane=None)
