"""Received rows whose outcome is decided after the shuffle: refused or taken by the windows there (T12)."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.ipc import to_chunk
from streaming.engine.exchange.envelopes import LATE_SCHEMA, WATCHED_SCHEMA, OperatorOutput
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.state.bucket_state import BucketState
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.rows_by_key import RowsByKey
from streaming.temporal.events import EdgeKind
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import INFINITY

_PENDING: Final = "pending"
_OPEN: Final = "open"
_IN_TABLE: Final = "versions"
_OUTCOMES: Final[Mapping[Reason, Outcome]] = {
    Reason.WINDOW_CLOSED: Outcome.DROPPED_WINDOW_CLOSED,
    Reason.TOO_MANY_WINDOWS: Outcome.MALFORMED,
}
_PASSED: Final = (str(Outcome.ON_TIME), str(Outcome.REORDERED))
_STORED: Final = pa.schema([*WATCHED_SCHEMA, pa.field("windows", pa.int64()), pa.field("taken", pa.bool_())])
"""WATCHED_SCHEMA with the number of windows with the open edge, and true if some node took the row."""


@dataclass(frozen=True, slots=True)
class _PendingRow:
    """The relevant part of one row of `_STORED`; `place` is its position in its table.

    `versions`: it is a row of a reference table; `in_table`: further versions of it may come (T48).
    """

    place: int
    source: str
    input: str
    outcome: str
    edge: str | None
    refused: str | None
    windows: int
    taken: bool
    waits: bool
    cut: bool
    versions: bool
    in_table: bool

    @property
    def decided(self) -> bool:
        """Return true if its outcome is decided, unless an open edge is cut off."""
        return self.cut or self.taken or not (self.waits or self.in_table)

    @property
    def stays(self) -> bool:
        """Return true if something may still change its outcome."""
        if not self.decided:
            return True
        if self.cut or self.reason is not None:
            return False
        opens = self.in_table or (self.waits and (self.versions or self.edge == EdgeKind.START))
        return self.windows > 0 or (self.taken and opens)

    @property
    def reason(self) -> Reason | None:
        """Return why windows refused it in the end, if they did; WINDOW_CLOSED concerns late_kept rows alone."""
        if self.cut:
            return Reason.TOO_MANY_WINDOWS
        if self.taken or self.waits or self.in_table or self.refused is None:
            return None
        reason = Reason(self.refused)
        return None if reason is Reason.WINDOW_CLOSED and self.outcome != Outcome.LATE_KEPT else reason


def settle(
    bucket_state: BucketState,
    node_id: str,
    arrived: Sequence[pa.Table],
    report: OutcomeReport,
    tables: Collection[str],
) -> list[OperatorOutput]:
    """Decide, as far as possible, the rows watched so far and those that `arrived` (WATCHED_SCHEMA).

    A row that a node took keeps the clock's outcome. A row whose every path has ended, one of them in a refusal, gets
    the outcome of that refusal. An edge that windows took is stored until its end has come, because they may cut it
    off: then it is still malformed (T24). A row of one of the inputs `tables` is stored until the feed reports that no
    further version of it comes, because another path of it may begin until then (T48). Late rows leave in the turn in
    which they arrive, with their outcome so far, and once more if a later turn changes it. The number of changes leaves
    as totals since the first batch.
    """
    watched = _PendingOutcomes(bucket_state.node(node_id), report, tables)
    decidable = watched.decidable_rows(arrived)
    if decidable is None:
        return _totals(bucket_state)
    table, listed, in_table = decidable
    read = zip(table.select(_READ).to_pylist(), in_table, strict=True)
    rows = [watched.row(place, each, in_table=held) for place, (each, held) in enumerate(read)]
    for name, values in (
        ("refused", [row.refused for row in rows]),
        ("windows", [row.windows for row in rows]),
        ("taken", [row.taken for row in rows]),
    ):
        at = table.column_names.index(name)
        table = table.set_column(at, _STORED.field(name), pa.array(values, _STORED.field(name).type))
    watched.keep(table, [row for row in rows if row.stays])
    return _outputs(bucket_state, table, [row for row in rows if row.reason is not None or not listed[row.place]])


_READ: Final = ["source", "input", "outcome", "edge", "refused", "windows", "taken"]


@dataclass(frozen=True)
class _PendingOutcomes:
    """The watched rows on `state`.

    `pending` those that wait in some node, `open` by source the edges of windows, `versions` by source the rows that
    the feed has in the `tables`. In the head, `rows`, `open` and `versions` count them.
    """

    state: NodeState
    report: OutcomeReport
    tables: Collection[str]

    def decidable_rows(self, arrived: Sequence[pa.Table]) -> tuple[pa.Table, list[bool], list[bool]] | None:
        """Return the rows that this turn may decide, which of them have left before, and which the feed has in tables.

        None without such rows.
        """
        if not arrived and not waits_or_open(self.state):
            return None
        report = self.report
        parts = [self.state.get(_PENDING)] if self.state.head.get("rows") else []
        listed = [True] * sum(part.num_rows for part in parts)
        in_table = [False] * len(listed)
        for each in arrived:
            parts.append(_fresh(each))
            listed += [False] * each.num_rows
            in_table += [name in self.tables for name in each.column("input").to_pylist()]
        touched = {source for source, windows in report.open_edges.items() if windows} | report.cut
        for name in (_OPEN, _IN_TABLE):
            if name == _IN_TABLE and self.state.head.get(name):
                touched |= report.taken | report.refusals.keys() | report.settled
            if self.state.head.get(name) and touched:
                parts.append(self._removed(name, touched))
                listed += [True] * parts[-1].num_rows
                in_table += [name == _IN_TABLE] * parts[-1].num_rows
        table = pa.concat_tables([_STORED.empty_table(), *parts]).combine_chunks()
        return (table, listed, in_table) if table.num_rows else None

    def row(self, place: int, each: Mapping[str, Any], *, in_table: bool) -> _PendingRow:
        """Return a row with the reports of the turn; `in_table`: the feed had it in a table before."""
        source, report = each["source"], self.report
        row = _PendingRow(
            place,
            **each,
            waits=source in report.waiting,
            cut=source in report.cut,
            versions=each["input"] in self.tables,
            in_table=in_table and source not in report.settled,
        )
        now = report.refusals.get(source)
        if now is not None and row.refused != Reason.TOO_MANY_WINDOWS:
            row = replace(row, refused=str(now))
        windows = row.windows + report.open_edges[source]
        return replace(row, windows=windows, taken=row.taken or source in report.taken)

    def keep(self, table: pa.Table, rows: Iterable[_PendingRow]) -> None:
        """Store these rows of `table`."""
        pending: list[int] = []
        by_source: dict[str, list[int]] = {_OPEN: [], _IN_TABLE: []}
        for row in rows:
            if row.in_table:
                by_source[_IN_TABLE].append(row.place)
            else:
                (pending if row.waits else by_source[_OPEN]).append(row.place)
        for name, places in by_source.items():
            if places:
                self._by_source(name).append(table.take(pa.array(places, pa.int64())), np.full(len(places), INFINITY))
                self.state.head[name] = self.state.head.get(name, 0) + len(places)
        if pending:
            self.state.put(_PENDING, table.take(pa.array(pending, pa.int64())))
        elif self.state.head.get("rows"):
            self.state.drop([_PENDING])
        self.state.head["rows"] = len(pending)

    def _removed(self, name: str, touched: Collection[str]) -> pa.Table:
        """Remove and return the rows of the store `name` with the sources `touched`."""
        store, sources = self._by_source(name), pa.array(sorted(touched), pa.string())
        slots = store.slots_of([sources], len(sources))
        stored = store.read(slots)
        mine = pc.is_in(stored.column("source"), value_set=sources)
        kept = stored.filter(pc.invert(mine))
        store.rewrite(slots, kept, np.full(kept.num_rows, INFINITY))
        self.state.head[name] += kept.num_rows - stored.num_rows
        return stored.filter(mine)

    def _by_source(self, name: str) -> RowsByKey:
        return RowsByKey(self.state, "edges" if name == _OPEN else name, ["source"], _STORED)


def waits_or_open(state: NodeState) -> bool:
    """Return true if the outcome of some row is open, so that each node must report its waiting rows."""
    return bool(state.head.get("rows") or state.head.get(_OPEN) or state.head.get(_IN_TABLE))


def _fresh(arrived: pa.Table) -> pa.Table:
    none = (pa.array(np.zeros(arrived.num_rows, np.int64)), pa.array(np.zeros(arrived.num_rows, np.bool_)))
    return pa.table([*arrived.cast(WATCHED_SCHEMA).columns, *none], schema=_STORED)


def _outputs(bucket_state: BucketState, table: pa.Table, leaving: Sequence[_PendingRow]) -> list[OperatorOutput]:
    """Return the late rows among the `leaving` rows of `table`, with their outcomes, and the totals of changes."""
    part = table.take(pa.array([row.place for row in leaving], pa.int64()))
    outcomes, reasons, moved = (part.column(name).to_pylist() for name in ("outcome", "reason", "moved_by"))
    for place, row in enumerate(leaving):
        if row.reason is not None:
            where = part.select(["input", "lane"]).slice(place, 1).to_pylist()[0]
            _correct(bucket_state, where, outcomes[place], row.reason)
            outcomes[place], reasons[place], moved[place] = str(_OUTCOMES[row.reason]), str(row.reason), None
    shown = np.flatnonzero([outcome not in _PASSED for outcome in outcomes])
    changed = part
    for name, values in (("outcome", outcomes), ("reason", reasons), ("moved_by", moved)):
        at = part.column_names.index(name)
        changed = changed.set_column(at, _STORED.field(name), pa.array(values, _STORED.field(name).type))
    late = changed.select(LATE_SCHEMA.names).take(pa.array(shown)).cast(LATE_SCHEMA)
    return [*([OperatorOutput("", "late", to_chunk(late))] if late.num_rows else []), *_totals(bucket_state)]


def _totals(bucket_state: BucketState) -> list[OperatorOutput]:
    if not bucket_state.corrections:
        return []
    return [OperatorOutput("", "corrections", json.dumps(bucket_state.corrections, sort_keys=True).encode())]


def _correct(bucket_state: BucketState, row: Mapping[str, Any], outcome: str, reason: Reason) -> None:
    lane = bucket_state.corrections.setdefault(row["input"], {}).setdefault(
        row["lane"], {"outcomes": {}, "reasons": {}}
    )
    for name, change in ((outcome, -1), (str(_OUTCOMES[reason]), 1)):
        lane["outcomes"][name] = lane["outcomes"].get(name, 0) + change
    lane["reasons"][str(reason)] = lane["reasons"].get(str(reason), 0) + 1


def corrected(
    corrections: Mapping[str, Any], input_id: str, lane: str, outcomes: Mapping[Outcome, int]
) -> dict[Outcome, int]:
    """Return the counts of a lane with the operators' changes; zeros are left out."""
    found = Counter({Outcome(name): count for name, count in outcomes.items()})
    for name, change in corrections.get(input_id, {}).get(lane, {}).get("outcomes", {}).items():
        found[Outcome(name)] += change
    return {outcome: count for outcome, count in found.items() if count}
