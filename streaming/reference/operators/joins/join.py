"""join, inner: pairs of matching events, for as long as both live."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from streaming.reference.flow import Flow, FlowId, TraceRecorder
from streaming.reference.operators.joins.matching import KnownEvents, PortMatching, made_by
from streaming.reference.operators.joins.pieces import TickSpan, overlap
from streaming.reference.operators.joins.unused import UnusedFlows
from streaming.reference.operators.ports import LEFT, RIGHT, Ports
from streaming.temporal.ticks import INFINITY, Tick


@dataclass
class MatchedPair:
    """Two matching events that may live together; `started` if their row has left as an edge start."""

    left: Flow
    right: Flow
    started: bool = False
    finished: bool = False

    @property
    def life(self) -> TickSpan:
        """Return the span in which both live, as far as it is known."""
        left, right = self.left, self.right
        return TickSpan(max(left.start, right.start), min(left.end, right.end))

    @property
    def open(self) -> bool:
        """Return true if the end of one of the two is not known."""
        return self.left.opens or self.right.opens

    def next_row(self, ports: Ports, matching: PortMatching) -> Flow | None:
        """Return the part of the pair's row that leaves now: all of it, its start, or its end.

        A row whose end is not decided leaves as an edge start once the CTI is after its start, because then it can no
        longer vanish. At infinity it keeps `[start, infinity)` (T4).
        """
        life = self.life
        if self.open and life.end > ports.out:
            if self.started or life.start >= ports.out:
                return None
            self.started = True
            return replace(self.row(matching), end=INFINITY, opens=True)
        if not ports.may_pass(life.start, self.left.late_at, self.right.late_at):
            return None
        self.finished = True
        row = self.row(matching)
        if not self.started:
            return row
        return None if row.end == INFINITY else replace(row, late_at=None, closes=True)

    def row(self, matching: PortMatching) -> Flow:
        """Return the whole row, as far as it is known; open if one of the two never ends."""
        life = self.life
        return replace(
            made_by(self.left, [self.right]),
            id=(self.left.id, self.right.id),
            start=life.start,
            end=life.end,
            payload=matching.payload(self.left.payload, self.right.payload),
            opens=self.open and life.end == INFINITY,
        )


@dataclass
class JoinOperator:
    """The pairs of one join node; it reports the events of the ports `reports` to the witness."""

    node: str
    matching: PortMatching
    reports: tuple[int, ...] = (LEFT, RIGHT)
    pairs: dict[tuple[FlowId, FlowId], MatchedPair] = field(default_factory=dict)
    known: tuple[KnownEvents, ...] = field(init=False)
    unused: dict[int, UnusedFlows] = field(init=False)

    def __post_init__(self) -> None:
        self.known = tuple(KnownEvents(self.node, port in self.reports) for port in (LEFT, RIGHT))
        self.unused = {port: UnusedFlows(self.node) for port in self.reports}

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Pair the event with all that match it; nothing passes at once."""
        null = self.matching.null_key(flow)
        if null is not None:
            if port in self.reports:
                witness.removed(self.node, flow, null)
            return ()
        event = self.known[port].take(self.matching.key(flow), flow, witness)
        if event is None:
            self._forget(port, flow.id)
            return ()
        if port in self.reports:
            witness.took(self.node, flow)
            self.unused[port].keep(event, flow)
        if flow.closes:
            self._end(port, event)
        else:
            self._pair(port, event, witness)
        return ()

    def held_at(self, ports: Ports) -> Tick:
        """Return no limit: no pair starts before future events, and an unfinished one has left as an edge start."""
        del ports
        return INFINITY

    def release(self, ports: Ports, witness: TraceRecorder) -> Sequence[Flow]:
        """Return pairs whose end is decided, and the starts of unfinished ones."""
        rows = []
        for name, pair in list(self.pairs.items()):
            row = pair.next_row(ports, self.matching) if pair.life else None
            if row is not None:
                rows.append(row)
                for port, event in enumerate(name):
                    if port in self.reports:
                        self.unused[port].use(event)
            if pair.finished or not pair.life:
                del self.pairs[name]
        self._report_unused(ports, witness)
        return rows

    def _pair(self, port: int, event: Flow, witness: TraceRecorder) -> None:
        for other in self.known[1 - port].of(self.matching.key(event)).values():
            left, right = (event, other) if port == LEFT else (other, event)
            if overlap(left, right) and self.matching.match(left, right, witness):
                self.pairs[left.id, right.id] = MatchedPair(left, right)

    def _end(self, port: int, event: Flow) -> None:
        for name, pair in self.pairs.items():
            if name[port] == event.id:
                pair.left, pair.right = (event, pair.right) if port == LEFT else (pair.left, event)

    def _forget(self, port: int, event: FlowId) -> None:
        """Remove the pairs of an edge that vanished: none has left, because they start no earlier than the CTI."""
        self.pairs = {name: pair for name, pair in self.pairs.items() if name[port] != event}
        if port in self.reports:
            self.unused[port].use(event)

    def _report_unused(self, ports: Ports, witness: TraceRecorder) -> None:
        names = (self.matching.left, self.matching.right)
        for port, unused in self.unused.items():
            other = 1 - port
            why = f"{self.matching.nothing_of(names[other])} was alive during it"
            unused.report(self._alone(port, ports.ctis[other]), why, witness)

    def _alone(self, port: int, until: Tick) -> Callable[[Flow], bool]:
        """Return true if an event of `port` is certainly in no row: all partners that it can meet are known."""
        paired = {name[port] for name in self.pairs}
        return lambda event: event.end <= until and event.id not in paired
