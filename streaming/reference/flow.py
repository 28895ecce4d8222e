"""What travels between the operators of the reference: lifetimes that know which received elements they came from."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from streaming.reference.numbers import OperationFailure
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
"""What tells one flow from another inside one operator; an edge end has the id of its start."""


class Timing(StrEnum):
    """When a row of a pane appeared: before the pane was complete, with the first row after that, or later (T20)."""

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
    """One event on its way: lifetime `[start, end)`, payload, and the elements that made it.

    `opens` marks an edge start, which lives to INFINITY until a flow of the same id that `closes` gives it its end;
    `end <= start` then takes it back altogether (the edge vanished). One that `never_closes` has no end to come: it is
    a whole lifetime, which windows follow up to the horizon (T4). `late_at` is the CTI of its lane when a
    late_kept element arrived (T19), None for all others; of a flow made of several, the largest. `stamp` is the
    latest start among the events that made it (T22). A row of a window has its `pane`; `replaces` is the row of the
    same id that it takes the place of, and `gone` says that the row of this id is taken back and none replaces it.
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

    def with_payload(self, payload: Payload) -> "Flow":
        """The same flow with another payload."""
        return replace(self, payload=payload)

    def lasting(self, start: Tick, end: Tick) -> "Flow":
        """The same flow with another lifetime."""
        return replace(self, start=start, end=end)

    def closed_by(self, end: "Flow") -> "Flow":
        """This open edge with the end that `end` brought, made by both."""
        return replace(self, end=end.end, sources=self.sources | end.sources, opens=False)

    def held_to(self, start: Tick) -> Tick:
        """The CTI that may pass while it waits as from `start`: of what is late_kept the one that it met (T19, law 5).

        No window before that CTI takes what is late_kept, and it may leave behind it.
        """
        return start if self.late_at is None else max(start, self.late_at)

    @property
    def vanishes(self) -> bool:
        """Whether this takes an open edge back."""
        return self.closes and self.end <= self.start


@dataclass(frozen=True, slots=True)
class CausingCti:
    """The input CTI that is being carried through the graph."""

    input: str
    cti: Tick


class Witness(Protocol):
    """Where an operator says what it did with a flow; the trace and the late outcomes are made from it.

    `cause` is the CTI under way, None while a received element passes.
    """

    cause: CausingCti | None

    def took(self, node: str, flow: Flow) -> None:
        """Some result of `node` contains the flow, or will."""

    def removed(self, node: str, flow: Flow, why: str) -> None:
        """`node` lets the flow go no further, for a cause in the flow itself or in the set of all flows."""

    def refused(self, node: str, flow: Flow, reason: Reason, why: str, closed_at: Tick | None = None) -> None:
        """`node` would have taken the flow, but all its windows are closed, or they are too many (T12, T24).

        `closed_at` is the smallest CTI at which they are closed for it; at a smaller one it would have been taken.
        """

    def failed(self, node: str, flow: Flow, field: str, why: OperationFailure) -> None:
        """An expression of `node` failed on the flow: its value is null (T5)."""


class RunObserver(Protocol):
    """Hears what leaves the nodes of a run, at once and in order, and changes nothing. Outputs say it in their logs."""

    def gave(self, node: str, flow: Flow, cause: CausingCti | None) -> None:
        """`flow` left `node`; `cause` is the CTI that let it go, None for what a received element let go."""

    def moved(self, node: str, cti: Tick) -> None:
        """The CTI that leaves `node` is `cti`; it may be the same as before."""


@dataclass(frozen=True, slots=True)
class FreedFlows:
    """What a CTI set free, in its order, then the CTI that leaves the operator, and the horizon in its times."""

    flows: Sequence[Flow]
    cti: Tick
    horizon: Tick


class FlowOperator(Protocol):
    """One node. A function of the set of flows: never of their order, nor of how they were cut into batches.

    `port` says which of the nodes that it reads speaks: the index in `definition.graph.sources`.
    """

    def take(self, port: int, flow: Flow, witness: Witness) -> Sequence[Flow]:
        """Take one flow; what passes on at once."""

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: Witness) -> FreedFlows:
        """The CTI of `port` moved to `cti`; `horizon` is the largest finite time seen, for what stays open (T4).

        Called only with a larger `cti` than before. The CTI that leaves may be the same as before.
        """

    def boundary(self, witness: Witness) -> Sequence[Flow]:
        """A micro-batch ends: the rows that `emit: running` still owes; of all other operators none."""
