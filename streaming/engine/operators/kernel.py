"""The interface of every operator of a bucket: a kernel over columns with its own state, called once per turn."""

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
    """The input of one port of a node in a turn: `flows`, in any order, then its CTIs.

    `ctis` are the CTIs that moved in this turn, rising, INFINITY last if the input ended; empty if none moved. `cti` is
    the one after the turn, NO_CTI before any. No flow that is not late_kept starts before the CTI that the port had
    before the turn (an edge end: ends before it), but flows may be before any of `ctis`. `horizon` is the largest
    finite time seen (T4). `partials` are folded slices from the feed, for windows whose rows the feed folds.
    """

    flows: Flows
    ctis: tuple[int, ...]
    cti: int
    horizon: int = NO_CTI
    partials: tuple[pa.Table, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeOutput:
    """The output of a node in a turn: rows, in any order, then the CTIs that moved, rising.

    No row that is not late_kept starts before the CTI that the node had before the turn. A kernel may leave out CTIs
    between its first and its last of a turn; the last one equals that of the reference after the same elements.
    """

    flows: Flows
    ctis: tuple[int, ...]
    horizon: int = NO_CTI


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The current turn. `boundary`: a micro-batch ends with it, so `emit: running` emits its rows (T20)."""

    report: OutcomeReport
    boundary: bool = True


class Kernel(Protocol):
    """One node. Deterministic: the same state and ports give the same rows and the same state, byte for byte.

    A function of the set of flows: neither their order nor the cut into turns changes the final result (laws 1 to 3).
    It computes first and changes its state last. All ports are present in each turn, in the order of
    `definition.graph.sources`, also those without input.
    """

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Process the input of the ports and release final rows."""
