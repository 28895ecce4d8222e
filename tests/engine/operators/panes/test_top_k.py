"""top_k of the engine has the rows of the reference, over every kind of window, however the events are cut."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.payload.types import LONG, STRING, Fields
from streaming.definition.windows import CountPanes, SessionPanes, SnapshotPanes
from streaming.engine.columns.flows import TIMINGS
from streaming.engine.operators.kernel import PortInput, TurnContext
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.operators.windows import top_k
from streaming.engine.operators.windows.top_k import TopKKernel
from streaming.planning.plan import TopKSpec
from streaming.reference.expressions.numbers import OperationFailure
from streaming.reference.flow import Timing
from streaming.reference.windows.fixed_windows import FixedWindows
from streaming.reference.windows.group_panes import GroupedPanes as ReferencePanes
from streaming.reference.windows.pane_rules import CountPaneRule, SessionPaneRule, SnapshotPaneRule
from streaming.reference.windows.top_k import TopK
from streaming.temporal.ticks import NO_CTI, Tick, Ticks
from streaming.temporal.windows import HoppingWindows
from tests.engine.operators.panes.kernels import Stored, flows_of
from tests.engine.operators.panes.streams import Event, RecordingWitness, cuts, streams

FIELDS: Fields = {"k": STRING, "v": LONG}
KINDS = (
    (SessionPanes(5, None), lambda: ReferencePanes("w", SessionPaneRule(Ticks(5)))),
    (SnapshotPanes(), lambda: ReferencePanes("w", SnapshotPaneRule())),
    (CountPanes(2), lambda: ReferencePanes("w", CountPaneRule(2))),
    (HoppingWindows(Ticks(9), Ticks(3)), lambda: FixedWindows("w", HoppingWindows(Ticks(9), Ticks(3)))),
    (HoppingWindows(Ticks(7), Ticks(7)), lambda: FixedWindows("w", HoppingWindows(Ticks(7), Ticks(7)))),
)
BYS = ("v % 3", "6 / (v % 2)", "k", "cast(v % 4 as double) * -1.0", "v")


def by(text: str) -> TypedExpression:
    found = typed(parse(text), FIELDS)
    assert isinstance(found, TypedExpression)
    return found


class Deaf(RecordingWitness):
    """Failures are nulls, and an event in too many windows is in none; nothing else matters here."""

    def refused(self, node: str, flow: Any, reason: Any, why: str, closed_at: Any = None) -> None:
        del node, flow, reason, why, closed_at

    def failed(self, node: str, flow: Any, field: str, why: OperationFailure) -> None:
        del node, flow, field, why


def truth(elements: Sequence[Event], node: TopK) -> Counter[tuple[Any, ...]]:
    found: Counter[tuple[Any, ...]] = Counter()
    for element in elements:
        if element.cti is None:
            node.take(0, element.flow(), Deaf())
            continue
        for row in node.advance(0, Tick(element.cti), Tick(40), Deaf()).flows:
            assert row.pane is not None
            assert (row.pane.timing, row.pane.index, row.pane.is_last) == (Timing.ON_TIME, 0, True)
            found[row.start, row.end, row.payload["k"], row.payload["v"], row.stamp] += 1
    return found


def run(turns: Sequence[Sequence[Event]], kernel: TopKKernel) -> Counter[tuple[Any, ...]]:
    stored = Stored()
    found: Counter[tuple[Any, ...]] = Counter()
    cti = int(NO_CTI)
    for elements in turns:
        ctis = tuple(element.cti for element in elements if element.cti is not None)
        cti = ctis[-1] if ctis else cti
        state = stored.state()
        flows = flows_of([element for element in elements if element.cti is None])
        released = kernel.turn([PortInput(flows, ctis, cti, 40)], state, TurnContext(OutcomeReport())).flows
        stored.keep(state)
        pane = released.pane
        assert pane is not None
        assert (pane.start == released.start).all()
        assert (pane.end == released.end).all()
        assert pane.is_last.all()
        assert (pane.index == 0).all()
        assert (pane.timing == TIMINGS.index("on_time")).all()
        assert released.flag is None
        assert released.id is None
        assert released.late_at is None
        columns = (released.start.tolist(), released.end.tolist(), *(each.to_pylist() for each in payload(released)))
        found.update(zip(*columns, released.stamps.tolist(), strict=True))
    json.loads(stored.head)
    return found


def payload(flows: Any) -> list[pa.Array]:
    return [flows.columns[name] for name in FIELDS]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind[0]))
@pytest.mark.parametrize("text", BYS)
@given(data=st.data(), k=st.integers(1, 3), grouped=st.booleans(), edges=st.booleans())
def test_the_rows_of_the_reference_however_cut(
    kind: Any, text: str, data: st.DataObject, k: int, grouped: bool, edges: bool
) -> None:
    elements = data.draw(streams(lanes=2, edges=edges))
    group_by = ("k",) if grouped else ()
    rank = by(text)
    node = TopK("w", group_by, rank.expression, k, kind[1]())
    spec = TopKSpec("w", kind[0], 0, False, group_by, rank.expression, rank.type, k, FIELDS)
    assert run(data.draw(cuts(elements, ordered=False)), TopKKernel(spec)) == truth(elements, node)


@pytest.mark.parametrize("most", [1, 3])
@given(data=st.data())
def test_many_panes_are_ranked_some_at_a_time(most: int, data: st.DataObject) -> None:
    spans = data.draw(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 8)), max_size=8))
    first = np.array([low for low, _ in spans], np.int64)
    last = np.array([low + more for low, more in spans], np.int64)
    whole = [pair for event, (low, more) in enumerate(spans) for pair in ((event, low + at) for at in range(more + 1))]
    before = top_k._MOST_PAIRS
    try:
        top_k._MOST_PAIRS = most  # type: ignore[misc]
        parts = list(top_k._pairs(first, last))
    finally:
        top_k._MOST_PAIRS = before  # type: ignore[misc]
    assert Counter(pair for part in parts for pair in zip(*map(np.ndarray.tolist, part), strict=True)) == Counter(whole)
    panes = [set(number.tolist()) for _, number in parts]
    assert sum(map(len, panes)) == len(set().union(*panes))
