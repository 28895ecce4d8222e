"""Every aggregate over panes agrees with the reference, for members of one pane and of many."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.payload.types import LONG, Type
from streaming.engine.operators.aggregates import PaneAggregator, PaneRows
from streaming.engine.operators.windows.empties import over_nothing
from streaming.planning.columns import AggregateColumn
from streaming.temporal.ticks import INFINITY
from tests.engine.operators.aggregates.drawing import (
    VALUES,
    Member,
    Scene,
    aggregate_of,
    expected,
    fitting,
    members,
    scenes,
    window_of,
)


def rows_of(scene: Scene, pairs_at_once: int = 70) -> PaneRows:
    """Return the rows of the engine, made in small pieces."""
    return PaneAggregator(scene.spec, pairs_at_once).rows(scene.flows(), *scene.panes(), scene.bounds)


def is_same_value(aggregate: AggregateColumn, found: Any, wanted: Any) -> bool:
    """Return true if `found` is the value of `aggregate`: spreads up to the last digits, all others exactly (T62)."""
    if isinstance(found, float) and isinstance(wanted, float) and AGGREGATES[aggregate.function].last_digits_vary:
        return math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-300)
    return type(found) is type(wanted) and bool(found == wanted)


def compare(scene: Scene, rows: PaneRows) -> None:
    """Compare all columns but `extent` with the reference and the members."""
    within = scene.within()
    groups = rows.columns[0].to_pylist()
    numbers = rows.number.tolist()
    assert numbers == sorted(numbers)
    assert sorted(zip(numbers, groups, strict=True), key=str) == sorted(within, key=str)
    values = [column.to_pylist() for column in rows.columns[1:]]
    for row, key in enumerate(zip(numbers, groups, strict=True)):
        assert rows.count[row] == len(within[key])
        assert rows.stamp[row] == max(each.start for each in within[key]) + 1
        for aggregate, column in zip(scene.spec.aggregates, values, strict=True):
            wanted = expected(scene, aggregate, within[key], key[0])
            assert is_same_value(aggregate, column[row], wanted), (aggregate.function, key)


@pytest.mark.parametrize("of", VALUES, ids=str)
@given(data=st.data())
def test_every_aggregate_is_that_of_the_reference(of: Type, data: st.DataObject) -> None:
    functions = data.draw(st.lists(st.sampled_from(fitting(of)), min_size=1, max_size=12))
    scene = data.draw(scenes(functions, of))
    compare(scene, rows_of(scene))


@given(data=st.data())
def test_panes_taken_a_few_at_a_time_give_the_same(data: st.DataObject) -> None:
    scene = data.draw(scenes(sorted(AGGREGATES), LONG))
    rows = rows_of(scene, 7)
    kinds = [column.type for column in rows.columns]
    whole = PaneAggregator(scene.spec).rows(scene.flows(), *scene.panes(), scene.bounds)
    assert kinds == [column.type for column in whole.columns]
    assert [column.to_pylist() for column in rows.columns] == [column.to_pylist() for column in whole.columns]


@given(data=st.data())
def test_the_order_of_the_members_makes_no_difference(data: st.DataObject) -> None:
    scene = data.draw(scenes(sorted(AGGREGATES), LONG))
    other = replace(scene, members=tuple(data.draw(st.permutations(scene.members))))
    assert by_pane(scene) == by_pane(other)
    compare(other, rows_of(other))


def by_pane(scene: Scene) -> dict[tuple[int, str | None], int]:
    """Return the extent of each pane."""
    rows = rows_of(scene)
    return dict(
        zip(zip(rows.number.tolist(), rows.columns[0].to_pylist(), strict=True), rows.extent.tolist(), strict=True)
    )


def lifetimes(scene: Scene) -> dict[tuple[int, str | None], list[tuple[str, int, int]]]:
    """Return the members of each pane with their lifetimes clipped to it."""
    found = {}
    for (number, group), within in scene.within().items():
        start, end = (int(bound[0]) for bound in scene.bounds(np.array([number])))
        clipped = [(str(each.id), max(each.start, start), min(each.end, end)) for each in within]
        found[number, group] = sorted(clipped)
    return found


@given(data=st.data())
def test_an_extent_changes_exactly_when_members_or_clipped_lifetimes_do(data: st.DataObject) -> None:
    scene = data.draw(scenes(["count"], LONG))
    if data.draw(st.booleans()):
        scene = replace(scene, members=tuple(replace(each, id=None) for each in scene.members))
    kept = [each for each in scene.members if data.draw(st.integers(0, 3)) < 3] or [scene.members[0]]
    more = data.draw(members(LONG, scene.size, scene.hop))
    moved = [
        replace(each, end=max(each.end + data.draw(st.integers(-4, 4)), each.start + 1)) if each.end < 10**6 else each
        for each in kept
    ]
    added = [replace(each, id=f"more{place}") for place, each in enumerate(more[: data.draw(st.integers(0, 2))])]
    other = replace(scene, members=(*moved, *added))
    one, two, lives, others = by_pane(scene), by_pane(other), lifetimes(scene), lifetimes(other)
    for pane in one.keys() & two.keys():
        assert (one[pane] == two[pane]) == (lives[pane] == others[pane])


def test_lifetimes_that_are_exchanged_change_the_extent() -> None:
    aggregates = [aggregate_of("count", LONG, None, 1, "1")]
    spec = window_of(aggregates, shared=True, size=10, hop=10)
    crossed = [Member("a", 1, 1, 0, 5, 0, 0), Member("a", 1, 1, 1, 3, 0, 0)]
    nested = [Member("a", 1, 1, 0, 3, 0, 0), Member("a", 1, 1, 1, 5, 0, 0)]
    assert by_pane(Scene(spec, tuple(crossed), 10, 10, True)) != by_pane(Scene(spec, tuple(nested), 10, 10, True))


def test_an_edge_in_a_later_pane_changes_no_extent() -> None:
    aggregates = [aggregate_of("count", LONG, None, 1, "1")]
    spec = window_of(aggregates, shared=True, size=10, hop=10)
    point, edge = Member("a", 1, 1, 5, 6, 0, 0), Member("a", 1, 1, 15, INFINITY, 1, 1, "edge")
    alone, beside = (by_pane(Scene(spec, members, 10, 10, True)) for members in ((point,), (point, edge)))
    assert beside[0, "a"] == alone[0, "a"]


@pytest.mark.parametrize("function", sorted(AGGREGATES))
def test_an_empty_pane_has_what_the_reference_has_over_no_members(function: str) -> None:
    aggregate = aggregate_of(function, LONG, None, 2, "0.5")
    spec = window_of([aggregate], shared=True, size=10, hop=10)
    wanted = expected(Scene(spec, (), 10, 10, True), aggregate, [], 0)
    assert over_nothing(aggregate, 2).to_pylist() == [wanted, wanted]


def test_no_members_give_no_rows_with_the_columns_of_the_window() -> None:
    aggregates = [aggregate_of(function, LONG, None, 2, "0.5", function) for function in sorted(AGGREGATES)]
    spec = window_of(aggregates, shared=True, size=10, hop=10)
    one = Scene(spec, (Member("a", 1, 1, 0, 5, 0, 0),), 10, 10, True)
    none = np.empty(0, np.int64)
    nothing = PaneAggregator(spec).rows(one.flows().take(none), none, none, one.bounds)
    assert [column.type for column in nothing.columns] == [column.type for column in rows_of(one).columns]
    assert not len(nothing.number)


def test_members_of_many_panes_cost_no_pairs_where_functions_merge() -> None:
    aggregates = [aggregate_of(each, LONG, None, 1, "1", each) for each in ("count", "sum", "stddev", "last", "min")]
    spec = window_of(aggregates, shared=True, size=10**9, hop=1)
    members_ = tuple(Member("a", place, 1, place, 10**9, place - 10**12, place) for place in range(3))
    wide = Scene(spec, tuple(replace(each, first=0, last=10**5) for each in members_), 10**9, 1, True)
    rows = PaneAggregator(spec, pairs_at_once=1).rows(wide.flows(), *wide.panes(), wide.bounds)
    assert rows.count.tolist() == [3] * (10**5 + 1)
    assert rows.columns[2].to_pylist() == [3] * (10**5 + 1)
