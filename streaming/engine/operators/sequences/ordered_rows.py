"""Rows of groups in order, as columns that a search reads value by value (T27)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, overload

import numpy as np

from streaming.definition.rows import ROW_START
from streaming.engine.columns.flows import Flows
from streaming.engine.columns.grouping import combine, encode
from streaming.planning.sequences import SequenceSpec
from streaming.temporal.ticks import Tick
from streaming.temporal.value_order import sort_key
from streaming.wire.rows.arrived import Int64s


@dataclass(frozen=True)
class OrderedRows:
    """Rows by group, each group in order; group `g` is `[bounds[g], bounds[g + 1])`."""

    flows: Flows
    bounds: Sequence[int]
    _columns: dict[str, list[Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, spec: SequenceSpec, flows: Flows) -> "OrderedRows":
        """Put `flows` in order."""
        codes = combine([encode(flows.columns[name]) for name in spec.group_by], len(flows)).codes
        order = np.lexsort((flows.start, codes))
        sorted_codes, starts = codes[order], flows.start[order]
        opens = np.ones(len(order), np.bool_)
        opens[1:] = sorted_codes[1:] != sorted_codes[:-1]
        same = ~opens
        same[1:] &= starts[1:] == starts[:-1]
        if same.any():
            order = _ties(spec, flows, order, same)
        return cls(flows.take(order), [*np.flatnonzero(opens).tolist(), len(order)])

    def column(self, name: str) -> list[Any]:
        """Return the values of a field."""
        found = self._columns.get(name)
        if found is None:
            column = self.starts if name == ROW_START else self.flows.columns[name].to_pylist()
            found = list(column)
            self._columns[name] = found
        return found

    @cached_property
    def starts(self) -> list[int]:
        """Return the starts."""
        return list(self.flows.start.tolist())

    def row(self, at: int) -> "OrderedRow":
        """Return the row at the place `at`."""
        return OrderedRow(self, at)

    def rows(self, first: int, end: int) -> Sequence["OrderedRow"]:
        """Return the rows from `first` until before `end`."""
        return _RowRange(self, range(first, end))


@dataclass(frozen=True, slots=True)
class OrderedRow:
    """One row; it is its own payload."""

    table: OrderedRows
    at: int

    @property
    def start(self) -> Tick:
        """Return the start of the event."""
        return Tick(self.table.starts[self.at])

    @property
    def payload(self) -> Any:
        """Return the fields, with the start."""
        return self

    def __getitem__(self, name: str) -> Any:
        return self.table.column(name)[self.at]


@dataclass(frozen=True, slots=True)
class _RowRange(Sequence[OrderedRow]):
    """Rows that are made when they are read."""

    table: OrderedRows
    places: range

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, at: int) -> OrderedRow: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[OrderedRow]: ...

    def __getitem__(self, at: int | slice) -> "OrderedRow | Sequence[OrderedRow]":
        if isinstance(at, slice):
            return _RowRange(self.table, self.places[at])
        return OrderedRow(self.table, self.places[at])


def _ties(spec: SequenceSpec, flows: Flows, order: Int64s, same: Any) -> Int64s:
    """Put rows of one group and start in the order of ORDER BY, then of payload, then of end."""
    order = order.copy()
    firsts = np.flatnonzero(np.diff(np.append(same, False).astype(np.int8), prepend=0) == 1) - 1
    ends = np.flatnonzero(np.diff(np.append(same, False).astype(np.int8), prepend=0) == -1)
    tied = np.concatenate([np.arange(first, end) for first, end in zip(firsts, ends, strict=True)])
    some = flows.take(order[tied])
    payload = {**some.columns, ROW_START: some.start}
    keys = [_values(some, by.of, by.type) for by in spec.order_by]
    columns = [payload[name].to_pylist() for name in spec.reads]
    falling = [by.descending for by in spec.order_by]
    key = [
        (
            tuple(
                _FallingKey(sort_key(value)) if down else sort_key(value)
                for value, down in zip(of, falling, strict=True)
            ),
            sort_key(list(values)),
            end,
        )
        for of, values, end in zip(
            zip(*keys, strict=True) if keys else [()] * len(tied),
            zip(*columns, strict=True) if columns else [()] * len(tied),
            some.end.tolist(),
            strict=True,
        )
    ]
    at = 0
    for first, end in zip(firsts.tolist(), ends.tolist(), strict=True):
        rows = order[first:end]
        places = sorted(range(end - first), key=lambda place, at=at: key[at + place])  # type: ignore[misc]
        order[first:end] = rows[places]
        at += end - first
    return order


def _values(flows: Flows, of: Any, kind: Any) -> list[Any]:
    from dataclasses import replace

    import pyarrow as pa

    rows = replace(flows, columns={**flows.columns, ROW_START: pa.array(flows.start)}).rows
    return rows.values(of, kind).to_pylist()  # type: ignore[no-any-return]


class _FallingKey:
    __slots__ = ("key",)

    def __init__(self, key: Any) -> None:
        self.key = key

    def __lt__(self, other: "_FallingKey") -> bool:
        return bool(other.key < self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _FallingKey) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)
