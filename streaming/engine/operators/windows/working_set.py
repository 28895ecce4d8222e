"""The events of the groups that a turn processes: stored ones and new ones, with ends of edges applied."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.flows import GONE, OPEN, WHOLE, Flows, Mask, concat_flows
from streaming.engine.columns.hashing import UInt64s
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.operators.windows.pane_arrivals import PaneInput, joint_codes
from streaming.engine.operators.windows.pane_rule import GroupEvents
from streaming.engine.state.pane_store import PaneStore
from streaming.wire.rows.arrived import Int64s


@dataclass
class WorkingSet:
    """Events in columns: stored ones first, by rising `place` in the store; -1 for those of `pane_input`.

    `group` is dense integers, `hash` the group's hash, `begin` as in `GroupEvents`. `changed`: the stored version
    differs. `vanished`: an edge of its group was retracted. `settled` as in `WaitingRows`.
    """

    flows: Flows
    place: Int64s
    group: Int64s
    hash: UInt64s
    begin: Int64s
    changed: Mask
    vanished: Mask
    settled: Mask

    def __len__(self) -> int:
        return len(self.begin)

    @property
    def events(self) -> GroupEvents:
        """The events for a rule."""
        opens = np.zeros(len(self), np.bool_) if self.flows.flag is None else self.flows.flag == OPEN
        return GroupEvents(self.group, self.begin, self.flows.end, opens)

    def where(self, mask: Mask, settled: Mask) -> "WorkingSet":
        """Return the events where `mask` is true; `settled` is for all."""
        return WorkingSet(
            self.flows.where(mask),
            self.place[mask],
            self.group[mask],
            self.hash[mask],
            self.begin[mask],
            self.changed[mask],
            self.vanished[mask],
            settled[mask],
        )

    def beginning(self, rows: Int64s, begin: Int64s) -> "WorkingSet":
        """Return the same events with another `begin` for `rows`."""
        moved, changed = self.begin.copy(), self.changed.copy()
        moved[rows] = begin
        changed[rows] |= self.begin[rows] != begin
        return replace(self, begin=moved, changed=changed)

    def end_edges(self, ends: Flows, report: OutcomeReport) -> "WorkingSet":
        """Give edges their ends. Ends without an edge here are ignored.

        An edge without remaining lifetime is GONE, even if closed panes contained a part of it.
        """
        flag, ids = self.flows.flag, self.flows.id
        if not len(ends) or flag is None or ids is None:
            return self
        edges = np.flatnonzero(flag == OPEN)
        found = pc.index_in(ends.ids, value_set=ids.take(pa.array(edges)), skip_nulls=True)
        known = np.flatnonzero(found.is_valid().to_numpy(zero_copy_only=False))
        rows = edges[found.take(pa.array(known)).to_numpy().astype(np.int64)]
        until = ends.end[known]
        lives = until > self.flows.start[rows]
        if ends.source is not None:
            report.took(ends.source.take(pa.array(known[lives])))
        end, flag, changed = self.flows.end.copy(), flag.copy(), self.changed.copy()
        end[rows[lives]] = until[lives]
        flag[rows] = np.where(until > self.begin[rows], WHOLE, GONE)
        changed[rows] = True
        vanished = np.isin(self.group, self.group[rows[~lives]])
        return replace(self, flows=replace(self.flows, end=end, flag=flag), changed=changed, vanished=vanished)

    def apart(self) -> tuple["WorkingSet", "WorkingSet"]:
        """Return the existing events, and the edges that are GONE."""
        gone = self.flows.flags == GONE
        return self.where(~gone, self.settled), self.where(gone, self.settled)


def working_set(
    pane_input: PaneInput, picked: Mask, places: Int64s, store: PaneStore, group_by: Sequence[str]
) -> WorkingSet:
    """Return the new events that are `picked`, and those at `places` of the store."""
    new = pane_input.rows.where(picked)
    groups = pane_input.groups.at(picked)
    stored = store.rows(places)
    if stored is None:
        group, flows, hashes, begin = groups.ids, new, groups.of_rows, new.start
    else:
        # stored rows first, everywhere: `place`, `group`, `hash` and `begin` refer to rows by their index
        flows = concat_flows([stored.flows, new])
        group = joint_codes([stored.flows, new], group_by).codes
        hashes = np.concatenate([stored.group, groups.of_rows])
        begin = np.concatenate([stored.begin, new.start])
    none = np.zeros(len(flows), np.bool_)
    return WorkingSet(
        flows=flows,
        place=np.concatenate([places, np.full(len(new), -1)]),
        group=group,
        hash=hashes,
        begin=begin,
        changed=none,
        vanished=none,
        settled=none,
    )
