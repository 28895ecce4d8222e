"""The feeds of the engine say of whole random histories what the reference says, however they are cut."""

from hypothesis import given
from hypothesis import strategies as st

from tests.engine.feed.histories import History, Log, Reference, histories
from tests.engine.feed.runs import EngineFeeds

CUTS = st.lists(st.integers(1, 7), max_size=4)


def assert_same(seen: Log, expected: Log) -> None:
    assert seen.events == expected.events
    assert seen.late == expected.late
    assert seen.counts == expected.counts
    assert seen.horizons == expected.horizons


@given(histories(), CUTS)
def test_lanes_fed_together_are_judged_as_the_reference_judges_them(history: History, cuts: list[int]) -> None:
    assert_same(EngineFeeds(history, cuts, together=True).run(), Reference(history).run())


@given(histories().filter(lambda history: history.apart), CUTS)
def test_a_lane_fed_alone_is_judged_as_the_reference_judges_it(history: History, cuts: list[int]) -> None:
    assert_same(EngineFeeds(history, cuts, together=False).run(), Reference(history).run())


@given(histories(imports=True), CUTS)
def test_imported_ctis_take_effect_where_the_reference_lets_them(history: History, cuts: list[int]) -> None:
    assert_same(EngineFeeds(history, cuts, together=True).run(), Reference(history).run())
