"""The interface of every kind of window in a turn: closing panes, existing panes, and their events."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from streaming.engine.columns.flows import Flows
from streaming.engine.operators.kernel import PortInput, TurnContext
from streaming.engine.operators.windows.empties import NOTHING, FilledIndices
from streaming.engine.state.node_state import NodeState
from streaming.wire.rows.arrived import Int64s

Bounds = Callable[[Int64s], tuple[Int64s, Int64s]]
"""Start and end of panes, in ticks, by their numbers."""


@dataclass(frozen=True, slots=True)
class PaneMembers:
    """Events in panes: row i of `flows` is in the panes `first[i]..last[i]`, inclusive and never empty.

    The numbers of one group rise with time, and they are valid for this turn alone. If panes are at the same times for
    all groups (fixed windows), a number and a group identify a pane, and a number is the window's index; otherwise no
    two groups share a number. An event may occur several times, for ranges that do not overlap, with different
    lifetimes. Events without an end yet end at INFINITY.
    """

    flows: Flows
    first: Int64s
    last: Int64s
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class PaneTurn:
    """The effect of a turn on the panes of a node.

    `closing` are those that this turn closes, `known` those that exist and stay open (None unless requested), `ctis`
    the node's CTIs that moved, rising, and `horizon` the largest finite time seen (T4). `filled` are closing windows
    without events that still get a row (T21).
    """

    closing: PaneMembers
    known: PaneMembers | None
    ctis: tuple[int, ...]
    horizon: int
    filled: FilledIndices = NOTHING


class PaneSource(Protocol):
    """The panes of a window node: a function of the set of flows taken and of the CTI, with a state of its own."""

    def turn(self, port: PortInput, state: NodeState, turn: TurnContext, *, known: bool) -> PaneTurn:
        """Process the flows of `port`, close panes up to its last CTI, and return the contents of panes."""
