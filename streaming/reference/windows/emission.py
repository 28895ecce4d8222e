"""Emission of pane rows and their timing: final, on_complete, running (T20)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from streaming.definition.graph import Emit
from streaming.reference.flow import Flow, FlowId, Pane, Timing, TraceRecorder
from streaming.reference.windows.panes import Members, PaneId, release_order
from streaming.temporal.ticks import Tick

Extent = frozenset[tuple[FlowId, Tick, Tick]]
"""The events of a pane with their lifetimes inside it: the origins of a row."""


class RowMaker(Protocol):
    """Makes the row of a pane."""

    def row(self, pane: PaneId, members: Sequence[Flow], witness: TraceRecorder) -> Flow:
        """Return the row over `members`, under the id `pane`, without pane metadata."""

    def look(self, flow: Flow, witness: TraceRecorder) -> None:
        """Report to the witness if an aggregated expression fails on `flow`."""


@dataclass(frozen=True, slots=True)
class GivenRow:
    """The last row of a pane, and its origins."""

    row: Flow
    extent: Extent


@dataclass
class RowEmission:
    """The rows of one window node. `given` holds the last row of each pane that is not closed.

    `final`: one row when the pane closes. `on_complete`: a row at the first CTI that completes the pane, and one at
    each later CTI after a change of its events. `running`: a row at the end of each micro-batch in which its events
    changed, and one at the closing CTI if they changed since. A row that replaces another names it; with `retract`, a
    deletion precedes it instead. A deletion always retracts the row of a pane that no longer exists.
    """

    emit: Emit
    retract: bool
    rows: RowMaker
    given: dict[PaneId, GivenRow] = field(default_factory=dict)

    def at_cti(self, cti: Tick, closing: Members, known: Members, witness: TraceRecorder) -> list[Flow]:
        """Return the rows that the CTI releases.

        `closing` are the panes that it closes, `known` those that stay open.
        """
        gone = self._gone({*closing, *known})
        complete = [pane for pane in known if pane.end <= cti] if self.emit == "on_complete" else []
        found = []
        for pane in sorted([*closing, *complete], key=release_order):
            last = pane in closing
            found += self._changed(pane, closing[pane] if last else known[pane], cti, witness, is_last=last)
        for pane in closing:
            del self.given[pane]
        return gone + found

    def at_boundary(self, cti: Tick, known: Members, witness: TraceRecorder) -> list[Flow]:
        """Return the rows that the end of a micro-batch releases with `running`: every change since the last row."""
        found = self._gone(known)
        for pane in sorted(known, key=release_order):
            found += self._changed(pane, known[pane], cti, witness, is_last=False)
        return found

    def _gone(self, existing: Iterable[PaneId]) -> list[Flow]:
        """Return a deletion for each row whose pane no longer exists: merged sessions, a vanished edge."""
        lost = sorted(self.given.keys() - set(existing), key=release_order)
        return [replace(self.given.pop(pane).row, gone=True) for pane in lost]

    def _changed(
        self, pane: PaneId, members: Sequence[Flow], cti: Tick, witness: TraceRecorder, *, is_last: bool
    ) -> list[Flow]:
        """Return the row of the pane, and a deletion of the last one if `retract` is set.

        Nothing if it has not changed.
        """
        before = self.given.get(pane)
        extent = frozenset((flow.id, max(flow.start, pane.start), min(flow.end, pane.end)) for flow in members)
        if before is not None and before.extent == extent:
            return []
        state = None if before is None else before.row.pane
        shown = Pane(pane.start, pane.end, _timing(state, pane, cti), 0 if state is None else state.index + 1, is_last)
        row = replace(self.rows.row(pane, members, witness), pane=shown)
        self.given[pane] = GivenRow(row, extent)
        if before is None:
            return [row]
        return [replace(before.row, gone=True), row] if self.retract else [replace(row, replaces=before.row)]


def _timing(before: Pane | None, pane: PaneId, cti: Tick) -> Timing:
    if cti < pane.end:
        return Timing.EARLY
    return Timing.ON_TIME if before is None or before.timing is Timing.EARLY else Timing.LATE
