"""input: the clocks of an input's lanes, its open edges, and the CTI that is the minimum over its lanes."""

from collections import defaultdict, deque
from dataclasses import dataclass

from streaming.reference.flow import ElementId, Flow
from streaming.temporal.clock import Judged, LaneClock
from streaming.temporal.events import Cti, EdgeKind, Event
from streaming.temporal.frontier import Frontier
from streaming.temporal.open_edges import payload_key
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.rows import Element, MalformedRow


@dataclass(frozen=True, slots=True)
class Fed:
    """What one element did: its judgement (None for a CTI row), the flow it became if any, and the CTI if it moved.

    `cti_before` is the CTI to which its arrival alone moved the input, before it was judged (T9, azure).
    """

    element: ElementId
    judged: Judged | None
    flow: Flow | None
    cti: Tick | None
    cti_before: Tick | None = None


class InputFeed:
    """One input node with all lanes that its stream lists."""

    def __init__(self, node: str, lanes: list[str], settings: AdvanceTime) -> None:
        self.node = node
        self.horizon = NO_CTI
        self._clocks = {lane: LaneClock(settings) for lane in lanes}
        self._frontier = Frontier(lanes)
        self._positions: dict[str, int] = defaultdict(int)
        self._open: dict[tuple[str, Tick, str], deque[Flow | None]] = defaultdict(deque)

    @property
    def cti(self) -> Tick:
        """The CTI of the input."""
        return self._frontier.at

    def take(self, lane: str, element: Element, arrival: Tick | None) -> Fed:
        """Judge one element in arrival order.

        One that names a lane which the stream does not list is a bad row, and the first lane takes it (T5).
        """
        del arrival
        if lane not in self._clocks:
            lane, element = next(iter(self._clocks)), MalformedRow(Reason.BAD_ROW)
        identity = ElementId(self.node, lane, self._positions[lane])
        self._positions[lane] += 1
        clock = self._clocks[lane]
        if isinstance(element, Cti):
            clock.take_cti(element)
            return Fed(identity, None, None, self._advance(lane, clock))
        if isinstance(element, MalformedRow):
            return Fed(identity, clock.take_malformed(element.reason), None, None)
        judged = clock.take(element)
        flow = self._flow(identity, judged)
        return Fed(identity, judged, flow, self._advance(lane, clock))

    def heartbeat(self, now: Tick) -> Tick | None:
        """The wall clock reached `now`; the input CTI if that moved it."""
        raise NotImplementedError

    def import_cti(self, cti: Tick) -> Tick | None:
        """Take the CTI of another input on every lane; the input CTI if that moved it (T26)."""
        raise NotImplementedError

    def finish(self) -> Tick | None:
        """CTI infinity on every lane; the input CTI if that moved it."""
        moved = [self._frontier.advance(lane, INFINITY) for lane in self._clocks]
        for clock in self._clocks.values():
            clock.take_cti(Cti(INFINITY))
        return INFINITY if any(moved) else None

    def _advance(self, lane: str, clock: LaneClock) -> Tick | None:
        finite = clock.cti if clock.cti != INFINITY else NO_CTI
        self.horizon = max(self.horizon, clock.largest_sync, finite)
        return self._frontier.at if self._frontier.advance(lane, clock.cti) else None

    def _flow(self, identity: ElementId, judged: Judged) -> Flow | None:
        original, event = judged.original, judged.event
        if original is not None and original.edge is not None and judged.reason is not Reason.AFTER_END:
            return self._edge_flow(identity, original, judged)
        if event is None:
            return None
        return _flow_of(identity, event, judged)

    def _edge_flow(self, identity: ElementId, original: Event, judged: Judged) -> Flow | None:
        """Remember a start, dropped ones as None; give an end the flow of the start that it closes (T11)."""
        open_edges = self._open[identity.lane, original.start, payload_key(original.payload)]
        if original.edge is EdgeKind.START:
            flow = None if judged.event is None else _flow_of(identity, judged.event, judged)
            open_edges.append(flow)
            return flow
        if judged.reason is Reason.START_DROPPED:
            open_edges.popleft()
            return None
        if judged.event is None:
            return None
        opened = open_edges.popleft()
        if opened is None:
            raise AssertionError(f"{identity} closes an edge whose start was dropped")
        closing = _flow_of(identity, judged.event, judged)
        return Flow(
            id=opened.id,
            start=opened.start,
            end=closing.end,
            payload=opened.payload,
            sources=closing.sources,
            stamp=closing.stamp,
            late_at=closing.late_at,
            closes=True,
        )


def _flow_of(identity: ElementId, event: Event, judged: Judged) -> Flow:
    return Flow(
        id=identity,
        start=event.start,
        end=event.end,
        payload=event.payload,
        sources=frozenset((identity,)),
        stamp=event.start,
        late_at=judged.cti_met if judged.outcome is Outcome.LATE_KEPT else None,
        opens=event.edge is EdgeKind.START,
    )
