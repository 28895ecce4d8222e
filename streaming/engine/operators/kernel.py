"""What every operator of a bucket is: a kernel over columns, with a state of its own, called once for each turn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from streaming.engine.columns.flows import Flows
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.state.node_state import NodeState
from streaming.temporal.ticks import NO_CTI


@dataclass(frozen=True, slots=True)
class PortInput:
    """What one port of a node hears in a turn: `flows`, in any order, then its CTIs.

    `ctis` are the CTIs that moved in this turn, rising, INFINITY last if the input ended; empty when none moved. `cti`
    is the one after the turn, NO_CTI before any. No flow that is not late_kept starts before the CTI that the port had
    before the turn (an edge end: ends before it), but flows may lie before any of `ctis`. `horizon` is the largest
    finite time seen (T4). `partials` are folded slices from the feed, for windows whose rows the feed folds.
    """

    flows: Flows
    ctis: tuple[int, ...]
    cti: int
    horizon: int = NO_CTI
    partials: tuple[pa.Table, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeOutput:
    """What a node lets go in a turn: rows, in any order, then the CTIs that moved, rising.

    No row that is not late_kept starts before the CTI that the node had before the turn. A kernel may leave out CTIs
    between its first and its last of a turn; the last one is what the reference has after the same elements.
    """

    flows: Flows
    ctis: tuple[int, ...]
    horizon: int = NO_CTI


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The turn under way. `boundary`: a micro-batch ends with it, so `emit: running` gives its rows (T20)."""

    report: OutcomeReport
    boundary: bool = True


class Kernel(Protocol):
    """One node. Deterministic: the same state and ports give the same rows and the same state, byte for byte.

    A function of the set of flows: neither their order nor how they were cut into turns changes what it says in the
    end (laws 1 to 3). It computes first and changes its state last. All ports are there in each turn, in the order of
    `definition.graph.sources`, also those that heard nothing.
    """

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Take what the ports heard and release what has become final."""
