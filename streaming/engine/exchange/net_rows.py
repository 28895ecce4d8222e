"""The net result of an output: the remaining rows, with closed edges, without replaced and deleted rows."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from streaming.engine.columns.flows import CLOSE, GONE, Flows

Record = tuple[int, int, dict[str, Any]]
"""Start, end (ticks), payload."""


@dataclass
class CompactedChanges:
    """Rows of one output so far: those without an id permanently, those with one in their latest form."""

    rows: list[Record] = field(default_factory=list)
    by_id: dict[str, Record] = field(default_factory=dict)

    def add(self, table: pa.Table) -> None:
        """Add the rows of one `OperatorOutput` of kind rows, in its order."""
        flows = Flows.of_table(table)
        for record, name, flag in zip(records(table), flows.ids.to_pylist(), flows.flags.tolist(), strict=True):
            if name is None:
                self.rows.append(record)
            elif flag == GONE or (flag == CLOSE and record[1] <= record[0]):
                self.by_id.pop(name, None)
            elif flag == CLOSE:
                start, _, payload = self.by_id[name]
                self.by_id[name] = (start, record[1], payload)
            else:
                self.by_id[name] = record

    def __iter__(self) -> Iterator[Record]:
        """Yield all current rows."""
        yield from self.rows
        yield from self.by_id.values()


def records(table: pa.Table) -> list[Record]:
    """Each row of an output, in its order; payloads as the definition's Python values."""
    flows = Flows.of_table(table)
    columns = [column.to_pylist() for column in flows.columns.values()]
    values_by_row = zip(*columns, strict=True) if columns else [()] * len(flows)
    payloads = [dict(zip(flows.columns, values, strict=True)) for values in values_by_row]
    return list(zip(flows.start.tolist(), flows.end.tolist(), payloads, strict=True))
