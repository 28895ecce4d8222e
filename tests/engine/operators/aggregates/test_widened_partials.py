"""Partials of widened windows: existing aggregates stay complete, new ones know only later rows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.definition.payload.types import Type
from streaming.engine.columns.folding.fold import Fold
from streaming.engine.columns.folding.results import close
from streaming.engine.columns.folding.widening import refolded, widened
from tests.engine.operators.aggregates.drawing import VALUES, Scene, expected, scenes
from tests.engine.operators.aggregates.test_panes import is_same_value
from tests.engine.operators.aggregates.test_partials import merging


@st.composite
def widenings(draw: st.DrawFn, of: Type) -> tuple[Scene, list[int], frozenset[str]]:
    """Draw a scene of fixed windows, the number of later members, and the aggregates that were added before them."""
    functions = draw(st.lists(st.sampled_from(merging(of)), min_size=1, max_size=6))
    scene = draw(scenes(functions, of, shared=True))
    later = [number for number in range(len(scene.members)) if draw(st.booleans())]
    names = [each.name for each in scene.spec.aggregates]
    return scene, later, frozenset(draw(st.sets(st.sampled_from(names))))


@pytest.mark.parametrize("of", VALUES, ids=str)
@settings(max_examples=max(10, settings.default.max_examples // 4))
@given(data=st.data())
def test_new_aggregates_start_empty_next_to_those_of_the_same_values(of: Type, data: st.DataObject) -> None:
    scene, later, added = data.draw(widenings(of))
    spec = scene.spec
    kept = tuple(each for each in spec.aggregates if each.name not in added)
    old, new, apart = Fold(replace(spec, aggregates=kept)), Fold(spec), Fold(spec, added)
    flows, (first, last) = scene.flows(), scene.panes()
    after = np.array(later, np.int64)
    before = np.setdiff1d(np.arange(len(scene.members)), after)
    left, came = (
        fold.rows(flows.take(rows).rows, first[rows], last[rows]) for fold, rows in ((old, before), (new, after))
    )
    found = close(apart, apart.join([widened(left, old, apart), refolded(came, new, apart)]))
    within, came_after = scene.within(), {scene.members[number].id for number in later}
    groups = found.columns[0].to_pylist()
    places = list(zip(found.index.tolist(), groups, strict=True))
    assert sorted(places, key=str) == sorted(within, key=str), "a window is there though all in it came before"
    for aggregate, column in zip(spec.aggregates, found.columns[1:], strict=True):
        for place, value in zip(places, column.to_pylist(), strict=True):
            members = [each for each in within[place] if aggregate.name not in added or each.id in came_after]
            wanted = expected(scene, aggregate, members, place[0])
            assert is_same_value(aggregate, value, wanted), (aggregate.function, place)
    assert refolded(refolded(came, new, apart), apart, new) == came, "of later windows both say the same"
