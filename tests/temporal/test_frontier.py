"""The CTI of an input is the minimum over its lanes (T14)."""

from hypothesis import given
from hypothesis import strategies as st

from streaming.temporal.frontier import Frontier
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick


def test_listed_lanes_hold_the_frontier_until_each_has_a_cti() -> None:
    frontier = Frontier(["a", "b"])
    assert not frontier.advance("a", Tick(10))
    assert frontier.at == NO_CTI
    assert frontier.advance("b", Tick(5))
    assert frontier.at == 5


def test_the_frontier_is_the_smallest_cti_of_its_lanes() -> None:
    frontier = Frontier(["a", "b"])
    for lane, cti in (("a", 10), ("b", 5), ("b", 30)):
        frontier.advance(lane, Tick(cti))
    assert frontier.at == 10


def test_without_listed_lanes_there_is_no_cti_until_one_is_seen() -> None:
    frontier = Frontier()
    assert frontier.at == NO_CTI
    assert frontier.advance("a", Tick(3))
    assert frontier.at == 3


def test_a_lane_first_seen_later_starts_at_the_frontier() -> None:
    frontier = Frontier(["a"])
    frontier.advance("a", Tick(10))
    assert frontier.join("b") == 10
    assert not frontier.advance("b", Tick(4))  # its own CTI is 10 already
    assert frontier.lanes == {"a": 10, "b": 10}
    assert not frontier.advance("a", Tick(20))  # now b holds
    assert frontier.at == 10


def test_the_input_ends_when_all_its_lanes_have_ended() -> None:
    frontier = Frontier(["a", "b"])
    assert not frontier.advance("a", INFINITY)
    assert frontier.advance("b", INFINITY)
    assert frontier.at == INFINITY


def test_a_lane_never_goes_back() -> None:
    frontier = Frontier(["a"])
    frontier.advance("a", Tick(10))
    assert not frontier.advance("a", Tick(3))
    assert frontier.lanes == {"a": 10}


steps = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(-50, 50)))


@given(steps)
def test_the_frontier_never_goes_back_and_is_never_above_a_lane(moves: list[tuple[str, int]]) -> None:
    frontier = Frontier(["a", "b"])
    for lane, cti in moves:
        before = frontier.at
        assert frontier.advance(lane, Tick(cti)) == (frontier.at > before)
        assert before <= frontier.at <= min(frontier.lanes.values())


@given(steps)
def test_a_restored_frontier_continues_like_the_first(moves: list[tuple[str, int]]) -> None:
    one, other = Frontier(["a", "b"]), Frontier(["a", "b"])
    for lane, cti in moves:
        other = Frontier.restored(other.lanes, other.at)
        assert one.advance(lane, Tick(cti)) == other.advance(lane, Tick(cti))
        assert (one.at, one.lanes) == (other.at, other.lanes)


# T16: idle lanes are left out


def test_the_frontier_is_the_smallest_cti_of_the_lanes_that_are_not_left_out() -> None:
    frontier = Frontier(["a", "b"])
    frontier.advance("a", Tick(20))
    assert frontier.leave_out(["b"])
    assert frontier.at == 20


def test_a_lane_that_counts_again_holds_the_frontier_where_it_is() -> None:
    frontier = Frontier(["a", "b"])
    frontier.leave_out(["b"])
    frontier.advance("a", Tick(20))
    assert not frontier.leave_out([])
    assert not frontier.advance("a", Tick(30))
    assert frontier.at == 20


def test_with_all_lanes_left_out_the_frontier_does_not_move() -> None:
    frontier = Frontier(["a", "b"])
    frontier.advance("a", Tick(20))
    assert not frontier.leave_out(["a", "b"])
    assert frontier.at == NO_CTI


def test_an_ended_lane_does_not_end_an_input_whose_other_lanes_are_left_out() -> None:
    frontier = Frontier(["a", "b"])
    frontier.advance("b", Tick(5))
    frontier.leave_out(["b"])
    frontier.advance("a", INFINITY)
    assert frontier.at == NO_CTI
    frontier.advance("b", INFINITY)
    assert frontier.at == INFINITY
