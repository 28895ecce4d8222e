"""Flows between the operators of the reference: lifetimes with the received elements that they came from."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from streaming.reference.expressions.numbers import OperationFailure
from streaming.temporal.events import Payload
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import Tick


@dataclass(frozen=True, slots=True, order=True)
class ElementId:
    """One received row: the `position`-th (from 0) of `lane` of the input node `input`."""

    input: str
    lane: str
    position: int


VANISHED = "nothing was left of its edge after the late policy had moved its ends"
FlowId = Hashable
"""The identity of a flow inside one operator; an edge end has the id of its start."""


class Timing(StrEnum):
    """The timing of a pane's row: before the pane was complete, the first row after that, or later (T20)."""

    EARLY = "early"
    ON_TIME = "on_time"
    LATE = "late"


@dataclass(frozen=True, slots=True)
class Pane:
    """The pane metadata of a row (T20): `index` counts the rows of this group and pane from 0."""

    start: Tick
    end: Tick
    timing: Timing
    index: int
    is_last: bool


@dataclass(frozen=True, slots=True)
class Flow:
    """One event in the graph: lifetime `[start, end)`, payload, and the elements that made it.

    `opens` marks an edge start. It lives to INFINITY until a flow with the same id and `closes` gives it its end; `end
    <= start` then retracts it altogether (the edge vanished). A flow that `never_closes` will get no end: it is a whole
    lifetime, and windows contain it up to the horizon (T4). `late_at` is the CTI of its lane when a late_kept element
    arrived (T19), None for all others; for a flow made of several elements the largest. `stamp` is the latest start
    among the events that made it (T22). A row of a window has its `pane`; `replaces` is the row of the same id that it
    replaces, and `gone` means that the row of this id is retracted without a replacement. `version` is the id of the
    version of a table that it still is, alone or in pieces (T48).
    """

    id: FlowId
    start: Tick
    end: Tick
    payload: Payload
    sources: frozenset[ElementId]
    stamp: Tick
    late_at: Tick | None = None
    opens: bool = False
    closes: bool = False
    never_closes: bool = False
    pane: Pane | None = None
    replaces: "Flow | None" = None
    gone: bool = False
    version: FlowId | None = None

    def with_payload(self, payload: Payload) -> "Flow":
        """Return the same flow with another payload."""
        return replace(self, payload=payload)

    def lasting(self, start: Tick, end: Tick) -> "Flow":
        """Return the same flow with another lifetime."""
        return replace(self, start=start, end=end)

    def closed_by(self, end: "Flow") -> "Flow":
        """Return this open edge with the end that `end` brought; both made it."""
        return replace(self, end=end.end, sources=self.sources | end.sources, opens=False)

    def held_to(self, start: Tick) -> Tick:
        """Return the CTI that may pass while the flow waits from `start`.

        For a late_kept flow it is the CTI that the flow met (T19, law 5): no window before that CTI takes the flow, so
        it may leave after that CTI.
        """
        return start if self.late_at is None else max(start, self.late_at)

    @property
    def vanishes(self) -> bool:
        """Return true if this retracts an open edge."""
        return self.closes and self.end <= self.start


@dataclass(frozen=True, slots=True)
class CausingCti:
    """The input CTI that is being carried through the graph."""

    input: str
    cti: Tick


class TraceRecorder(Protocol):
    """Records what an operator did with a flow; the trace and the late outcomes come from these records.

    `cause` is the CTI being processed, None while a received element passes.
    """

    cause: CausingCti | None

    def took(self, node: str, flow: Flow) -> None:
        """Record that some result of `node` contains the flow, or will."""

    def removed(self, node: str, flow: Flow, why: str) -> None:
        """Record that `node` drops the flow, because of the flow itself or the set of all flows."""

    def refused(self, node: str, flow: Flow, reason: Reason, why: str, closed_at: Tick | None = None) -> None:
        """Record that all windows of `node` for the flow are closed, or that there are too many (T12, T24).

        `closed_at` is the smallest CTI at which they are closed for it; at a smaller one it would have been taken.
        """

    def failed(self, node: str, flow: Flow, field: str, why: OperationFailure) -> None:
        """Record that an expression of `node` failed on the flow: its value is null (T5)."""


class RunObserver(Protocol):
    """Receives the output of all nodes of a run, at once and in order, and changes nothing.

    Outputs use their logs instead.
    """

    def gave(self, node: str, flow: Flow, cause: CausingCti | None) -> None:
        """Receive `flow` from `node`; `cause` is the CTI that released it, None if a received element did."""

    def moved(self, node: str, cti: Tick) -> None:
        """Receive the output CTI `cti` of `node`; it may be the same as before."""


@dataclass(frozen=True, slots=True)
class FreedFlows:
    """The flows that a CTI released, in order, then the operator's output CTI, and the horizon in its times."""

    flows: Sequence[Flow]
    cti: Tick
    horizon: Tick


class FlowOperator(Protocol):
    """One node. Its result depends on the set of flows only, not on their order or on batch boundaries.

    `port` is the index of a source in `definition.graph.sources`.
    """

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Take one flow; return the flows that pass on at once."""

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: TraceRecorder) -> FreedFlows:
        """Process the new CTI of `port`; `horizon` is the largest finite time seen, for open edges (T4).

        Called only with a larger `cti` than before. The output CTI may be the same as before.
        """

    def boundary(self, witness: TraceRecorder) -> Sequence[Flow]:
        """End a micro-batch: return the rows that `emit: running` still owes; other operators return none."""
