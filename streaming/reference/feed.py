"""input: the clocks of an input's lanes, its open edges, and the CTI that is the minimum over its lanes."""

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import Any

from streaming.definition.streams import Rowtime, StreamDefinition
from streaming.definition.type_text import parse_fields
from streaming.planning.checked import expression
from streaming.reference.expressions import Failed, evaluate
from streaming.reference.flow import ElementId, Flow
from streaming.reference.numbers import OperationFailure
from streaming.reference.substreams import SubstreamClocks
from streaming.temporal.clock import JudgedElement
from streaming.temporal.events import Cti, EdgeKind, Event
from streaming.temporal.open_edges import payload_key
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.case import ONLY_LANE
from streaming.wire.rows import Element, MalformedRow


@dataclass(frozen=True, slots=True)
class FedElement:
    """What one element did: its judgement (None for a CTI row), the flow it became if any, and the CTI if it moved.

    `cti_before` is the CTI to which its arrival alone moved the input, before it was judged (T9, azure). `failures` of
    the expression `over` (T5).
    """

    element: ElementId
    judged: JudgedElement | None
    flow: Flow | None
    cti: Tick | None
    cti_before: Tick | None = None
    failures: tuple[OperationFailure, ...] = ()

    @property
    def failed(self) -> str | None:
        """Why the expression `over` is null for it, if it failed."""
        return "; ".join(map(str, self.failures)) or None


class InputFeed:
    """One input node with all lanes that its stream lists, under the settings in force.

    No wall clock is read: arrivals come with elements, `heartbeat` says the time without one (T3). Can be pickled
    between two elements.
    """

    def __init__(self, node: str, stream: StreamDefinition, settings: AdvanceTime) -> None:
        self.node = node
        self.horizon = NO_CTI
        self._lanes = stream.lanes or [ONLY_LANE]
        self._implicit = stream.rowtime is Rowtime.IMPLICIT
        self._over = None if settings.over is None else expression(settings.over, parse_fields(stream.fields))
        self._clocks = SubstreamClocks(self._lanes, settings, keyed=self._over is not None)
        self._positions: dict[str, int] = defaultdict(int)
        self._open: dict[tuple[str, Tick, str], deque[Flow | None]] = {}

    @property
    def cti(self) -> Tick:
        """The CTI of the input."""
        return self._clocks.at

    @property
    def clocks(self) -> SubstreamClocks:
        """Those of its lanes and keys."""
        return self._clocks

    def take(self, lane: str, element: Element, arrival: Tick | None) -> FedElement:
        """Judge one element in arrival order; `arrival` is its wall-clock time, where that is known.

        One that names a lane which the stream does not list is a bad row, and the first lane takes it (T5).
        """
        if lane not in self._lanes:
            lane, element = self._lanes[0], MalformedRow(Reason.BAD_ROW)
        identity = ElementId(self.node, lane, self._positions[lane])
        self._positions[lane] += 1
        failures: list[OperationFailure] = []
        clock = self._clocks.hear(lane, self.key(element, failures.append), element, arrival)
        if isinstance(element, Cti):
            self._clocks.take_cti(lane, element)
            return FedElement(identity, None, None, self._settle())
        if isinstance(element, MalformedRow):
            return FedElement(identity, clock.take_malformed(element.reason), None, self._settle())
        before = self._settle() if clock.take_arrival(arrival) else None
        judged = clock.take(element, arrival)
        if judged.event is not None:
            self.horizon = max(self.horizon, element.sync)  # a held event as well: it has been seen (T4)
        return FedElement(identity, judged, self._flow(identity, judged), self._settle(), before, tuple(failures))

    def heartbeat(self, now: Tick) -> Tick | None:
        """The wall clock reached `now`; the input CTI if that moved it (T16, T17)."""
        if self._implicit:
            self._clocks.raise_all(now)
        self._clocks.beat(now)
        return self._settle()

    def import_cti(self, cti: Tick) -> Tick | None:
        """Take the CTI of another input on every lane; the input CTI if that moved it (T26)."""
        self._clocks.raise_all(cti)
        return self._settle()

    def finish(self) -> Tick | None:
        """CTI infinity on every lane; the input CTI if that moved it."""
        return self.import_cti(INFINITY)

    def key(self, element: Element, failed: Failed) -> Any:
        """The key of an event's substream; an expression that fails is the key null (T15)."""
        if self._over is None or not isinstance(element, Event):
            return None
        return evaluate(self._over, element.payload, failed)

    def _settle(self) -> Tick | None:
        for clock in self._clocks:
            finite = clock.cti if clock.cti != INFINITY else NO_CTI
            self.horizon = max(self.horizon, clock.largest_sync, finite)
        return self._clocks.settle()

    def _flow(self, identity: ElementId, judged: JudgedElement) -> Flow | None:
        original, event = judged.original, judged.event
        if original is not None and original.edge is not None and judged.reason is not Reason.AFTER_END:
            return self._edge_flow(identity, original, judged)
        if event is None:
            return None
        return _flow_of(identity, event, judged)

    def _edge_flow(self, identity: ElementId, original: Event, judged: JudgedElement) -> Flow | None:
        """Remember a start, dropped ones as None; give an end the flow of the start that it closes (T11)."""
        key = (identity.lane, original.start, payload_key(original.payload))
        if original.edge is EdgeKind.START:
            flow = None if judged.event is None else _flow_of(identity, judged.event, judged)
            self._open.setdefault(key, deque()).append(flow)
            return flow
        if judged.reason is Reason.START_DROPPED:
            self._open[key].popleft()
            return None
        if judged.event is None:
            return None
        opened = self._open[key].popleft()
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


def _flow_of(identity: ElementId, event: Event, judged: JudgedElement) -> Flow:
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
