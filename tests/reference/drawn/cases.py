"""Random cases for the laws: a graph around one operator, streams with settings, rows, cuts and an end."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from hypothesis import settings
from hypothesis import strategies as st

from streaming.definition.checks.bindings import check_binding
from streaming.definition.faults import FaultCode
from streaming.definition.graph import QueryGraph, TopKNode
from streaming.definition.streams.stream import StreamDefinition
from streaming.wire.execution.case import Case, CaseRow, EndMode
from tests.reference.drawn.graphs import KINDS, graphs
from tests.reference.drawn.rows import streams_of_rows
from tests.reference.drawn.settings import Settings, advances

__all__ = ["KINDS", "Scope", "cases", "each_operator"]

NUMBERS: Final = {"s": "v", "r": "w"}
"""The streams, and the number field that each has in addition to the key k."""
STREAM = st.sampled_from(tuple(NUMBERS))
LANES = ["0", "1"]
LANE = st.sampled_from(LANES)
PAUSE = st.sampled_from((0, 1, 4, 9))
ONE_IN_FOUR = st.integers(0, 3)
ONE_IN_EIGHT = st.integers(0, 7)
each_operator = settings(max_examples=max(30, settings.default.max_examples))
"""Enough examples of each operator for a law."""


@dataclass(frozen=True)
class Scope:
    """The restrictions of a law.

    `explicit`: time moves by explicit CTIs alone. `wall`: arrival times, heartbeats, and the settings that read them.
    `imports`: the second input may import the CTIs of the first. `odd`: malformed rows and an early infinity.
    `unbounded`: every window has a grace that never ends. `alone`: no other operator is before or after the operator.
    `chained`: after it is a second one that matches events by another key.
    """

    explicit: bool = False
    wall: bool = True
    imports: bool = False
    odd: bool = True
    ends: tuple[EndMode, ...] = tuple(EndMode)
    policies: tuple[str, ...] = ("drop", "adjust", "shift", "keep")
    unbounded: bool = False
    alone: bool = False
    chained: bool = False


@dataclass(frozen=True)
class Channel:
    """The drawn values of one stream."""

    name: str
    shape: str
    lanes: list[str]
    implicit: bool
    advance: Settings

    def definition(self) -> StreamDefinition:
        """Return the stream as a user defines it."""
        settings: dict[str, Any] = {
            "shape": self.shape,
            "fields": {"k": "string", NUMBERS[self.name]: "long"},
            "advance": self.advance,
            "lanes": self.lanes,
        }
        return StreamDefinition.model_validate(settings | ({"rowtime": "implicit"} if self.implicit else {}))


@st.composite
def channels(draw: st.DrawFn, name: str, scope: Scope) -> Channel:
    """Draw one stream with its settings."""
    shape = draw(st.sampled_from(("point", "interval", "edge")))
    lanes = draw(st.sampled_from((LANES[:1], LANES[:1], LANES)))
    implicit = scope.wall and shape == "point" and draw(st.integers(0, 4)) == 4
    advance = draw(advances(explicit=scope.explicit, wall=scope.wall, policies=scope.policies))
    return Channel(name, shape, lanes, implicit, advance)


@st.composite
def cases(draw: st.DrawFn, kind: str, scope: Scope) -> Case:
    """Draw a whole case around an operator of `kind`."""
    graph = QueryGraph.model_validate(draw(_graphs(kind, scope)))
    ids = {node.id for node in graph.nodes}
    walled = replace(scope, wall=scope.wall and draw(st.integers(0, 2)) == 2)
    drawn = [draw(channels(name, walled)) for name in NUMBERS if name in ids]
    if scope.imports and len(drawn) == 2:
        importing, source = draw(st.sampled_from((("r", "s"), ("s", "r"))))
        for channel in drawn:
            if channel.name == importing:
                channel.advance["import_from"] = source
    rows = draw(received(drawn, walled))
    refused = _keep_refused(graph, {channel.name: channel.definition() for channel in drawn}, scope)
    for channel in drawn:
        if channel.name in refused:
            _drop_instead(channel.advance)
    streams = {channel.name: channel.definition() for channel in drawn}
    return Case("drawn", graph, streams, tuple(rows), draw(st.sampled_from(scope.ends)))


def _graphs(kind: str, scope: Scope) -> st.SearchStrategy[dict[str, Any]]:
    return graphs(kind, unbounded=scope.unbounded, alone=scope.alone, chained=scope.chained)


def _keep_refused(graph: QueryGraph, streams: Mapping[str, StreamDefinition], scope: Scope) -> set[str | None]:
    """Return the inputs whose late events may not be kept, because of joins or because some grace would end."""
    if scope.unbounded and any(isinstance(node, TopKNode) for node in graph.nodes):
        return {name for name, stream in streams.items() if stream.advance.preset != "lenses"}
    faults = check_binding(graph, streams, {})
    return {fault.node for fault in faults if fault.code is FaultCode.LATE_KEEP_REFUSED}


def _drop_instead(advance: Settings) -> None:
    if advance.get("late") == "keep":
        advance["late"] = "drop"
    if advance.get("preset", "").startswith(("lenses", "spl_event_time")):
        advance["preset"] = "watermark(3us)"


@st.composite
def received(draw: st.DrawFn, drawn: list[Channel], scope: Scope) -> list[CaseRow]:
    """Draw the rows of all streams in one order of arrival, in lanes and micro-batches.

    With wall clocks if they count.
    """
    most = 8 if len(drawn) == 1 else 5
    queues = {
        each.name: draw(streams_of_rows(shape=each.shape, field=NUMBERS[each.name], most=most, odd=scope.odd))
        for each in drawn
    }
    lanes = {each.name: each.lanes for each in drawn}
    total = sum(map(len, queues.values()))
    cuts = draw(st.sets(st.integers(1, max(total, 1)), max_size=3))
    rows: list[CaseRow] = []
    now, batch = draw(st.integers(-10, 30)), 0
    while any(queues.values()):
        waiting = [name for name, queue in queues.items() if queue]
        name = waiting[0] if len(waiting) == 1 else draw(STREAM)
        lane = lanes[name][0] if len(lanes[name]) == 1 else draw(LANE)
        batch += len(rows) in cuts
        row = CaseRow(name, lane, batch, queues[name].pop(0))
        rows.append(row if not scope.wall else _timed(draw, row, now))
        now += draw(PAUSE) if scope.wall else 0
        if scope.wall and draw(ONE_IN_FOUR) == 3:
            rows.append(CaseRow(name, lane, batch, {"heartbeat": now}))
    return rows


def _timed(draw: st.DrawFn, row: CaseRow, now: int) -> CaseRow:
    """Draw the arrival of `row`, which now and then is not known."""
    return replace(row, arrival=None if draw(ONE_IN_EIGHT) == 7 else now)
