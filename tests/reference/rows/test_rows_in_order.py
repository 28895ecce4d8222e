"""Order of rows (T27), the rows that are known, and late rows (T36)."""

from itertools import permutations
from typing import Any

import pytest

from streaming.definition.payload.types import LONG, STRING, Fields
from streaming.definition.rows import row_fields
from streaming.planning.checked import expression
from streaming.planning.columns import RowOrderBy
from streaming.reference.flow import ElementId, Flow
from streaming.reference.rows_in_order import RowsInOrder
from streaming.reference.trace import Trace
from streaming.temporal.ticks import INFINITY, Tick, Ticks

FIELDS: Fields = {"k": STRING, "v": LONG}


def flow(start: int, k: str | None, v: int | None, *, end: int | None = None, late_at: int | None = None) -> Flow:
    identity = ElementId("s", "a", start)
    at = Tick(start)
    stop = Tick(start + 1 if end is None else end)
    late = None if late_at is None else Tick(late_at)
    return Flow(identity, at, stop, {"k": k, "v": v}, frozenset((identity,)), at, late_at=late)


def ordered(flows: list[Flow], *by: tuple[str, bool]) -> list[dict[str, Any]]:
    visible = row_fields(FIELDS)
    order_by = [RowOrderBy(expression(of, visible), LONG, descending) for of, descending in by]
    rows = RowsInOrder("n", (), tuple(FIELDS), order_by)
    for each in flows:
        rows.take(each, Trace({"n": frozenset()}))
    rows.advance(INFINITY)
    return [dict(row.flow.payload) | {"s": row.start} for row in rows.known_rows(())]


def test_rows_are_in_order_of_start_then_of_payload_with_nulls_first() -> None:
    rows = [flow(1, "b", 9), flow(2, None, 1), flow(2, "a", None), flow(2, "a", 0), flow(2, "b", -1)]
    expected = [dict(each.payload) | {"s": each.start} for each in rows]
    for arrived in permutations(rows):
        assert ordered(list(arrived)) == expected


@pytest.mark.parametrize(
    ("descending", "values"), [(False, [None, 1, 2]), (True, [2, 1, None])], ids=["rising", "falling"]
)
def test_order_by_precedes_the_payload(descending: bool, values: list[int | None]) -> None:
    rows = [flow(5, "c", 1), flow(5, "b", None), flow(5, "a", 2)]
    assert [row["v"] for row in ordered(rows, ("v", descending))] == values


def test_order_by_may_read_the_start() -> None:
    rows = [flow(5, "a", 1), flow(5, "b", 1)]
    assert [row["k"] for row in ordered(rows, ("unix_micros(_start) + v", True))] == ["a", "b"]


def test_a_row_is_known_once_the_cti_less_the_grace_is_after_its_start() -> None:
    rows = RowsInOrder("n", ("k",), tuple(FIELDS), grace=Ticks(3))
    rows.take(flow(10, "a", 1), Trace({}))
    rows.advance(Tick(13))
    assert rows.known_rows(("a",)) == []
    rows.advance(Tick(14))
    assert [row.start for row in rows.known_rows(("a",))] == [10]
    assert rows.known_rows(("b",)) == []


@pytest.mark.parametrize(("late_at", "taken"), [(13, True), (14, False)])
def test_a_late_row_is_taken_if_it_starts_at_its_lanes_cti_less_the_grace(late_at: int, taken: bool) -> None:
    rows, trace = RowsInOrder("n", (), tuple(FIELDS), grace=Ticks(3)), Trace({"n": frozenset()})
    assert (rows.take(flow(10, "a", 1, late_at=late_at), trace) is not None) is taken
    removals = trace.removals(ElementId("s", "a", 10))
    assert [each.closed_at for each in removals] == ([] if taken else [14])
