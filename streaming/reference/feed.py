"""input: the clocks of an input's lanes, its open edges, and its CTI, the minimum over its lanes."""

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from streaming.definition.payload.type_text import parse_fields
from streaming.definition.streams.stream import Rowtime, StreamDefinition
from streaming.definition.streams.tables import table_rules
from streaming.planning.checked import expression
from streaming.reference.expressions.evaluation import Failed, evaluate
from streaming.reference.expressions.numbers import OperationFailure
from streaming.reference.flow import ElementId, Flow
from streaming.reference.substreams import SubstreamClocks
from streaming.temporal.clock import JudgedElement, LaneClock
from streaming.temporal.events import Cti, EdgeKind, Event, OverlapRow, Shape
from streaming.temporal.open_edges import payload_key
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.tables import TableLane, TableRow, as_version, clock_settings, judge_row
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.temporal.versions import VersionEdge, VersionTable
from streaming.wire.execution.case import HISTORY_LANE, listed_lanes
from streaming.wire.rows.row_json import Element, MalformedRow


@dataclass(frozen=True, slots=True)
class FedElement:
    """The effect of one element: its judgement (None for a CTI row), its flow if any, and the input's CTI if it moved.

    `cti_before` is the CTI to which its arrival alone moved the input, before it was judged (T9, azure). `failures` are
    those of the expression `over` (T5).
    """

    element: ElementId
    judged: JudgedElement | None
    flow: Flow | None
    cti: Tick | None
    cti_before: Tick | None = None
    failures: tuple[OperationFailure, ...] = ()

    @property
    def failed(self) -> str | None:
        """Return why the expression `over` is null for it, if it failed."""
        return "; ".join(map(str, self.failures)) or None


class InputFeed:
    """One input node with all lanes that its stream lists, with the settings in force.

    No wall clock is read: arrivals come with elements, and `heartbeat` passes the time without an element (T3). It can
    be pickled between two elements.
    """

    def __init__(self, node: str, stream: StreamDefinition, settings: AdvanceTime) -> None:
        self.node = node
        self.horizon = NO_CTI
        self._lanes = listed_lanes(stream)
        self._implicit = stream.rowtime is Rowtime.IMPLICIT
        self._over = None if settings.over is None else expression(settings.over, parse_fields(stream.fields))
        self._late = settings.late
        self._table = VersionTable(table_rules(stream)) if stream.shape is Shape.TABLE else None
        used = settings if self._table is None else clock_settings(settings)
        self._clocks = SubstreamClocks(
            self._lanes, used, keyed=self._over is not None, waiting=[] if stream.history is None else self._lanes
        )
        self._positions: dict[str, int] = defaultdict(int)
        self._open: dict[tuple[str, Tick, str], deque[Flow | None]] = {}

    @property
    def cti(self) -> Tick:
        """Return the CTI of the input."""
        return self._clocks.at

    @property
    def clocks(self) -> SubstreamClocks:
        """Return the clocks of its lanes and keys."""
        return self._clocks

    def take(self, lane: str, element: Element, arrival: Tick | None) -> FedElement:
        """Judge one element in arrival order; `arrival` is its wall-clock time, if known.

        A row of a lane that the stream does not list is a bad row of the first lane (T5).
        """
        if lane not in self._lanes:
            lane, element = self._lanes[0], MalformedRow(Reason.BAD_ROW)
        identity = ElementId(self.node, lane, self._positions[lane])
        self._positions[lane] += 1
        failures: list[OperationFailure] = []
        if self._table is not None and isinstance(element, Event):
            element = as_version(self._table.rules, element)
        if isinstance(element, OverlapRow):
            return FedElement(identity, self._clocks.of_lane(lane).take_overlap(element.event), None, None)
        clock = self._clocks.hear(lane, self.key(element, failures.append), element, arrival)
        if isinstance(element, Cti):
            self._clocks.take_cti(lane, element)
            return FedElement(identity, None, None, self._settle())
        if isinstance(element, MalformedRow):
            return FedElement(identity, clock.take_malformed(element.reason), None, self._settle())
        before = self._settle() if clock.take_arrival(arrival) else None
        if not isinstance(element, Event):
            judged = self._judge_version(identity, clock, element, arrival)
            return FedElement(identity, judged, None, self._settle(), before)
        judged = clock.take(element, arrival)
        if judged.event is not None:
            self.horizon = max(self.horizon, element.sync)  # a held event counts too: it has been seen (T4)
        return FedElement(identity, judged, self._flow(identity, judged), self._settle(), before, tuple(failures))

    def versions(self, cti: Tick) -> list[Flow]:
        """Return the starts and ends of versions before `cti`, once; only tables have any (T48)."""
        return [] if self._table is None else [_version_flow(self.node, edge) for edge in self._table.settle(cti)]

    def to_come(self) -> set[ElementId]:
        """Return the rows of a table with a version that is to come (T48)."""
        return set() if self._table is None else self._table.sources()

    def _judge_version(
        self, identity: ElementId, clock: LaneClock, row: TableRow, arrival: Tick | None
    ) -> JudgedElement:
        if self._table is None:
            raise AssertionError(f"{identity} is a row of a table, but {self.node!r} is no table")
        judged = judge_row(TableLane(identity.lane, clock, self._late), self._table, row, arrival, self.cti, identity)
        if judged.event is not None:
            self.horizon = max(self.horizon, row.start)
        return judged

    def heartbeat(self, now: Tick) -> Tick | None:
        """Process the wall clock `now`; return the input's CTI if that moved it (T16, T17)."""
        if self._implicit:
            self._clocks.raise_all(now)
        self._clocks.beat(now)
        return self._settle()

    def import_cti(self, cti: Tick) -> Tick | None:
        """Take the CTI of another input on every lane; return the input's CTI if that moved it (T26)."""
        self._clocks.raise_all(cti)
        return self._settle()

    def mark_history(self, lanes: Sequence[str] | None) -> Tick | None:
        """Let the `lanes` of history count, or those of live (None); return the input's CTI if that moved it (T56)."""
        live = [lane for lane in self._lanes if lane != HISTORY_LANE]
        self._clocks.count_only(live if lanes is None else lanes)
        return self._settle()

    def finish(self) -> Tick | None:
        """Raise every lane to CTI infinity; return the input's CTI if that moved it."""
        return self.import_cti(INFINITY)

    def key(self, element: Element, failed: Failed) -> Any:
        """Return the key of an event's substream; an expression that fails is the key null (T15)."""
        if self._over is None or not isinstance(element, Event):
            return None
        return evaluate(self._over, element.payload, failed)

    def _settle(self) -> Tick | None:
        for clock in self._clocks:
            finite = clock.cti if clock.cti != INFINITY else NO_CTI
            self.horizon = max(self.horizon, clock.largest_sync, finite)
        return self._clocks.settle()

    @property
    def open_edges(self) -> int:
        """Return how many edges have a start that counts, and no end yet."""
        return sum(flow is not None for waiting in self._open.values() for flow in waiting)

    def _flow(self, identity: ElementId, judged: JudgedElement) -> Flow | None:
        original, event = judged.original, judged.event
        if original is not None and original.edge is not None and judged.reason is not Reason.AFTER_END:
            return self._edge_flow(identity, original, judged)
        if event is None:
            return None
        return _flow_of(identity, event, judged)

    def _edge_flow(self, identity: ElementId, original: Event, judged: JudgedElement) -> Flow | None:
        """Record a start, a dropped one as None; give an end the flow of the start that it closes (T11)."""
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


def _version_flow(node: str, edge: VersionEdge) -> Flow:
    return Flow(
        id=(node, edge.number),
        start=edge.start,
        end=INFINITY if edge.end is None else edge.end,
        payload=edge.payload,
        sources=frozenset((edge.source,)),
        stamp=edge.start,
        opens=edge.end is None,
        closes=edge.end is not None,
        version=(node, edge.number),
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
