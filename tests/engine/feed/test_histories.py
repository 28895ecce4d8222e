"""The feeds of the engine agree with the reference on whole random histories, however they are cut."""

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from streaming.engine.state import texts_by_key as entries
from tests.engine.feed.histories import History, Log, Reference, histories
from tests.engine.feed.runs import EngineFeeds

CUTS = st.lists(st.integers(1, 7), max_size=4)
FEW = st.sampled_from((0, 0, 2, entries.FEW))
"""With more keys or open edges a batch writes its changes, not all of them."""


def assert_same(seen: Log, expected: Log) -> None:
    assert seen.events == expected.events
    assert seen.late == expected.late
    assert seen.counts == expected.counts
    assert seen.horizons == expected.horizons


@given(histories(), CUTS, FEW)
def test_lanes_fed_together_are_judged_as_the_reference_judges_them(
    history: History, cuts: list[int], few: int
) -> None:
    with patch.object(entries, "FEW", few):
        seen = EngineFeeds(history, cuts, together=True).run()
    assert_same(seen, Reference(history).run())


@given(histories().filter(lambda history: history.apart), CUTS, FEW)
def test_a_lane_fed_alone_is_judged_as_the_reference_judges_it(history: History, cuts: list[int], few: int) -> None:
    with patch.object(entries, "FEW", few):
        seen = EngineFeeds(history, cuts, together=False).run()
    assert_same(seen, Reference(history).run())


@given(histories(imports=True), CUTS, FEW)
def test_imported_ctis_take_effect_where_the_reference_lets_them(history: History, cuts: list[int], few: int) -> None:
    with patch.object(entries, "FEW", few):
        seen = EngineFeeds(history, cuts, together=True).run()
    assert_same(seen, Reference(history).run())
