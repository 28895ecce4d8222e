"""What every kind of window says of a turn: which panes close, which exist, and which events are in them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from streaming.engine.columns.flows import Flows
from streaming.engine.operators.kernel import PortInput, TurnContext
from streaming.engine.operators.windows.empties import NOTHING, FilledIndices
from streaming.engine.state.node_state import NodeState
from streaming.wire.arrived import Int64s

Bounds = Callable[[Int64s], tuple[Int64s, Int64s]]
"""Start and end of panes, in ticks, by their numbers."""


@dataclass(frozen=True, slots=True)
class PaneMembers:
    """Events in panes: row i of `flows` is in the panes `first[i]..last[i]`, inclusive and never empty.

    The numbers of one group rise with time, and they hold for this turn alone. Where panes stand at the same places for
    all groups (tumbling, hopping, time_interval) a number and a group name a pane, and a number is the window's index;
    everywhere else no two groups share a number. An event may be there several times, for ranges that do not overlap,
    with different lifetimes. What nothing has ended yet ends at INFINITY.
    """

    flows: Flows
    first: Int64s
    last: Int64s
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class PaneTurn:
    """What a turn does to the panes of a node.

    `closing` are those that this turn closes, `known` those that exist and stay open (None unless asked for), `ctis`
    the node's CTIs that moved, rising, and `horizon` the largest finite time seen (T4). `filled` are closing windows
    without events that get a row all the same (T21).
    """

    closing: PaneMembers
    known: PaneMembers | None
    ctis: tuple[int, ...]
    horizon: int
    filled: FilledIndices = NOTHING


class PaneSource(Protocol):
    """The panes of a window node: a function of the set of flows taken and of the CTI, with a state of its own."""

    def turn(self, port: PortInput, state: NodeState, turn: TurnContext, *, known: bool) -> PaneTurn:
        """Take the flows of `port`, close what its last CTI closes, and say what is in the panes."""
