"""Partials, however events are cut into them and merged, give the windows the results of the reference."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.payload.types import DOUBLE, Type
from streaming.engine.columns.folding import moments
from streaming.engine.columns.folding.fold import Fold
from streaming.engine.columns.folding.results import FOLDED, close
from tests.engine.operators.aggregates.drawing import DOUBLES, VALUES, Scene, expected, fitting, scenes
from tests.engine.operators.aggregates.test_panes import is_same_value
from tests.reference.test_aggregates import over


def merging(of: Type) -> list[str]:
    """Return the functions over values of type `of` that merge."""
    return [function for function in fitting(of) if AGGREGATES[function].partials is not None]


@st.composite
def cut_scenes(draw: st.DrawFn, of: Type) -> tuple[Scene, list[np.ndarray], bool]:
    """Draw a scene of fixed windows, its members in pieces, and true if partials are merged before closing."""
    functions = draw(st.lists(st.sampled_from(merging(of)), min_size=1, max_size=8))
    scene = draw(scenes(functions, of, shared=True))
    piece = np.array([draw(st.integers(0, 2)) for _ in scene.members])
    return scene, [np.flatnonzero(piece == number) for number in range(3)], draw(st.booleans())


@pytest.mark.parametrize("of", VALUES, ids=str)
@given(data=st.data())
def test_windows_of_merged_partials_are_those_of_the_reference(of: Type, data: st.DataObject) -> None:
    scene, pieces, merged = data.draw(cut_scenes(of))
    fold, flows, (first, last) = Fold(scene.spec), scene.flows(), scene.panes()
    partials = [fold.rows(flows.take(piece).rows, first[piece], last[piece]) for piece in pieces]
    table = fold.join([fold.merge(fold.join(partials[:2])), partials[2]]) if merged else fold.join(partials)
    assert table.schema == fold.schema
    found = close(fold, table)
    within = scene.within()
    groups = found.columns[0].to_pylist()
    places = list(zip(found.index.tolist(), groups, strict=True))
    assert sorted(places, key=str) == sorted(within, key=str)
    for aggregate, column in zip(scene.spec.aggregates, found.columns[1:], strict=True):
        for place, value in zip(places, column.to_pylist(), strict=True):
            wanted = expected(scene, aggregate, within[place], place[0])
            assert is_same_value(aggregate, value, wanted), (aggregate.function, place)


@given(st.lists(DOUBLES, min_size=1, max_size=30), st.integers(1, 29), st.integers(1, 29))
@example([1e15 + 1, 1e15 + 2, 1e15 + 2], 1, 2)
@example([1.7e308, -1.7e308], 1, 1)
@example([5e-324, 0.0], 1, 1)
@example([0.1] * 10, 3, 4)
@example([0.0, 1.0332547118346983e-210], 2, 2)
@example([0.0, 1e-200, -1e-200], 3, 3)
def test_deviations_lose_nothing_when_they_are_merged(values: list[float], cut: int, other: int) -> None:
    whole = moments.single(pa.array(values, pa.float64()))
    parts = np.sort([min(cut, len(values)), min(other, len(values))])
    ids = np.searchsorted(parts, np.arange(len(values)), side="right")
    by_parts = moments.merged(whole, ids, 3)
    filled = by_parts.take(np.flatnonzero(by_parts.count))
    once = moments.merged(filled, np.zeros(len(filled.count), np.int64), 1)
    wanted = over("stddev_pop", values, DOUBLE)
    assert math.isclose(once.deviation[0], wanted, rel_tol=1e-9, abs_tol=1e-320)


def test_what_the_definition_says_to_merge_is_what_has_a_folded_kernel() -> None:
    assert {name for name, each in AGGREGATES.items() if each.partials is not None} == set(FOLDED)


def test_a_long_is_exact_in_doubles() -> None:
    column = pa.array([2**63 - 1, -(2**63), 0, -1], pa.int64())
    parts = [[int(value) for value in part] for part in moments.parts_of(column)]
    assert [sum(each) for each in zip(*parts, strict=True)] == column.to_pylist()
