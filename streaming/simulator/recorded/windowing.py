"""The panes of one window or top_k node after each row: new members, lost members, closing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from streaming.planning.columns import AggregateColumn
from streaming.reference.flow import Flow, TraceRecorder
from streaming.reference.windows.empties import FilledWindows
from streaming.reference.windows.fixed_windows import FixedWindows
from streaming.reference.windows.group_panes import GroupedPanes
from streaming.reference.windows.panes import Key, Members, PaneId, PaneSet
from streaming.reference.windows.top_k import TopK
from streaming.reference.windows.window import WindowOperator
from streaming.simulator.recorded.held_values import HeldValues
from streaming.simulator.recorded.silence import SILENT
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick, Ticks


@dataclass(slots=True)
class PaneStep:
    """The contents of a pane from `after` on: `members` in order, and its bounds."""

    after: int
    pane: PaneId
    members: Sequence[Flow]


@dataclass(slots=True)
class RecordedPane:
    """One pane of `node`; for the other fields see `SimulatedPane`. `values` has an entry for each of `steps`.

    `held` computes them, for the panes of windows.
    """

    node: str
    id: int
    pane: PaneId
    opened: int
    steps: list[PaneStep] = field(default_factory=list)
    values: list[Mapping[str, Any]] = field(default_factory=list)
    complete: int | None = None
    closed: int | None = None
    gone: int | None = None
    into: int | None = None
    spoke: list[int] = field(default_factory=list)
    held: HeldValues | None = None


@dataclass
class NodePanes:
    """The panes of one node. Wraps a `PaneSet`.

    `open` are the panes that are not closed, by group. `after` is how many rows have arrived. `horizon` is the largest
    finite time that the node would receive if its inputs ended now; it is set before each `step_done` with
    `has_open_edges`.
    """

    node: str
    inner: PaneSet
    operator: WindowOperator | TopK
    columns: Sequence[AggregateColumn] = ()
    all: list[RecordedPane] = field(default_factory=list)
    open: dict[Key, list[RecordedPane]] = field(default_factory=dict)
    after: int = 0
    horizon: Tick = NO_CTI
    _touched: dict[int, RecordedPane] = field(default_factory=dict)

    def take(self, key: Key, flow: Flow, witness: TraceRecorder) -> None:
        """Delegate to the panes; see `PaneSet`."""
        self.inner.take(key, flow, witness)
        held, whole = self._held(key, flow)
        self._reconcile(key, held, whole=whole)

    def close(self, cti: Tick, horizon: Tick, witness: TraceRecorder) -> Members:
        """Delegate to the panes and record the closed ones; see `PaneSet`."""
        closed = self.inner.close(cti, horizon, witness)
        by_group: dict[Key, dict[PaneId, Sequence[Flow]]] = {}
        for pane, members in closed.items():
            by_group.setdefault(pane.key, {})[pane] = members
        for key, panes in by_group.items():
            self._close(key, panes)
        for panes_of in self.open.values():
            for each in panes_of:
                if each.complete is None and each.pane.end <= cti:
                    each.complete = self.after
        return closed

    def open_members(self, cti: Tick) -> Members:
        """Delegate to the panes; see `PaneSet`."""
        return self.inner.open_members(cti)

    def output_cti(self, cti: Tick) -> Tick:
        """Delegate to the panes; see `PaneSet`."""
        return self.inner.output_cti(cti)

    @property
    def has_open_edges(self) -> bool:
        """Return true if a window at fixed times holds an edge whose end is not known."""
        return self.fixed is not None and bool(self.fixed.open_edges)

    def step_done(self) -> None:
        """Update the panes after a row, heartbeat or boundary: open edges may now be in more panes."""
        fixed = self.fixed
        if fixed is not None and fixed.open_edges:
            for key in {edge.key for edge in fixed.open_edges.values()}:
                self._reconcile(key, self._if_ended(fixed, key), whole=True)
        for each in self._touched.values():
            while len(each.values) < len(each.steps):
                step = each.steps[len(each.values)]
                each.values.append(self._values(each, step))
        self._touched.clear()

    def _values(self, record: RecordedPane, step: PaneStep) -> Mapping[str, Any]:
        """Return the values of the pane as if it were closed with the members of this step."""
        if isinstance(self.operator, TopK):
            return {"rows": [flow.payload for flow in self.operator.chosen(step.members)]}
        if not step.members:
            return {}
        if record.held is None:
            record.held = HeldValues(self.columns)
        return record.held.of(step.pane, step.members)

    def pane_of(self, flow: Flow) -> PaneId:
        """Return the pane that emitted `flow`."""
        pane = flow.id if isinstance(flow.id, PaneId) else flow.id[0] if isinstance(flow.id, tuple) else None
        assert isinstance(pane, PaneId)  # nosec B101 # windows and top_k name their rows by panes
        return pane

    @property
    def grace(self) -> Ticks:
        """Return how long a pane stays open after its end."""
        if self.fixed is not None:
            return self.fixed.grace
        assert isinstance(self.inner, GroupedPanes)  # nosec B101 # there are no others
        return self.inner.grace

    @property
    def fixed(self) -> FixedWindows | None:
        """Return the windows at fixed times; None for other kinds."""
        inner = self.inner.fixed if isinstance(self.inner, FilledWindows) else self.inner
        return inner if isinstance(inner, FixedWindows) else None

    def _held(self, key: Key, flow: Flow) -> tuple[Mapping[PaneId, Sequence[Flow]], bool]:
        """Return the panes that `flow` may have changed, as if the input ended now.

        And true if these are the whole group.
        """
        fixed = self.fixed
        if fixed is None:
            assert isinstance(self.inner, GroupedPanes)  # nosec B101 # there are no others
            return self._grouped(self.inner, key), True
        if flow.opens or flow.closes or fixed.open_edges:
            return self._if_ended(fixed, key), True
        found: dict[PaneId, Sequence[Flow]] = {}
        for index in fixed.windows.indices(flow.start, flow.end):
            members = fixed.members.get(index, {}).get(key)
            if members is not None:
                found[PaneId(*fixed.windows.bounds(index), key)] = tuple(members)
        return found, False

    def _grouped(self, panes: GroupedPanes, key: Key) -> Mapping[PaneId, Sequence[Flow]]:
        group = panes.groups.get(key)
        spans = () if group is None else panes.rule.spans(group.flows.values(), group.floor)
        return {PaneId(span.start, span.end, key): tuple(span.members) for span in spans if span.end is not None}

    def _if_ended(self, fixed: FixedWindows, key: Key) -> Mapping[PaneId, Sequence[Flow]]:
        """Close a copy of the windows of one group at infinity, by their own rule."""
        copy = replace(
            fixed,
            members={index: {key: list(groups[key])} for index, groups in fixed.members.items() if key in groups},
            open_edges={name: replace(edge) for name, edge in fixed.open_edges.items() if edge.key == key},
        )
        return copy.close(INFINITY, self.horizon, SILENT)

    def _reconcile(self, key: Key, held: Mapping[PaneId, Sequence[Flow]], *, whole: bool) -> None:
        """Record the contents of the group's panes; if `held` is the `whole` group, other panes no longer exist."""
        before = list(self.open.get(key, []))
        taken = self._matched(before, held)
        for pane, members in held.items():
            record = taken.get(pane) or self._opened(pane)
            self._note(record, pane, members)
        if whole:
            self._gone([each for each in before if all(each is not one for one in taken.values())], key)

    def _matched(self, before: Sequence[RecordedPane], held: Iterable[PaneId]) -> dict[PaneId, RecordedPane]:
        """Return the previous pane of each of `held`: with the same start, or else one that shares its events."""
        by_start = {each.pane.start: each for each in before}
        return {pane: by_start[pane.start] for pane in held if pane.start in by_start}

    def _opened(self, pane: PaneId) -> RecordedPane:
        record = RecordedPane(self.node, len(self.all), pane, self.after)
        self.all.append(record)
        self.open.setdefault(pane.key, []).append(record)
        return record

    def _note(self, record: RecordedPane, pane: PaneId, members: Sequence[Flow]) -> None:
        last = record.steps[-1] if record.steps else None
        same_size = last is not None and len(last.members) == len(members)  # otherwise no two members need be compared
        if last is not None and last.pane == pane and same_size and list(last.members) == list(members):
            return
        record.pane = pane
        if last is not None and last.after == self.after:
            record.steps.pop()
            del record.values[len(record.steps) :]
        record.steps.append(PaneStep(self.after, pane, members))
        self._touched[record.id] = record

    def _gone(self, lost: Sequence[RecordedPane], key: Key) -> None:
        for each in lost:
            each.gone = self.after
            members = {flow.id for flow in each.steps[-1].members} if each.steps else set()
            into = (one for one in self.open[key] if one is not each and one.gone is None)
            each.into = next((o.id for o in into if members & {flow.id for flow in o.steps[-1].members}), None)
            self.open[key].remove(each)

    def _close(self, key: Key, panes: Mapping[PaneId, Sequence[Flow]]) -> None:
        taken = self._matched(self.open.get(key, []), panes)
        for pane, members in panes.items():
            record = taken.get(pane) or self._opened(pane)
            self._note(record, pane, tuple(members))
            record.complete = self.after if record.complete is None else record.complete
            record.closed = self.after
            self.open[key].remove(record)
        if isinstance(self.inner, GroupedPanes):
            self._reconcile(key, self._grouped(self.inner, key), whole=True)
