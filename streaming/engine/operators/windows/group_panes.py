"""Windows whose panes follow from the events of their group: session, snapshot and count, all groups at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from streaming.definition.expressions.tree import fields_used
from streaming.engine.columns.flows import Flows, Mask
from streaming.engine.columns.hashing import UInt64s
from streaming.engine.columns.ranks import distinct
from streaming.engine.operators.kernel import Port, Turn
from streaming.engine.operators.windows.counts import Counts
from streaming.engine.operators.windows.pane_arrivals import Came, Door
from streaming.engine.operators.windows.pane_rule import PaneRule, Panes
from streaming.engine.operators.windows.pane_source import Members, PaneSource, PaneTurn
from streaming.engine.operators.windows.sessions import Sessions
from streaming.engine.operators.windows.snapshots import Snapshots
from streaming.engine.operators.windows.working_set import Look, looked_at
from streaming.engine.state.node_state import Shelf
from streaming.engine.state.pane_store import PaneStore, Waiting, joined
from streaming.planning.plan import CountPanes, SessionPanes, SnapshotPanes, TopKSpec, WindowSpec
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.arrived import Int64s

_AT = "at"
_CTI = "cti"


def group_source(spec: WindowSpec | TopKSpec) -> PaneSource:
    """The panes of a session, snapshot or count window. Raises TypeError for fixed windows."""
    read = set(spec.group_by)
    if isinstance(spec, TopKSpec):
        read.update(spec.fields)
    else:
        used = [each for column in spec.aggregates for each in (column.of, column.where) if each is not None]
        read.update(*map(fields_used, used))
    return GroupPanes(_rule(spec), spec.grace, spec.group_by, tuple(sorted(read)), spec.one_clock)


def _rule(spec: WindowSpec | TopKSpec) -> PaneRule:
    match spec.panes:
        case SessionPanes(gap, longest):
            return Sessions(gap, longest)
        case SnapshotPanes():
            return Snapshots()
        case CountPanes(n):
            return Counts(n)
        case other:
            raise TypeError(f"{spec.node!r} has no panes that follow from events: {other}")


@dataclass(frozen=True)
class GroupPanes:
    """The panes that `rule` finds in each group; a late event is taken as far as they are open for it (T19).

    With `one_clock` those panes of its group that are not closed are open for it. Where several clocks feed the node,
    one lane cannot know what another one has opened: then only the grace counts (T14). Of the payload only the fields
    `read` are kept. The work of a turn follows the events that came and the groups where something may close; when
    `known` panes are asked for it follows all that is open.
    """

    rule: PaneRule
    grace: int
    group_by: Sequence[str]
    read: Sequence[str]
    one_clock: bool = False

    def turn(self, port: Port, shelf: Shelf, turn: Turn, *, known: bool) -> PaneTurn:
        """As `PaneSource` says. Panes close at the last CTI of the turn, and no other leaves."""
        store = PaneStore(shelf)
        at = self._over(port.ctis[-1]) if port.ctis else NO_CTI
        door = Door(self.rule, self.grace, self.group_by, self.read, self.one_clock)
        came = door.take(port.flows, store, int(shelf.head.get(_AT, NO_CTI)), turn.report)
        picked, places = self._wanted(came, store, at, everything=known or at == INFINITY)
        look, gone = looked_at(came, picked, places, store, self.group_by).end_edges(came.ends, turn.report).apart()
        panes = self.rule.panes(look.sheet, at)
        closing = _counted(panes, panes.closed)
        rest = self._rest(look, panes, closing, at)
        store.remove(np.setdiff1d(places, rest.place[~rest.changed], assume_unique=True))
        self._remember(store, came, picked, rest, None if port.ctis else gone)
        return PaneTurn(
            closing=_members(look, panes, closing),
            known=self._known(rest, at) if known else None,
            ctis=self._moved(shelf, store, at) if port.ctis else (),
            horizon=port.horizon,
        )

    def _over(self, cti: int) -> int:
        """Before which time nothing changes any more at `cti` (T19)."""
        return cti if cti == INFINITY else cti - self.grace

    def _wanted(self, came: Came, store: PaneStore, at: int, *, everything: bool) -> tuple[Mask, Int64s]:
        """Which new events, and which places of the store, are of groups where something may close or has ended."""
        if everything:
            return np.ones(len(came.rows), np.bool_), store.among(None)
        due = self.rule.due(came.rows.start) <= at
        groups = np.concatenate([store.due(at), came.groups.with_any(due), came.end_groups.of_rows])
        if not len(groups):
            return np.zeros(len(came.rows), np.bool_), np.empty(0, np.int64)
        groups = distinct(groups)
        return came.groups.among(groups), store.among(groups)

    def _rest(self, look: Look, panes: Panes, closing: Int64s, at: int) -> Look:
        """The events that may be in panes to come, as they wait for these."""
        stays = closing < panes.last - panes.first + 1 if at != INFINITY else np.zeros(len(look), np.bool_)
        if self.rule.cuts:
            cut = np.flatnonzero(stays & (closing > 0))
            look = look.beginning(cut, panes.start[panes.first[cut] + closing[cut]])
        settled = panes.settled & ~look.vanished
        return look.where(stays, settled)

    def _remember(self, store: PaneStore, came: Came, picked: Mask, rest: Look, gone: Look | None) -> None:
        """Bring the store to what is left. Edges that are `gone` wait for the next CTI: up to it their group was there,
        and took late events (T19)."""
        same = (rest.place >= 0) & ~rest.changed
        store.settle(rest.place[same], rest.settled[same])
        fresh = np.flatnonzero(~picked)
        rows = came.rows.take(fresh)
        added = [
            self._waiting(rest.flows, rest.hash, rest.begin, rest.settled).take(np.flatnonzero(~same)),
            self._waiting(rows, came.groups.at(fresh).of_rows, rows.start, np.zeros(len(fresh), np.bool_)),
        ]
        if gone is not None and self.one_clock:
            always = np.full(len(gone), NO_CTI + 1)
            added.append(Waiting(gone.flows, gone.hash, gone.begin, always, always, gone.settled))
        store.save(joined([part for part in added if len(part.flows)]))

    def _waiting(self, flows: Flows, hashes: UInt64s, begin: Int64s, settled: Mask) -> Waiting:
        return Waiting(flows, hashes, begin, self.rule.due(begin), self.rule.later(flows.end), settled)

    def _known(self, rest: Look, at: int) -> Members:
        panes = self.rule.panes(rest.sheet, at)
        complete = panes.last - panes.first + 1 if panes.complete is None else _counted(panes, panes.complete)
        return _members(rest, panes, complete)

    def _moved(self, shelf: Shelf, store: PaneStore, at: int) -> tuple[int, ...]:
        """The CTI, not above the start of any pane that is not closed, if it moved."""
        shelf.head[_AT] = at
        out = min(at, store.least)
        if out <= shelf.head.get(_CTI, NO_CTI):
            return ()
        shelf.head[_CTI] = out
        return (out,)


def _counted(panes: Panes, marked: Mask) -> Int64s:
    """How many of the panes of each event are marked."""
    counts = np.concatenate([np.zeros(1, np.int64), np.cumsum(marked)])
    found: Int64s = counts[panes.last + 1] - counts[panes.first]
    return found


def _members(look: Look, panes: Panes, count: Int64s) -> Members:
    """The events in the first `count` of their panes, where these are any."""
    some = count > 0
    first = panes.first[some]
    return Members(
        look.flows.where(some),
        first,
        first + count[some] - 1,
        lambda numbers: (panes.start[numbers], panes.end[numbers]),
    )
