"""Panes: one window of one group. Every kind of window answers the same four questions about them."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from streaming.reference.flow import Flow, Witness
from streaming.reference.value_order import sort_key
from streaming.temporal.ticks import INFINITY, Tick, Ticks

Key = tuple[Hashable, ...]
"""The values of the `group_by` fields, in their order; empty when nothing is grouped."""


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

    Calls come in the order `close`, then any of the others at the same CTI. A late_kept flow enters only what is open
    at the CTI of its own lane, its `late_at` (T14, T19).
    """

    def take(self, key: Key, flow: Flow, witness: Witness) -> None:
        """Put the flow of the group `key` where it belongs, and say so: took, removed or refused."""

    def close(self, cti: Tick, horizon: Tick, witness: Witness) -> Members:
        """The panes that `cti` closes, which nothing can change any more, and forget them.

        At infinity all close, and open edges are in those up to the one that contains `horizon` (T4).
        """

    def known(self, cti: Tick) -> Members:
        """The panes that exist at `cti` and are not closed, with the members that they have so far."""

    def output_cti(self, cti: Tick) -> Tick:
        """The CTI of the results at `cti`: no row that is still to come starts before it."""


def release_order(pane: PaneId) -> tuple[Any, ...]:
    """The order in which rows of one CTI leave: earliest pane first, groups in order of their fields, nulls first."""
    return pane.start, pane.end, sort_key(pane.key)


def settled(cti: Tick, grace: Ticks) -> Tick:
    """Before which time nothing changes any more at `cti`: a window is closed when its end is not above it (T19)."""
    return cti if cti == INFINITY else Tick(cti - grace)
