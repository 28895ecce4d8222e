"""The rows of fixed windows, over events and over partials: rows and timing equal the reference's (law 8)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.graph import Emit
from streaming.definition.payload.types import Fields, Long, String
from streaming.definition.windows import SnapshotPanes
from streaming.engine.columns.flows import GONE, OLD, OPEN, TIMINGS, WHOLE, Flows
from streaming.engine.columns.folding.fold import Fold
from streaming.engine.columns.window_indices import window_indices
from streaming.engine.operators.kernel import Kernel, PortInput, TurnContext
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.operators.windows.folded_window import FoldedWindowKernel
from streaming.engine.operators.windows.window import WindowKernel
from streaming.engine.state.node_state import NodeState
from streaming.planning.columns import AggregateColumn
from streaming.planning.plan import WindowSpec
from streaming.reference.flow import Flow
from streaming.reference.trace import Trace
from streaming.reference.windows.emission import RowEmission
from streaming.reference.windows.empties import FilledWindows
from streaming.reference.windows.fixed_windows import FixedWindows
from streaming.reference.windows.window import AggregateRows, WindowOperator
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick, Ticks
from streaming.temporal.windows import HoppingWindows
from tests.engine.operators.windows.arriving import Element, again, arriving, horizon_of, ports_of, turns_of

FIELDS: Fields = {"k": String(), "v": Long()}
KERNELS: Mapping[str, Callable[[WindowSpec], Kernel]] = {"events": WindowKernel, "partials": FoldedWindowKernel}
EmittedRow = tuple[Any, ...]


def expression_of(text: str) -> Any:
    found = typed(parse(text), FIELDS)
    assert isinstance(found, TypedExpression)
    return found.expression


COLUMNS = (
    AggregateColumn("n", "count", None, None, None, Long()),
    AggregateColumn("total", "sum", expression_of("v"), None, Long(), Long()),
    AggregateColumn("least", "min", expression_of("v"), expression_of("v > 1"), Long(), Long()),
)


@st.composite
def specs(draw: st.DrawFn, *emits: Emit, filled: bool = False) -> WindowSpec:
    """Draw a window node of one of the emit modes; filled ones are final (T21)."""
    hopping = HoppingWindows(
        Ticks(draw(st.integers(1, 20))), Ticks(draw(st.integers(1, 20))), Ticks(draw(st.integers(-20, 20)))
    )
    grouped = draw(st.booleans())
    groups = draw(st.sampled_from(((("x",),), (("y",), (None,)), ()))) if grouped else ((),)
    fields: Fields = {"k": String()} if grouped else {}
    return WindowSpec(
        node="w",
        panes=hopping,
        grace=draw(st.sampled_from((0, 4, 15))),
        one_clock=False,
        group_by=("k",) if grouped else (),
        aggregates=COLUMNS,
        fields={**fields, **{column.name: column.type for column in COLUMNS}},
        emit=draw(st.sampled_from(emits)) if emits else "final",
        retract=draw(st.booleans()),
        fill_gap=draw(st.integers(1, 60)) if filled else None,
        fill_groups=groups if filled else (),
    )


@dataclass
class Reference:
    """The window of the reference, and its net rows."""

    spec: WindowSpec
    net: dict[EmittedRow, EmittedRow] = field(default_factory=dict)
    ctis: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        spec = self.spec
        assert isinstance(spec.panes, HoppingWindows)
        panes: Any = FixedWindows("w", spec.panes, Ticks(spec.grace))
        if spec.fill_gap is not None:
            panes = FilledWindows(panes, Ticks(spec.fill_gap), spec.fill_groups)
        rows = AggregateRows("w", spec.group_by, COLUMNS)
        self.window = WindowOperator(spec.group_by, panes, RowEmission(spec.emit, spec.retract, rows))
        self.trace = Trace({"w": frozenset()})
        self.horizon = int(NO_CTI)

    def turn(self, elements: Sequence[Element], *, boundary: bool) -> list[EmittedRow]:
        """Return all emitted rows and deletions."""
        found: list[Flow] = []
        for element in elements:
            self.horizon = horizon_of([element], self.horizon)
            if element.cti is None:
                found += self.window.take(0, element.flow, self.trace)
                continue
            advanced = self.window.advance(0, Tick(element.cti), Tick(self.horizon), self.trace)
            found += advanced.flows
            self.ctis += [advanced.cti] if advanced.cti != (self.ctis or [NO_CTI])[-1] else []
        if boundary:
            found += self.window.boundary(self.trace)
        return [emitted for flow in found for emitted in self._emitted(flow)]

    def _emitted(self, flow: Flow) -> list[EmittedRow]:
        row = _row_of(flow)
        pane = (flow.start, flow.end, *(flow.payload[name] for name in self.spec.group_by))
        if flow.gone:
            del self.net[pane]
            return [("gone", *row)]
        self.net[pane] = row
        return [("new", *row)] if flow.replaces is None else [("old", *_row_of(flow.replaces)), ("new", *row)]


def _row_of(flow: Flow) -> EmittedRow:
    assert flow.pane is not None
    emitted = (str(flow.pane.timing), flow.pane.index, flow.pane.is_last, flow.stamp)
    return flow.start, flow.end, *flow.payload.values(), *emitted


def emitted_rows(flows: Flows, *, stamps: bool) -> list[EmittedRow]:
    """Return all rows with their flag, pane metadata and stamp."""
    pane = flows.pane
    assert pane is not None
    assert (pane.start == flows.start).all()
    assert (pane.end == flows.end).all()
    names = {WHOLE: "new", OLD: "old", GONE: "gone"}
    kept = [column.to_pylist() for column in flows.columns.values()]
    timing = [TIMINGS[code] for code in pane.timing]
    emitted = [
        timing,
        pane.index.tolist(),
        pane.is_last.tolist(),
        flows.stamps.tolist() if stamps else [0] * len(flows),
    ]
    flags = [names[flag] for flag in flows.flags]
    return list(zip(flags, flows.start.tolist(), flows.end.tolist(), *kept, *emitted, strict=True))


@dataclass
class Engine:
    """A kernel of the engine over the same elements, with a restart after each turn, and its net rows."""

    spec: WindowSpec
    kind: str
    net: dict[EmittedRow, EmittedRow] = field(default_factory=dict)
    ctis: list[int] = field(default_factory=list)
    state: NodeState = field(default_factory=lambda: NodeState(lambda name: None))

    def turn(self, port: PortInput, *, boundary: bool) -> list[EmittedRow]:
        kernel = KERNELS[self.kind](self.spec)
        released = kernel.turn(
            [folded(self.spec, port) if self.kind == "partials" else port], self.state, TurnContext(OutcomeReport())
        )
        self.state = again(self.state)
        self.ctis += released.ctis
        assert released.horizon == port.horizon
        emitted = emitted_rows(released.flows, stamps=self.kind == "events")
        self._follow(released.flows, emitted)
        return emitted

    def _follow(self, flows: Flows, emitted: list[EmittedRow]) -> None:
        """Remove old and gone rows, each the last row of its id, then add new ones."""
        if self.spec.emit == "final":
            assert flows.id is None
            self.net |= {(*row[1:3], *row[3 : 3 + len(self.spec.group_by)]): row[1:] for row in emitted}
            return
        named = list(zip(flows.ids.to_pylist(), emitted, strict=True))
        for name, row in named:
            if row[0] != "new":
                assert self.net.pop((name,)) == row[1:]
        for name, row in named:
            if row[0] == "new":
                assert (name,) not in self.net
                self.net[name,] = row[1:]


def folded(spec: WindowSpec, port: PortInput) -> PortInput:
    """Return the port of a feed that has folded the events for the window."""
    assert isinstance(spec.panes, HoppingWindows)
    panes, flows = window_indices(spec.panes), port.flows
    last = panes.last(flows.end)
    first = panes.first_open(panes.first(flows.start), flows.late_at, spec.grace)
    there = np.flatnonzero(first <= last)
    partials = Fold(spec).rows(flows.take(there).rows, first[there], last[there])
    return replace(port, flows=flows.take(there[:0]), partials=(partials,) if len(there) else ())


def checked(
    spec: WindowSpec, kind: str, elements: list[Element], cuts: set[int], *, exact: bool, inside: Collection[int] = ()
) -> None:
    """Run engine and reference over the same turns; those with a number `inside` do not end a micro-batch.

    After a turn the engine equals a reference that receives all flows of the turn before its CTIs. That one is never
    older than a reference that receives them in order; in the end all three are the same.
    """
    reference, ahead, engine = Reference(spec), Reference(spec), Engine(spec, kind)
    for number, (turn, port) in enumerate(zip(turns_of(elements, cuts), ports_of(elements, cuts), strict=True)):
        boundary = number not in inside
        expected = reference.turn(turn, boundary=boundary)
        ahead.turn(flows_first(turn), boundary=boundary)
        found = engine.turn(port, boundary=boundary)
        assert engine.ctis[-1:] == ahead.ctis[-1:]
        assert engine.ctis[-1:] >= reference.ctis[-1:]
        if exact:
            assert sorted(map(_sortable, found)) == sorted(map(_sortable, _like(expected, kind)))
            assert engine.ctis == reference.ctis
        if boundary:
            assert _values(spec, engine.net) == _values(spec, ahead.net)
    assert engine.ctis[-1:] == reference.ctis[-1:]
    left = iter(ahead.ctis)
    assert all(cti in left for cti in engine.ctis)
    assert _values(spec, engine.net) == _values(spec, reference.net)
    assert not engine.state.written


def flows_first(elements: Sequence[Element]) -> Sequence[Element]:
    """Return the elements in the order of a turn: all flows, then all CTIs."""
    return sorted(elements, key=lambda element: element.cti is not None)


def _values(spec: WindowSpec, net: Mapping[EmittedRow, EmittedRow]) -> list[Any]:
    """Return the net rows without their pane metadata."""
    return sorted(_sortable(row[: 2 + len(spec.fields)]) for row in net.values())


def _like(rows: list[EmittedRow], kind: str) -> list[EmittedRow]:
    """Return the rows without their stamps if no stamps are needed."""
    return rows if kind == "events" else [(*row[:-1], 0) for row in rows]


def _sortable(row: EmittedRow) -> list[tuple[bool, Any]]:
    return [(value is not None, value) for value in row]


def cuts_behind_ctis(elements: list[Element]) -> set[int]:
    return {place + 1 for place, element in enumerate(elements) if element.cti is not None}


CHANGING = specs("on_complete", "running")
FILLED = specs(filled=True)
CUTS = st.sets(st.integers(0, 20))
THE_NEXT_EVENT_COMES_BEHIND_THE_CTI = [
    Element(start=28, end=29, k="x", id=0),
    Element(cti=30),
    Element(start=30, end=31, k="x", id=1),
    Element(cti=INFINITY),
]

AN_EDGE_OPENS_BEHIND_A_COMPLETE_WINDOW = [
    Element(start=0, end=1, k="x", id=0),
    Element(cti=1),
    Element(OPEN, 1, INFINITY, "x", 0, 1),
    Element(cti=2),
    Element(cti=INFINITY),
]


def ticks_of(grace: int, **beside: Any) -> WindowSpec:
    """Return windows of one tick, of all events."""
    types = {column.name: column.type for column in COLUMNS}
    return WindowSpec("w", HoppingWindows(Ticks(1), Ticks(1)), grace, False, (), COLUMNS, types, **beside)


@pytest.mark.parametrize("kind", KERNELS)
@given(elements=arriving(edges=False), spec=CHANGING)
def test_rows_that_are_replaced(kind: str, elements: list[Element], spec: WindowSpec) -> None:
    checked(spec, kind, elements, cuts_behind_ctis(elements), exact=True)


@pytest.mark.parametrize("kind", KERNELS)
@given(elements=arriving(edges=False), spec=FILLED)
def test_windows_that_are_filled(kind: str, elements: list[Element], spec: WindowSpec) -> None:
    checked(spec, kind, elements, cuts_behind_ctis(elements), exact=True)


@pytest.mark.parametrize("kind", KERNELS)
@given(elements=arriving(edges=False), spec=specs(), cuts=CUTS)
def test_final_rows(kind: str, elements: list[Element], spec: WindowSpec, cuts: set[int]) -> None:
    checked(spec, kind, elements, cuts_behind_ctis(elements), exact=True)
    checked(spec, kind, elements, cuts, exact=False)


@pytest.mark.parametrize("kind", KERNELS)
@given(elements=arriving(edges=False), spec=CHANGING | FILLED, cuts=CUTS, inside=CUTS)
@example(THE_NEXT_EVENT_COMES_BEHIND_THE_CTI, ticks_of(0, fill_gap=1, fill_groups=((),)), {3}, set())
def test_net_rows_do_not_depend_on_the_cut(
    kind: str, elements: list[Element], spec: WindowSpec, cuts: set[int], inside: set[int]
) -> None:
    checked(spec, kind, elements, cuts, exact=False, inside=inside)


@given(elements=arriving(edges=True), spec=CHANGING | FILLED | specs())
@example(AN_EDGE_OPENS_BEHIND_A_COMPLETE_WINDOW, ticks_of(15, emit="on_complete"))
def test_edges_make_rows_that_change_and_vanish(elements: list[Element], spec: WindowSpec) -> None:
    checked(spec, "events", elements, cuts_behind_ctis(elements), exact=True)


@given(elements=arriving(edges=True), spec=CHANGING | FILLED | specs(), cuts=CUTS, inside=CUTS)
def test_edges_cut_anywhere(elements: list[Element], spec: WindowSpec, cuts: set[int], inside: set[int]) -> None:
    checked(spec, "events", elements, cuts, exact=False, inside=inside)


def test_fields_that_no_aggregate_reads_are_not_stored() -> None:
    spec = WindowSpec("w", HoppingWindows(Ticks(10), Ticks(10)), 0, True, (), COLUMNS[:1], {"n": Long()})
    state = NodeState(lambda name: None)
    rows = [Element(start=5, end=6, k="x", id=1)]
    WindowKernel(spec).turn(ports_of(rows, set()), state, TurnContext(OutcomeReport()))
    assert [state.get(name).column_names for name in state.written] == [["@first", "@last", "@start", "@end"]]
    released = WindowKernel(spec).turn(ports_of([Element(cti=20)], set()), state, TurnContext(OutcomeReport()))
    assert [row[1:4] for row in emitted_rows(released.flows, stamps=False)] == [(0, 10, 1)]


def test_the_feed_cannot_fold_for_windows_without_a_place() -> None:
    spec = WindowSpec("w", SnapshotPanes(), 0, True, (), (), {})
    with pytest.raises(TypeError, match="not at fixed times"):
        FoldedWindowKernel(spec)


def test_an_empty_folded_turn_gives_no_rows() -> None:
    spec = WindowSpec(
        "w",
        HoppingWindows(Ticks(10), Ticks(10)),
        0,
        True,
        ("k",),
        COLUMNS,
        {"k": String()} | {c.name: c.type for c in COLUMNS},
    )
    released = FoldedWindowKernel(spec).turn(
        [PortInput(Flows.none(FIELDS), (), NO_CTI)], NodeState(lambda name: None), TurnContext(OutcomeReport())
    )
    assert (len(released.flows), released.ctis, list(released.flows.columns)) == (0, (), ["k", "n", "total", "least"])
    assert released.flows.columns["k"].type == pa.string()
