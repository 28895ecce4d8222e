"""Panes: one window of one group. Every kind of window answers the same four questions about them."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from streaming.reference.flow import Flow, TraceRecorder
from streaming.temporal.ticks import INFINITY, Tick, Ticks
from streaming.temporal.value_order import sort_key

Key = tuple[Hashable, ...]
"""The values of the `group_by` fields, in their order; empty without grouping."""


@dataclass(frozen=True, slots=True)
class PaneId:
    """The window `[start, end)` of the group `key`."""

    start: Tick
    end: Tick
    key: Key


Members = Mapping[PaneId, Sequence[Flow]]
"""Panes with the events in them; only those that fill a gap are empty (T21)."""


class PaneSet(Protocol):
    """The panes of one window node: a function of the set of flows taken and of the CTI.

    Calls come in the order `close`, then any of the others at the same CTI. A late_kept flow enters only panes that are
    open at the CTI of its own lane, its `late_at` (T14, T19).
    """

    def take(self, key: Key, flow: Flow, witness: TraceRecorder) -> None:
        """Add the flow of the group `key` to its panes, and report it as taken, removed or refused."""

    def close(self, cti: Tick, horizon: Tick, witness: TraceRecorder) -> Members:
        """Remove and return the panes that `cti` closes; nothing can change them any more.

        At infinity all close, and open edges are in those up to the one that contains `horizon` (T4).
        """

    def open_members(self, cti: Tick) -> Members:
        """Return the panes that exist at `cti` and are not closed, with their members so far."""

    def output_cti(self, cti: Tick) -> Tick:
        """Return the CTI of the results at `cti`: no future row starts before it."""


def release_order(pane: PaneId) -> tuple[Any, ...]:
    """Return the sort key of rows released at one CTI.

    Earliest pane first, groups in order of their fields, nulls first.
    """
    return pane.start, pane.end, sort_key(pane.key)


def settled(cti: Tick, grace: Ticks) -> Tick:
    """Return the time before which nothing changes any more at `cti` (T19).

    A window closes when its end is not above that time.
    """
    return cti if cti == INFINITY else Tick(cti - grace)


def group_key(flow: Flow, group_by: Sequence[str]) -> Key:
    """Return the group of a flow; the ends of an edge have the payload of its start, so they have the same group."""
    return tuple(flow.payload[name] for name in group_by)
