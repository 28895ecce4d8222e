"""Fixed windows over events, in columns: the same members in the same panes as in the reference (law 8)."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from streaming.engine.columns.flows import CLOSE, OPEN
from streaming.engine.operators.kernel import PortInput, TurnContext
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.operators.windows import fixed_panes, open_edges
from streaming.engine.operators.windows.fixed_panes import FixedPaneSource
from streaming.engine.operators.windows.pane_source import PaneMembers
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.segments import MOST_SEGMENTS
from streaming.reference.expressions.numbers import OperationFailure
from streaming.reference.flow import CausingCti, Flow
from streaming.reference.windows import fixed_windows
from streaming.reference.windows.fixed_windows import FixedWindows
from streaming.reference.windows.panes import Members as Panes
from streaming.temporal import windows
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick, Ticks
from streaming.temporal.windows import HoppingWindows
from tests.engine.operators.windows.arriving import Element, again, arriving, flows_of, horizon_of, ports_of, turns_of

Found = Counter[tuple[Any, ...]]
WINDOWS = st.builds(
    HoppingWindows,
    st.integers(1, 25).map(Ticks),
    st.integers(1, 25).map(Ticks),
    st.integers(-20, 20).map(Ticks),
)
GRACES = st.sampled_from((0, 4, 15))
CUTS = st.sets(st.integers(0, 14))


class RecordingWitness:
    """A witness that records the outcome of each received row."""

    def __init__(self) -> None:
        self.cause: CausingCti | None = None
        self.taken: set[str] = set()
        self.refusals: dict[str, Reason] = {}

    def took(self, node: str, flow: Flow) -> None:
        self.taken |= {source.lane for source in flow.sources}

    def removed(self, node: str, flow: Flow, why: str) -> None:
        pass

    def refused(self, node: str, flow: Flow, reason: Reason, why: str, closed_at: Tick | None = None) -> None:
        self.refusals |= {source.lane: reason for source in flow.sources}

    def failed(self, node: str, flow: Flow, field: str, why: OperationFailure) -> None:
        raise AssertionError


def clipped(start: int, end: int, k: str, flow: tuple[int, int, int]) -> tuple[Any, ...]:
    return (start, end, k, flow[0], max(flow[1], start), min(flow[2], end))


def of_reference(panes: Panes) -> Found:
    return Counter(
        clipped(pane.start, pane.end, str(pane.key[0]), (flow.payload["v"], flow.start, flow.end))
        for pane, flows in panes.items()
        for flow in flows
    )


def of_engine(members: PaneMembers | None) -> Found:
    """Return each event in each pane, with its lifetime there."""
    found: Found = Counter()
    if members is None:
        return found
    rows = members.flows
    values = list(zip(rows.columns["v"].to_pylist(), rows.start.tolist(), rows.end.tolist(), strict=True))
    groups = [str(group) for group in rows.columns["k"].to_pylist()]
    for row, (first, last) in enumerate(zip(members.first.tolist(), members.last.tolist(), strict=True)):
        assert first <= last
        numbers = np.arange(first, last + 1)
        starts, ends = members.bounds(numbers)
        assert (np.diff(starts) > 0).all()
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            found[clipped(start, end, groups[row], values[row])] += 1
    return found


class Reference:
    """The reference, element by element."""

    def __init__(self, windows: HoppingWindows, grace: int) -> None:
        self.panes = FixedWindows("w", windows, Ticks(grace))
        self.heard = RecordingWitness()
        self.cti = NO_CTI
        self.ctis: list[int] = []
        self._horizon = int(NO_CTI)

    def turn(self, elements: Sequence[Element]) -> Found:
        """Return the closing panes."""
        found: Found = Counter()
        for element in elements:
            self._horizon = horizon_of([element], self._horizon)
            if element.cti is None:
                self.panes.take((element.k,), element.flow, self.heard)
                continue
            self.cti = Tick(element.cti)
            found += of_reference(self.panes.close(self.cti, Tick(self._horizon), self.heard))
            out = self.panes.output_cti(self.cti)
            self.ctis += [out] if out != (self.ctis or [NO_CTI])[-1] else []
        return found

    @property
    def open_members(self) -> Found:
        return of_reference(self.panes.open_members(self.cti))


def check(elements: list[Element], cuts: set[int], windows: HoppingWindows, grace: int) -> None:
    """Check after each turn: the same closed panes, the same open panes, the same outcomes of received rows."""
    reference, report, state = Reference(windows, grace), OutcomeReport(), NodeState(lambda name: None)
    ctis: list[int] = []
    for part, port in zip(turns_of(elements, cuts), ports_of(elements, cuts), strict=True):
        source = FixedPaneSource("w", windows, grace)
        paned = source.turn(port, state, TurnContext(report), known=True)
        state = again(state)
        assert of_engine(paned.closing) == reference.turn(part)
        assert of_engine(paned.known) == reference.open_members
        ctis += paned.ctis
    assert ctis == reference.ctis
    assert report.refusals == reference.heard.refusals
    ended = {element.source for element in elements if element.source.startswith("end")}
    assert report.taken - ended == reference.heard.taken - ended
    assert not state.written


@given(elements=arriving(edges=False), cuts=CUTS, windows=WINDOWS, grace=GRACES)
def test_whole_lifetimes(elements: list[Element], cuts: set[int], windows: HoppingWindows, grace: int) -> None:
    check(elements, cuts, windows, grace)


@given(elements=arriving(edges=True), cuts=CUTS, windows=WINDOWS, grace=GRACES)
def test_edges(elements: list[Element], cuts: set[int], windows: HoppingWindows, grace: int) -> None:
    check(elements, cuts, windows, grace)


def with_cap(cap: int, run: Callable[[], None]) -> None:
    """Call `run` with another largest number of windows for each event."""
    rooms = (fixed_panes, open_edges, fixed_windows)
    before = windows.MAX_WINDOWS_PER_EVENT
    try:
        for room in rooms:
            room.MAX_WINDOWS_PER_EVENT = cap  # type: ignore[attr-defined]
        run()
    finally:
        for room in rooms:
            room.MAX_WINDOWS_PER_EVENT = before  # type: ignore[attr-defined]


@given(elements=arriving(edges=True), cuts=CUTS, windows=WINDOWS, grace=GRACES, cap=st.integers(1, 4))
def test_events_in_too_many_windows_are_refused_and_edges_are_cut(
    elements: list[Element], cuts: set[int], windows: HoppingWindows, grace: int, cap: int
) -> None:
    with_cap(cap, lambda: check(elements, cuts, windows, grace))


def test_a_lifetime_without_an_end_that_is_no_edge_is_in_too_many_windows() -> None:
    row = Element(start=0, end=INFINITY, id=1)
    report = OutcomeReport()
    source = FixedPaneSource("w", HoppingWindows(Ticks(10**17), Ticks(10**17)), 0)
    paned = source.turn(
        PortInput(flows_of([row]), (), NO_CTI), NodeState(lambda name: None), TurnContext(report), known=True
    )
    assert (len(paned.closing.flows), report.refusals) == (0, {"row 1": Reason.TOO_MANY_WINDOWS})


def test_an_event_in_many_windows_is_stored_once() -> None:
    state = NodeState(lambda name: None)
    source = FixedPaneSource("w", HoppingWindows(Ticks(5_000), Ticks(1)), 0)
    rows = [Element(start=start, end=start + 1, id=start) for start in range(100)]
    source.turn(PortInput(flows_of(rows), (50,), 50), state, TurnContext(OutcomeReport()), known=False)
    assert sum(state.get(name).num_rows for name in state.written) == len(rows)


def test_many_small_pieces_become_one() -> None:
    elements: list[Element] = []
    for start in range(200):
        elements += [Element(start=start, end=start + 1, id=start), Element(cti=start)]
    source, state = FixedPaneSource("w", HoppingWindows(Ticks(1_000), Ticks(10)), 0), NodeState(lambda name: None)
    found: Found = Counter()
    for port in ports_of([*elements, Element(cti=INFINITY)], set(range(0, 402, 2))):
        found += of_engine(source.turn(port, state, TurnContext(OutcomeReport()), known=False).closing)
        assert len(state.written) <= MOST_SEGMENTS
    assert (found.total(), set(found.values())) == (200 * 100, {1})


def test_a_turn_in_which_an_edge_ends_writes_few_of_those_that_are_open() -> None:
    source, state = FixedPaneSource("w", HoppingWindows(Ticks(10**6), Ticks(10**6)), 0), NodeState(lambda name: None)
    opening = [Element(OPEN, start, INFINITY, "x", 0, start) for start in range(100_000)]
    source.turn(PortInput(flows_of(opening), (), NO_CTI), state, TurnContext(OutcomeReport()), known=False)
    stored = sum(map(len, state.written.values()))
    later = NodeState(state.written.get, dict(state.head))
    ends = [Element(CLOSE, 7, 500, "x", 0, 7)]
    source.turn(PortInput(flows_of(ends), (), NO_CTI), later, TurnContext(OutcomeReport()), known=False)
    assert sum(map(len, later.written.values())) < stored / 10
