"""Operators that cut left lifetimes by right ones: each has a rule, and this module decides its pieces."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from streaming.reference.flow import Flow, FlowId, TraceRecorder
from streaming.reference.operators.joins.matching import KnownEvents, PortMatching, vanished
from streaming.reference.operators.joins.pieces import TickSpan, overlap
from streaming.reference.operators.joins.unused import UnusedFlows
from streaming.reference.operators.ports import LEFT, RIGHT, Ports
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick


class PieceRule(Protocol):
    """The pieces of a left lifetime that become rows."""

    @property
    def left_without(self) -> str | None:
        """Return the reason for a left event without a piece.

        None if that is impossible, or another part reports it.
        """

    @property
    def right_never(self) -> str | None:
        """Return the reason for every right event if no row ever contains one; None reports nothing."""

    @property
    def needs_right(self) -> bool:
        """Return true if rows also contain right events, and need at least one."""

    def pieces(self, left: Flow, rights: Sequence[Flow]) -> Sequence[TickSpan]:
        """Return the pieces, maximal and in order, as far as lifetimes are known."""

    def final(self, piece: TickSpan, left: Flow, right_cti: Tick) -> bool:
        """Return true if no right event from `right_cti` on can change `piece`; earlier ones can't."""

    def row(self, left: Flow, piece: TickSpan, rights: Sequence[Flow]) -> Flow:
        """Return the row of `piece`."""


@dataclass
class LeftEvent:
    """A left event with a piece that is undecided or has not left; all pieces before `done` have left.

    `rights` are all right events that match it and may live during it.
    """

    flow: Flow
    rights: dict[FlowId, Flow]
    done: Tick = NO_CTI


@dataclass
class LeftParts:
    """The rows that `rule` makes of left events."""

    node: str
    matching: PortMatching
    rule: PieceRule
    lefts: dict[FlowId, LeftEvent] = field(default_factory=dict)
    rights: KnownEvents = field(init=False)
    unused_rights: UnusedFlows = field(init=False)

    def __post_init__(self) -> None:
        self.rights = KnownEvents(self.node, reports=self.rule.needs_right or self.rule.right_never is not None)
        self.unused_rights = UnusedFlows(self.node)

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Add the flow to the events that it matches; nothing passes at once."""
        null = self.matching.null_key(flow)
        if null is not None and self.rule.needs_right:
            witness.removed(self.node, flow, null)
        elif port == LEFT:
            self._take_left(flow, witness)
        else:
            self._take_right(flow, witness)
        return ()

    def held_at(self, ports: Ports) -> Tick:
        """Return the start of the oldest piece that is not decided up to its end.

        For a late_kept left the CTI that it met.
        """
        undecided = (
            event.flow.held_to(piece.start)
            for event in self.lefts.values()
            for piece in self._pieces(event, ports)
            if not self._final(piece, event.flow, ports)
        )
        return min(undecided, default=INFINITY)

    def release(self, ports: Ports, witness: TraceRecorder) -> Sequence[Flow]:
        """Return the decided pieces, each left event's in order."""
        rows = [row for event in list(self.lefts.values()) for row in self._release(event, ports, witness)]
        if self.rule.needs_right:
            wanted = {right for event in self.lefts.values() for right in event.rights}
            why = f"{self.matching.nothing_of(self.matching.left)} was alive during it"
            until = ports.ctis[LEFT]
            self.unused_rights.report(lambda right: right.end <= until and right.id not in wanted, why, witness)
        return rows

    def _take_left(self, flow: Flow, witness: TraceRecorder) -> None:
        if not flow.closes:
            of_key = self.rights.of(self.matching.key(flow))
            rights = {name: right for name, right in of_key.items() if self._meet(flow, right, witness)}
            self.lefts[flow.id] = LeftEvent(flow, rights)
        elif flow.vanishes:
            vanished(self.node, self.lefts.pop(flow.id).flow, flow, witness)
            return
        else:
            event = self.lefts[flow.id]
            event.flow = event.flow.closed_by(flow)
        witness.took(self.node, flow)

    def _take_right(self, flow: Flow, witness: TraceRecorder) -> None:
        right = self.rights.take(self.matching.key(flow), flow, witness)
        if right is None:
            self.unused_rights.use(flow.id)
        elif self.rule.right_never is not None:
            witness.removed(self.node, flow, self.rule.right_never)
        elif self.rule.needs_right:
            witness.took(self.node, flow)
            self.unused_rights.keep(right, flow)
        for event in self.lefts.values():
            if right is None:
                event.rights.pop(flow.id, None)
            elif flow.id in event.rights or self._meet(event.flow, right, witness):
                event.rights[flow.id] = right

    def _meet(self, left: Flow, right: Flow, witness: TraceRecorder) -> bool:
        return overlap(left, right) and self.matching.match(left, right, witness)

    def _pieces(self, event: LeftEvent, ports: Ports) -> Iterator[TickSpan]:
        """Return the pieces that have not left.

        A right edge that may still vanish starts where nothing is decided yet.
        """
        rights = [right for right in event.rights.values() if ports.certain(RIGHT, right)]
        return (piece for piece in self.rule.pieces(event.flow, rights) if piece.start >= event.done)

    def _final(self, piece: TickSpan, left: Flow, ports: Ports) -> bool:
        known = piece.end <= ports.known_until(LEFT, left)
        return known and self.rule.final(piece, left, ports.ctis[RIGHT])

    def _release(self, event: LeftEvent, ports: Ports, witness: TraceRecorder) -> Iterator[Flow]:
        left = event.flow
        for piece in self._pieces(event, ports):
            if not (ports.may_pass(piece.start, left.late_at) and self._final(piece, left, ports)):
                return
            event.done = piece.end
            over = [right for right in event.rights.values() if right.start < piece.end and right.end > piece.start]
            for right in over:
                self.unused_rights.use(right.id)
            yield self.rule.row(left, piece, over)
        if left.end <= min(ports.ctis[RIGHT], ports.known_until(LEFT, left)):
            del self.lefts[left.id]
            if event.done == NO_CTI and self.rule.left_without is not None:
                witness.removed(self.node, left, self.rule.left_without)
