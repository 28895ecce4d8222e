"""Windows whose panes depend on the events of their group: session, snapshot and count, all groups at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from streaming.definition.expressions.tree import fields_used
from streaming.definition.windows import EventPanes
from streaming.engine.columns.flows import Flows, Mask
from streaming.engine.columns.hashing import UInt64s
from streaming.engine.columns.ranks import distinct
from streaming.engine.operators.kernel import PortInput, TurnContext
from streaming.engine.operators.windows.pane_arrivals import LateFilter, PaneInput
from streaming.engine.operators.windows.pane_assigners import pane_assigner
from streaming.engine.operators.windows.pane_rule import NumberedPanes, PaneAssigner
from streaming.engine.operators.windows.pane_source import PaneMembers, PaneSource, PaneTurn
from streaming.engine.operators.windows.working_set import WorkingSet, working_set
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.pane_store import PaneStore, WaitingRows, joined
from streaming.planning.plan import TopKSpec, WindowSpec
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.rows.arrived import Int64s

_AT = "at"
_CTI = "cti"


def group_source(spec: WindowSpec | TopKSpec, panes: EventPanes) -> PaneSource:
    """Return the `panes` of a session, snapshot or count window."""
    read = set(spec.group_by)
    if isinstance(spec, TopKSpec):
        read.update(spec.fields)
    else:
        used = [each for column in spec.aggregates for each in (column.of, column.where) if each is not None]
        read.update(*map(fields_used, used))
    return GroupPaneSource(pane_assigner(panes), spec.grace, spec.group_by, tuple(sorted(read)), spec.one_clock)


@dataclass(frozen=True)
class GroupPaneSource:
    """The panes that `rule` finds in each group; a late event is taken as far as they are open for it (T19).

    With `one_clock` the panes of its group that are not closed are open for it. If several clocks feed the node, one
    lane cannot know the panes of another: then only the grace counts (T14). Of the payload only the fields `read` are
    stored. The work of a turn depends on the new events and on the groups in which something may close. With `known`
    panes it depends on all open ones.
    """

    rule: PaneAssigner
    grace: int
    group_by: Sequence[str]
    read: Sequence[str]
    one_clock: bool = False

    def turn(self, port: PortInput, state: NodeState, turn: TurnContext, *, known: bool) -> PaneTurn:
        """Process a turn; see `PaneSource`. Panes close at the last CTI of the turn; it is the only output CTI."""
        store = PaneStore(state)
        at = self._over(port.ctis[-1]) if port.ctis else NO_CTI
        quarantine_choice = LateFilter(self.rule, self.grace, self.group_by, self.read, self.one_clock)
        pane_input = quarantine_choice.take(port.flows, store, int(state.head.get(_AT, NO_CTI)), turn.report)
        picked, places = self._wanted(pane_input, store, at, everything=known or at == INFINITY)
        working, gone = (
            working_set(pane_input, picked, places, store, self.group_by)
            .end_edges(pane_input.ends, turn.report)
            .apart()
        )
        panes = self.rule.panes(working.events, at)
        closing = _counted(panes, panes.closed)
        rest = self._rest(working, panes, closing, at)
        store.remove(np.setdiff1d(places, rest.place[~rest.changed], assume_unique=True))
        self._remember(store, pane_input, picked, rest, None if port.ctis else gone)
        return PaneTurn(
            closing=_members(working, panes, closing),
            known=self._open_members(rest, at) if known else None,
            ctis=self._moved(state, store, at) if port.ctis else (),
            horizon=port.horizon,
        )

    def _over(self, cti: int) -> int:
        """Return the time before which nothing changes any more at `cti` (T19)."""
        return cti if cti == INFINITY else cti - self.grace

    def _wanted(self, pane_input: PaneInput, store: PaneStore, at: int, *, everything: bool) -> tuple[Mask, Int64s]:
        """Return the new events, and the positions in the store, of groups in which a pane may close or has ended."""
        if everything:
            return np.ones(len(pane_input.rows), np.bool_), store.among(None)
        due = self.rule.due(pane_input.rows.start) <= at
        groups = np.concatenate([store.due(at), pane_input.groups.with_any(due), pane_input.end_groups.of_rows])
        if not len(groups):
            return np.zeros(len(pane_input.rows), np.bool_), np.empty(0, np.int64)
        groups = distinct(groups)
        return pane_input.groups.among(groups), store.among(groups)

    def _rest(self, working: WorkingSet, panes: NumberedPanes, closing: Int64s, at: int) -> WorkingSet:
        """Return the events that may be in future panes, in their stored form."""
        stays = closing < panes.last - panes.first + 1 if at != INFINITY else np.zeros(len(working), np.bool_)
        if self.rule.cuts:
            cut = np.flatnonzero(stays & (closing > 0))
            working = working.beginning(cut, panes.start[panes.first[cut] + closing[cut]])
        settled = panes.settled & ~working.vanished
        return working.where(stays, settled)

    def _remember(
        self, store: PaneStore, pane_input: PaneInput, picked: Mask, rest: WorkingSet, gone: WorkingSet | None
    ) -> None:
        """Update the store to the remaining events.

        Edges that are `gone` wait for the next CTI: until then their group existed, and took late events (T19).
        """
        same = (rest.place >= 0) & ~rest.changed
        store.settle(rest.place[same], rest.settled[same])
        fresh = np.flatnonzero(~picked)
        rows = pane_input.rows.take(fresh)
        added = [
            self._waiting(rest.flows, rest.hash, rest.begin, rest.settled).take(np.flatnonzero(~same)),
            self._waiting(rows, pane_input.groups.at(fresh).of_rows, rows.start, np.zeros(len(fresh), np.bool_)),
        ]
        if gone is not None and self.one_clock:
            always = np.full(len(gone), NO_CTI + 1)
            added.append(WaitingRows(gone.flows, gone.hash, gone.begin, always, always, gone.settled))
        store.save(joined([part for part in added if len(part.flows)]))

    def _waiting(self, flows: Flows, hashes: UInt64s, begin: Int64s, settled: Mask) -> WaitingRows:
        return WaitingRows(flows, hashes, begin, self.rule.due(begin), self.rule.later(flows.end), settled)

    def _open_members(self, rest: WorkingSet, at: int) -> PaneMembers:
        panes = self.rule.panes(rest.events, at)
        complete = panes.last - panes.first + 1 if panes.complete is None else _counted(panes, panes.complete)
        return _members(rest, panes, complete)

    def _moved(self, state: NodeState, store: PaneStore, at: int) -> tuple[int, ...]:
        """Return the CTI, at most the start of any pane that is not closed, if it moved."""
        state.head[_AT] = at
        out = min(at, store.least)
        if out <= state.head.get(_CTI, NO_CTI):
            return ()
        state.head[_CTI] = out
        return (out,)


def _counted(panes: NumberedPanes, marked: Mask) -> Int64s:
    """Return how many of the panes of each event are marked."""
    counts = np.concatenate([np.zeros(1, np.int64), np.cumsum(marked)])
    found: Int64s = counts[panes.last + 1] - counts[panes.first]
    return found


def _members(working: WorkingSet, panes: NumberedPanes, count: Int64s) -> PaneMembers:
    """Return the events in the first `count` of their panes, if any."""
    some = count > 0
    first = panes.first[some]
    return PaneMembers(
        working.flows.where(some),
        first,
        first + count[some] - 1,
        lambda numbers: (panes.start[numbers], panes.end[numbers]),
    )
