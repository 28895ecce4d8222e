"""The input of a turn for data-dependent windows: new events, late ones as far as admitted, and edge ends."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from streaming.engine.columns.flows import CLOSE, Flows, Mask
from streaming.engine.columns.grouping import Codes, combine, encode, group
from streaming.engine.columns.hashing import UInt64s, hash_of
from streaming.engine.columns.ranks import distinct
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.operators.windows.pane_rule import PaneAssigner
from streaming.engine.state.pane_store import PaneStore
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.rows.arrived import Int64s


@dataclass(frozen=True, slots=True)
class RowGroups:
    """The groups of some rows: `hashes` by slot, and the slot of each row."""

    ids: Int64s
    hashes: UInt64s

    def at(self, rows: Int64s | Mask) -> "RowGroups":
        """Return the groups of some rows."""
        return RowGroups(self.ids[rows], self.hashes)

    @property
    def of_rows(self) -> UInt64s:
        """The hash of the group of each row."""
        return self.hashes[self.ids]

    def with_any(self, rows: Mask) -> UInt64s:
        """The hashes of the groups that have one of `rows`."""
        some = np.zeros(len(self.hashes), np.bool_)
        some[self.ids[rows]] = True
        return self.hashes[some]

    def among(self, hashes: UInt64s) -> Mask:
        """Return which rows are of groups with these hashes."""
        found: Mask = np.isin(self.hashes, hashes)[self.ids]
        return found


@dataclass(frozen=True, slots=True)
class PaneInput:
    """The events that a turn brings to open panes, and the ends of edges, which count from `Flows.end` on."""

    rows: Flows
    groups: RowGroups
    ends: Flows
    end_groups: RowGroups


@dataclass(frozen=True)
class LateFilter:
    """Admits events. `grace` and `one_clock` as in `GroupPaneSource`; of the payload only the fields `read` pass."""

    rule: PaneAssigner
    grace: int
    group_by: Sequence[str]
    read: Sequence[str]
    one_clock: bool

    def take(self, flows: Flows, store: PaneStore, at: int, report: OutcomeReport) -> PaneInput:
        """Return the admitted events, and report each source to `report`.

        `at` is the time that was final before the turn.
        """
        groups = self._groups(flows)
        closes = flows.flags == CLOSE
        ends, end_groups = flows.where(closes), groups.at(closes)
        rows, row_groups = flows.where(~closes), groups.at(~closes)
        if rows.late_at is not None and (rows.late_at != NO_CTI).any():
            rows, row_groups = self._rows(rows, row_groups, store, at, report)
        if ends.late_at is not None and (late := np.flatnonzero(ends.late_at != NO_CTI)).size:
            until = ends.end.copy()
            from_ = self._open_from(ends.take(late), end_groups.at(late), store, at, other=at)
            until[late] = np.maximum(until[late], from_)
            ends = replace(ends, end=until)
        report.took(rows.source)
        return PaneInput(self._bare(rows), row_groups, ends, end_groups)

    def _rows(
        self, rows: Flows, groups: RowGroups, store: PaneStore, at: int, report: OutcomeReport
    ) -> tuple[Flows, RowGroups]:
        """Drop late events in closed time only; cut closed time off the others."""
        late = np.flatnonzero(rows.lates != NO_CTI)
        from_ = np.full(len(rows), NO_CTI)
        from_[late] = self._open_from(rows.take(late), groups.at(late), store, at, other=INFINITY)
        lost = self.rule.over(rows.start, rows.end) <= from_
        if lost.any() and rows.source is not None:
            report.refused(rows.source.filter(pa.array(lost)), Reason.WINDOW_CLOSED)
        rows, groups, from_ = rows.where(~lost), groups.at(~lost), from_[~lost]
        if self.rule.cuts and (from_ > rows.start).any():
            rows = rows.lasting(np.maximum(rows.start, from_), rows.end)
        return rows, groups

    def _open_from(self, late: Flows, groups: RowGroups, store: PaneStore, at: int, *, other: int) -> Int64s:
        """Return the time before which all panes of the group are closed for each late event.

        With one clock it is at most the start of the group's first open pane; without an open pane at most `other`.
        """
        met = late.lates
        over = np.where(met == INFINITY, INFINITY, met - self.grace)
        if not self.one_clock:
            return over
        stored = store.rows(store.among(distinct(groups.of_rows)))
        first = np.full(len(late), other)
        if stored is not None:
            codes = joint_codes((stored.flows, late), self.group_by)
            known, mine = codes.codes[: len(stored.flows)], codes.codes[len(stored.flows) :]
            floors = np.full(codes.size, INFINITY)
            np.minimum.at(floors, known, np.minimum(stored.begin, at))
            exists = np.zeros(codes.size, np.bool_)
            exists[known] = True
            first = np.where(exists[mine], floors[mine], other)
        from_: Int64s = np.minimum(over, first)
        return from_

    def _groups(self, flows: Flows) -> RowGroups:
        columns = [flows.columns[name] for name in self.group_by]
        if not columns or not len(flows):
            return RowGroups(np.zeros(len(flows), np.int64), np.zeros(1, np.uint64))
        grouping = group(combine([encode(column) for column in columns], len(flows)))
        hashes = np.zeros(grouping.slots, np.uint64)
        firsts = pa.array(grouping.first_row)
        # one row of each group is hashed: all rows of a group must have one hash, because the store looks them up by it
        hashes[grouping.used] = hash_of([column.take(firsts) for column in columns], len(firsts))
        return RowGroups(grouping.ids, hashes)

    def _bare(self, rows: Flows) -> Flows:
        """Return the stored part of the events; ids only if there are edges."""
        return replace(
            rows,
            columns={name: rows.columns[name] for name in self.read},
            id=None if rows.flag is None else rows.id,
            late_at=None,
            source=None,
            pane=None,
        )


def joint_codes(parts: Sequence[Flows], names: Sequence[str]) -> Codes:
    """Return one code for each group over all rows of `parts`, part after part."""
    rows = sum(len(part) for part in parts)
    columns = [pa.concat_arrays([part.columns[name] for part in parts]) for name in names]
    return combine([encode(column) for column in columns], rows)
