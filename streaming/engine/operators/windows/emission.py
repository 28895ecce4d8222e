"""Emission of pane rows and their timing: final, on_complete, running (T20)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.definition.expressions.failures import FailureKind
from streaming.definition.payload.types import TIMESTAMP, Array, Type
from streaming.engine.columns.flows import GONE, OLD, TIMINGS, WHOLE, Flows, Mask, PaneColumns, concat_flows
from streaming.engine.columns.folding.results import Failed
from streaming.engine.columns.grouping import combine, encode, encode_integers, group
from streaming.engine.state.node_state import NodeState
from streaming.planning.plan import WindowSpec
from streaming.wire.execution.failures import FailureCount, FailureTally, example_of
from streaming.wire.rows.arrived import Int64s
from streaming.wire.rows.arrow_types import arrow_schema

_GIVEN: Final = "given"
_EXTENT: Final = "@extent"
EARLY, ON_TIME, LATE = (TIMINGS.index(timing) for timing in ("early", "on_time", "late"))


@dataclass(frozen=True, slots=True)
class PaneTable:
    """Panes with their current values, in columns of equal length; each pane once.

    `columns` are those of the window's `fields`. `stamp` is None if nobody needs the latest input. A pane has changed
    if its `extent` has. `failed` lists the rows on which an aggregate has failed; it may be shorter than the others.
    """

    start: Int64s
    end: Int64s
    columns: Sequence[pa.Array]
    stamp: Int64s | None
    extent: Int64s
    failed: Failed = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.start)

    @classmethod
    def none(cls, spec: WindowSpec) -> "PaneTable":
        """Return an empty table."""
        empty = np.empty(0, np.int64)
        return cls(empty, empty, [pa.array([], each.type) for each in arrow_schema(spec.fields)], None, empty)


@dataclass(frozen=True)
class PaneEmission:
    """The rows of one window node. `final`: one row when the pane closes, and no state.

    `on_complete`: a row when a CTI has completed the pane, and one after each turn that moved the CTI and changed the
    pane. `running`: a row at the end of each micro-batch that changed it. Both: one when it closes if it changed since
    its last row. With `retract` the last row is GONE before its successor comes, otherwise it is OLD. The row of a pane
    that no longer exists is always GONE. In the state, table `given`: the last row of each pane that is not closed.
    """

    spec: WindowSpec

    def released(
        self, state: NodeState, cti: int, closing: PaneTable, known: PaneTable | None, failures: FailureTally
    ) -> Flows:
        """Return the rows of a turn that ends at the node's input CTI `cti`.

        `closing` are the panes that the turn closes. `known` are all other existing panes, for `on_complete` at least
        those that end by `cti`. It is None if no row is due for them: emit is `final`, or it is `on_complete` and no
        CTI moved, or it is `running` and no micro-batch ends. `failures` counts the rows on which an aggregate has
        failed.
        """
        if self.spec.emit == "final":
            self._count_failed(closing, None, failures)
            return self._final(closing)
        before = self._read_emitted(state)
        exists = [closing] if known is None else [closing, known]
        places = _EmittedBefore(before, [self._keys(panes) for panes in exists], self._names)
        found, last, kept = [], [], []
        # Two sessions may merge because of a late row: neither of their rows may remain next to the new one.
        gone = np.zeros(len(before), np.bool_) if known is None else ~places.still
        for number, panes in enumerate(exists):
            shown = np.ones(len(panes), np.bool_)  # a pane that closes is complete
            if number and self.spec.emit == "on_complete":
                shown = panes.end <= cti
            was = places.before[number]
            shown &= (was < 0) | (panes.extent != _at(before.extent, was))
            self._count_failed(panes, shown, failures)
            rows, replaced = self._rows(panes, before, was, np.flatnonzero(shown), cti, closes=not number)
            found.append(rows.rows)
            last.append(replaced)
            if number:
                kept.append(rows)
        over = gone.copy()
        over[places.before[0][places.before[0] >= 0]] = True
        replaced = np.concatenate(last)
        over[replaced] = True
        self._keep(state, before, over, kept)
        # Old rows go first: a consumer that keeps the newest row of an id must not lose the new one.
        deleted = np.concatenate((np.flatnonzero(gone), replaced)) if self.spec.retract else np.flatnonzero(gone)
        old = [_flagged(before.rows.take(deleted), GONE)]
        if not self.spec.retract:
            old.append(_flagged(before.rows.take(replaced), OLD))
        return concat_flows([*old, *found])

    def _final(self, closing: PaneTable) -> Flows:
        rows = len(closing)
        pane = PaneColumns(
            closing.start,
            closing.end,
            np.full(rows, ON_TIME, np.int8),
            np.zeros(rows, np.int64),
            np.ones(rows, np.bool_),
        )
        columns = dict(zip(self.spec.fields, closing.columns, strict=True))
        return Flows(closing.start, closing.end, columns, stamp=closing.stamp, pane=pane)

    def _count_failed(self, panes: PaneTable, shown: Mask | None, failures: FailureTally) -> None:
        for name, failed in panes.failed.items():
            rows = np.flatnonzero(failed if shown is None else failed & shown[: len(failed)])
            if len(rows):
                example = example_of(self._values(panes, int(rows[0])))
                failures.add(FailureCount(self.spec.node, name, self._kind(name), len(rows), example))

    def _kind(self, name: str) -> FailureKind:
        of = next(each for each in self.spec.aggregates if each.name == name)
        return "too_long" if isinstance(of.type, Array) else "overflow"

    def _values(self, panes: PaneTable, row: int) -> dict[str, tuple[Any, Type]]:
        """Return the window and group that identify a row of `panes`."""
        start: tuple[Any, Type] = (int(panes.start[row]), TIMESTAMP)
        end: tuple[Any, Type] = (int(panes.end[row]), TIMESTAMP)
        groups = zip(self.spec.group_by, panes.columns, strict=False)
        values = {name: (column[row].as_py(), self.spec.fields[name]) for name, column in groups}
        return {"window_start": start, "window_end": end} | values

    @property
    def _names(self) -> int:
        return len(self.spec.group_by)

    def _keys(self, panes: PaneTable) -> list[pa.Array]:
        return [pa.array(panes.start), pa.array(panes.end), *panes.columns[: self._names]]

    def _rows(
        self, panes: PaneTable, before: "_EmittedRows", was: Int64s, shown: Int64s, cti: int, *, closes: bool
    ) -> tuple["_EmittedRows", Int64s]:
        """Return the rows of the panes `shown`, and which rows of `before` they replace."""
        at = pa.array(shown)
        start, end, was = panes.start[shown], panes.end[shown], was[shown]
        known = was >= 0
        columns = {name: column.take(at) for name, column in zip(self.spec.fields, panes.columns, strict=True)}
        previous = before.rows.pane
        timing = np.full(len(shown), ON_TIME, np.int8)
        index = np.zeros(len(shown), np.int64)
        if previous is not None and known.any():
            # it was emitted as complete once, and now changes
            timing[known & (_at(previous.timing, was) != EARLY)] = LATE
            index[known] = previous.index[was[known]] + 1
        timing[end > cti] = EARLY
        pane = PaneColumns(start, end, timing, index, np.full(len(shown), closes))
        stamp = None if panes.stamp is None else panes.stamp[shown]
        ids = self._ids(start, end, [columns[name] for name in self.spec.group_by])
        flags = np.full(len(shown), WHOLE, np.int8)
        rows = Flows(start, end, columns, flag=flags, id=ids, stamp=stamp, pane=pane)
        return _EmittedRows(rows, panes.extent[shown]), was[known]

    def _ids(self, start: Int64s, end: Int64s, groups: list[pa.Array]) -> pa.Array:
        """Return the ids of panes: the node, the bounds and the JSON of the group."""
        # JSON is made once for each group: there are far fewer of them than panes.
        by = group(combine([encode(column) for column in groups], len(start)))
        distinct = [column.take(pa.array(by.first_row)).to_pylist() for column in groups]
        texts = [json.dumps(values, default=str) for values in zip(*distinct, strict=True)] if groups else ["[]"]
        slots = np.empty(by.slots, np.int64)
        slots[by.used] = np.arange(len(by.used))
        named = pa.array(texts, pa.string()).take(pa.array(slots[by.ids]))
        bounds = (pa.array(bound).cast(pa.string()) for bound in (start, end))
        return pc.binary_join_element_wise(pa.scalar(self.spec.node), *bounds, named, ":")

    def _read_emitted(self, state: NodeState) -> "_EmittedRows":
        if _GIVEN not in state.head:
            return _EmittedRows(Flows.none(self.spec.fields), np.empty(0, np.int64))
        table = state.get(_GIVEN)
        return _EmittedRows(Flows.of_table(table.drop_columns([_EXTENT])), table.column(_EXTENT).to_numpy())

    def _keep(self, state: NodeState, before: "_EmittedRows", over: np.ndarray, kept: Sequence["_EmittedRows"]) -> None:
        """Write the rows of `before` that are not `over`, and the new ones of panes that stay open, to the state."""
        if not over.any() and not any(len(each) for each in kept):
            return
        stays = np.flatnonzero(~over)
        parts = [_EmittedRows(before.rows.take(stays), before.extent[stays]), *kept]
        if not any(len(part) for part in parts):  # an empty table would be read again in every turn
            state.drop([_GIVEN])
            del state.head[_GIVEN]
            return
        rows = concat_flows([part.rows for part in parts])
        extent = np.concatenate([part.extent for part in parts])
        state.put(_GIVEN, rows.to_table().append_column(_EXTENT, pa.array(extent)))
        state.head[_GIVEN] = True


@dataclass(frozen=True, slots=True)
class _EmittedRows:
    """Emitted rows, and the extents of their panes."""

    rows: Flows
    extent: Int64s

    def __len__(self) -> int:
        return len(self.extent)


class _EmittedBefore:
    """The previously emitted panes: for each table of panes the position of each in `before`, -1 for none.

    `still` marks the rows of `before` that are in one of the tables.
    """

    def __init__(self, before: _EmittedRows, tables: Sequence[list[pa.Array]], names: int) -> None:
        rows = before.rows
        groups = list(rows.columns.values())[:names]
        known = [pa.array(rows.start), pa.array(rows.end), *groups]
        sizes = [len(before), *(len(table[0]) for table in tables)]
        columns = [pa.concat_arrays(list(parts)) for parts in zip(known, *tables, strict=True)]
        codes = [encode_integers(column.to_numpy()) for column in columns[:2]]
        whole = combine([*codes, *(encode(column) for column in columns[2:])], sum(sizes)).codes
        parts = np.split(whole, np.cumsum(sizes)[:-1])
        order = np.argsort(parts[0], kind="stable")
        self.before = [_find(parts[0][order], order, part) for part in parts[1:]]
        self.still = np.zeros(len(before), np.bool_)
        for places in self.before:
            self.still[places[places >= 0]] = True


def _find(ordered: Int64s, order: Int64s, wanted: Int64s) -> Int64s:
    """Return for each of `wanted` the position in the unordered codes, -1 if it is not among them."""
    if not len(ordered):
        return np.full(len(wanted), -1)
    places = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return np.where(ordered[places] == wanted, order[places], -1)


def _at(values: np.ndarray, places: Int64s) -> np.ndarray:
    """The values at `places`; any value where the place is -1."""
    return values[places] if len(values) else np.zeros(len(places), np.int64)


def _flagged(rows: Flows, flag: int) -> Flows:
    return Flows(
        rows.start,
        rows.end,
        rows.columns,
        flag=np.full(len(rows), flag, np.int8),
        id=rows.ids,
        stamp=rows.stamp,
        pane=rows.pane if rows.pane is not None else _no_panes(),
    )


def _no_panes() -> PaneColumns:
    empty = np.empty(0, np.int64)
    return PaneColumns(empty, empty, empty.astype(np.int8), empty, empty.astype(np.bool_))
