"""The rule for idle lanes: T16."""

import pytest

from streaming.temporal.idleness import Silence
from streaming.temporal.ticks import Tick, Ticks

LANES = ("a", "b")


def silence(idle_after: int | None = 100) -> Silence:
    return Silence(None if idle_after is None else Ticks(idle_after))


def idle_at(rule: Silence, now: int) -> set[object]:
    rule.beat(Tick(now), LANES)
    return set(rule.idle)


def test_the_rule_fires_at_idle_after_and_not_one_tick_before() -> None:
    rule = silence()
    rule.hear("a", Tick(1000))
    rule.hear("b", Tick(1001))
    assert idle_at(rule, 1099) == set()
    assert idle_at(rule, 1100) == {"a"}
    assert idle_at(rule, 1101) == {"a", "b"}


def test_a_lane_without_an_element_is_silent_since_the_first_heartbeat() -> None:
    rule = silence()
    assert idle_at(rule, 1000) == set()
    assert idle_at(rule, 1100) == {"a", "b"}


def test_an_element_without_an_arrival_came_at_the_last_heartbeat() -> None:
    rule = silence()
    idle_at(rule, 1000)
    idle_at(rule, 1050)
    rule.hear("a", None)
    assert idle_at(rule, 1149) == {"b"}
    assert idle_at(rule, 1150) == {"a", "b"}


def test_an_element_before_any_wall_clock_counts_as_arrived_at_the_first_heartbeat() -> None:
    rule = silence()
    assert not rule.hear("a", None)
    assert idle_at(rule, 1000) == set()
    assert idle_at(rule, 1100) == {"a", "b"}


def test_an_element_of_an_idle_lane_reports_its_return() -> None:
    rule = silence()
    idle_at(rule, 1000)
    idle_at(rule, 1100)
    assert [rule.hear("a", Tick(1100)) for _ in range(2)] == [True, False]
    assert rule.idle == {"b"}


def test_a_wall_clock_that_steps_back_is_ignored() -> None:
    rule = silence()
    idle_at(rule, 1000)
    rule.hear("a", Tick(1000))
    assert idle_at(rule, 500) == set()
    rule.hear("b", None)  # at 1000, not at 500
    assert idle_at(rule, 1099) == set()


def test_a_lane_first_seen_after_a_step_back_was_seen_at_the_highest_wall_clock() -> None:
    rule = silence()
    idle_at(rule, 1000)
    idle_at(rule, 500)
    rule.hear("c", None)
    rule.beat(Tick(1099), ["c"])
    assert rule.idle == set()
    rule.beat(Tick(1100), ["c"])
    assert rule.idle == {"c"}


def test_an_arrival_that_is_earlier_than_the_last_changes_nothing() -> None:
    rule = silence()
    rule.hear("a", Tick(1000))
    rule.hear("a", Tick(900))
    rule.hear("b", Tick(1000))
    assert idle_at(rule, 1050) == set()


def test_without_idle_after_no_lane_is_ever_idle() -> None:
    rule = silence(None)
    idle_at(rule, 0)
    assert idle_at(rule, 10**15) == set()


@pytest.mark.parametrize("restored_after", [0, 1, 2, 3])
def test_a_restored_rule_continues(restored_after: int) -> None:
    rule = silence()
    found = []
    for step, now in enumerate((1000, 1060, 1140, 1200)):
        found.append((rule.hear("a", Tick(now)) if step == 1 else None, idle_at(rule, now)))
        if step == restored_after:
            rule = Silence.restored(Ticks(100), rule.now, rule.heard_at, rule.idle)
    assert found == [(None, set()), (False, set()), (None, {"b"}), (None, {"a", "b"})]
