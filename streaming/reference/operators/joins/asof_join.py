"""asof_join: each left event with the latest matching right event that does not start after it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from streaming.reference.flow import Flow, FlowId, TraceRecorder
from streaming.reference.operators.joins.matching import KnownEvents, PortMatching, made_by, vanished
from streaming.reference.operators.joins.unused import UnusedFlows
from streaming.reference.operators.ports import LEFT, RIGHT, Ports
from streaming.temporal.ticks import INFINITY, Tick
from streaming.temporal.value_order import sort_key


def rank(right: Flow) -> tuple[Any, ...]:
    """Return the sort key for right events that start together; the largest is used."""
    return sort_key(right.payload)


def latest(rights: Iterable[Flow], start: Tick, *, versions: bool = False) -> Flow | None:
    """Return the right event for a left one that starts at `start`, if there is one.

    Of `versions` only those that hold then count (T48).
    """
    started = [right for right in rights if right.start <= start and (right.end > start or not versions)]
    last = max((right.start for right in started), default=None)
    return max((right for right in started if right.start == last), key=rank, default=None)


@dataclass
class AsofJoin:
    """The rows of one as-of join. With `outer`, a left event without a right one has nulls; otherwise it has no row.

    `lefts` wait for their row; `opened` are rows of left edges that have left and are open; `gone` are the ids of left
    edges that are in no row, with the reason. `versions`: the rights are versions of a table, and one that has ended
    no longer counts.
    """

    node: str
    matching: PortMatching
    outer: bool
    versions: bool = False
    lefts: dict[FlowId, Flow] = field(default_factory=dict)
    opened: dict[FlowId, Flow] = field(default_factory=dict)
    gone: dict[FlowId, str] = field(default_factory=dict)
    rights: KnownEvents = field(init=False)
    unused_rights: UnusedFlows = field(init=False)

    def __post_init__(self) -> None:
        self.rights = KnownEvents(self.node)
        self.unused_rights = UnusedFlows(self.node)

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Store the flow; the end of a left edge whose row has left passes at once."""
        if port == RIGHT:
            self._take_right(flow, witness)
        elif flow.closes:
            return self._end_left(flow, witness)
        else:
            self._take_left(flow, witness)
        return ()

    def held_at(self, ports: Ports) -> Tick:
        """Return the CTI of the right: no undecided left event starts before it."""
        del ports
        return INFINITY

    def release(self, ports: Ports, witness: TraceRecorder) -> Sequence[Flow]:
        """Return the rows of left events before the CTI of the right.

        A left event at that CTI may still get a right event that starts there. The row of an open edge leaves once the
        CTI is after its start, because then it can no longer vanish.
        """
        rows: list[Flow] = []
        for left in list(self.lefts.values()):
            passes = left.start < ports.out if left.opens else ports.may_pass(left.start, left.late_at)
            if passes and left.start < ports.ctis[RIGHT]:
                del self.lefts[left.id]
                rows += self._row(left, witness)
        self._report_unused(ports, witness)
        return rows

    def _take_left(self, flow: Flow, witness: TraceRecorder) -> None:
        null = self.matching.null_key(flow)
        if null is not None and not self.outer:
            self._remove(flow, null, witness)
            return
        witness.took(self.node, flow)
        self.lefts[flow.id] = flow

    def _end_left(self, end: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        if end.id in self.gone:
            witness.removed(self.node, end, self.gone.pop(end.id))
        elif end.id in self.opened:
            return (end.with_payload(self.opened.pop(end.id).payload),)
        elif end.vanishes:
            vanished(self.node, self.lefts.pop(end.id), end, witness)
        else:
            witness.took(self.node, end)
            self.lefts[end.id] = self.lefts[end.id].closed_by(end)
        return ()

    def _take_right(self, flow: Flow, witness: TraceRecorder) -> None:
        null = self.matching.null_key(flow)
        event = self.rights.take(self.matching.key(flow), flow, witness)
        if null is not None:
            witness.removed(self.node, flow, null)
        elif event is None:
            self.unused_rights.use(flow.id)
        elif flow.closes and not self.versions:
            why = f"as-of join {self.node!r} ignores the end of an event of {self.matching.right!r}"
            witness.removed(self.node, flow, why)
        else:
            witness.took(self.node, flow)
            self.unused_rights.keep(event, flow)

    def _row(self, left: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Return the one row of `left`, or no row after recording why."""
        known = self.rights.of(self.matching.key(left)).values()
        right = latest(known, left.start, versions=self.versions)
        if right is None and not self.outer:
            self._remove(left, f"{self.matching.nothing_of(self.matching.right)} had started by its start", witness)
            return ()
        payload = self.matching.payload(left.payload, None if right is None else right.payload)
        row = made_by(left, [] if right is None else [right]).with_payload(payload)
        if right is not None:
            self.unused_rights.use(right.id)
        if left.opens:
            self.opened[left.id] = row
        return (row,)

    def _remove(self, left: Flow, why: str, witness: TraceRecorder) -> None:
        witness.removed(self.node, left, why)
        if left.opens:
            self.gone[left.id] = why

    def _report_unused(self, ports: Ports, witness: TraceRecorder) -> None:
        why = (
            f"{self.matching.nothing_of(self.matching.left)} started while it was the latest of {self.matching.right!r}"
        )
        self.unused_rights.report(lambda right: self._never_taken(right, ports), why, witness)

    def _never_taken(self, right: Flow, ports: Ports) -> bool:
        """Return true if a later right event replaces this one before any left event can use it."""
        key = self.matching.key(right)
        others = (other for other in self.rights.of(key).values() if other.start >= right.start)
        over = min(
            (other.start for other in others if ports.certain(RIGHT, other) and _takes_over(other, right)),
            default=INFINITY,
        )
        if over > ports.ctis[LEFT]:
            return False
        return not any(
            right.start <= left.start < over and self.matching.key(left) == key for left in self.lefts.values()
        )


def _takes_over(other: Flow, right: Flow) -> bool:
    return other.start > right.start or rank(other) > rank(right)
