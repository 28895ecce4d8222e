"""One lane over one batch: sent envelopes, late rows, counts, state."""

from streaming.engine.columns.ipc import from_bytes
from streaming.engine.exchange.cti_chunk import ctis_of_chunk
from streaming.engine.exchange.envelopes import LATE_SCHEMA, LaneTurn
from streaming.engine.feed.judging.clock import judge
from streaming.engine.feed.judging.rowwise import judge_rows
from streaming.engine.feed.lane_feed import LaneFeed
from streaming.planning.plan import QueryPlan
from streaming.temporal.clock import LaneClock, LaneClockState
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime, Late
from streaming.temporal.ticks import INFINITY
from streaming.wire.measures import bucket_of
from streaming.wire.rows.arrived import Arrived
from tests.engine.scenes import EVERY_EVENT, chunk, plan


def turn(of: QueryPlan, *chunks: Arrived, state: bytes | None = None, end: bool = False) -> LaneTurn:
    feed = LaneFeed(of, "s", "0", state)
    for each in chunks:
        feed.take(each)
    return feed.finish(end=end)


def test_events_of_one_window_and_group_travel_as_one_partial() -> None:
    sent = turn(plan(), chunk((1, "a", 5), (2, "a", 6), (3, "b", 7)), chunk((4, "a", 8), (11, "a", 1)))
    (partials,) = [from_bytes(each.chunk) for each in sent.envelopes if each.kind == "partials"]
    rows = sorted((row["first"], row["g0"], row["n"], row["s1_0"]) for row in partials.to_pylist())
    assert rows == [(0, "a", 3, 19), (0, "b", 1, 7), (1, "a", 1, 1)]


def test_a_branch_receives_the_ctis_of_its_lane_and_the_largest_time_seen() -> None:
    sent = turn(plan(generate=EVERY_EVENT), chunk((3, "a", 1), (4, "a", 1), (12, "a", 1), (35, "a", 1), (7, "a", 1)))
    (((ctis,), horizon),) = [ctis_of_chunk(each.chunk) for each in sent.envelopes if each.kind == "ctis"]
    assert (ctis.tolist(), horizon) == ([3, 4, 12, 35], 35)
    assert {each.cti for each in sent.envelopes} == {35}


def test_a_late_row_is_listed_whole_with_the_cti_that_it_met() -> None:
    late = turn(plan(), chunk((15, "a", 1), 20, (7, "b", 2), first_position=40)).late
    assert late.schema == LATE_SCHEMA
    assert late.to_pylist() == [
        {
            "input": "s",
            "lane": "0",
            "position": 42,
            "start": 7,
            "end": 8,
            "cti": 20,
            "outcome": "dropped_late",
            "reason": "before_cti",
            "policy": "drop",
            "moved_by": None,
            "raw": "raw (7, 'b', 2)",
            "edge": None,
        }
    ]


def test_a_shifted_row_is_listed_with_how_far_it_moved() -> None:
    (row,) = turn(plan(late=Late.SHIFT), chunk(20, (7, "b", 2))).late.to_pylist()
    assert (row["outcome"], row["start"], row["moved_by"], row["reason"]) == ("shifted", 7, 13, None)


def test_a_kept_row_is_taken_by_an_open_window_and_refused_by_a_closed_one() -> None:
    sent = turn(plan(late=Late.KEEP), chunk(25, (21, "a", 1), (7, "a", 1)))
    assert [row["outcome"] for row in sent.late.to_pylist()] == ["late_kept", "dropped_window_closed"]
    assert sent.counts.reasons == {Reason.WINDOW_CLOSED: 1}


def test_counts_add_up_over_batches() -> None:
    first = turn(plan(), chunk((15, "a", 1), (12, "a", 1), 20, (18, "a", 1)))
    second = turn(plan(), chunk((16, "a", 1), (30, "a", 1)), state=first.state)
    assert second.counts.received == 5
    assert second.counts.outcomes == {Outcome.ON_TIME: 2, Outcome.REORDERED: 1, Outcome.DROPPED_LATE: 2}
    assert second.counts.lateness[:4] == (0, 1, 1, 0)  # 2 and 4 ticks
    assert (second.counts.cti, second.counts.largest_start, second.counts.ended) == (20, 30, False)


def test_a_batch_measures_its_own_rows_alone() -> None:
    first = turn(plan(late=Late.SHIFT), chunk((9_000, "a", 1), 8_000, (7_700, "a", 1)), chunk((5_000, "b", 1)))
    assert first.counts.measures == {
        "behind": {"0": 1, str(bucket_of(1_300)): 1, str(bucket_of(4_000)): 1},
        "largest_behind": 4_000,
        "largest_late": 3_000,
        "moved": {"0": 1, str(bucket_of(3_000)): 1},
        "largest_moved": 3_000,
    }
    second = turn(plan(late=Late.SHIFT), chunk((9_500, "a", 1)), state=first.state)
    assert second.counts.measures == {"behind": {"0": 1}, "largest_behind": 0}


def test_rows_one_by_one_are_measured_like_columns() -> None:
    rows = chunk((9_000, "a", 1), 8_000, (7_700, "a", 1), (10_000, "b", 1), (9_999, "b", 1))
    advance = AdvanceTime(late=Late.SHIFT)
    columns, _ = judge(advance, LaneClockState(), rows.kind, rows.start, rows.end, rows.arrival)
    assert (
        judge_rows(LaneClock(advance), rows, edges=False).behind.tolist() == columns.behind.tolist() == [0, 1_300, 0, 1]
    )


def test_the_end_of_a_lane_is_its_last_cti() -> None:
    ended = turn(plan(), chunk((15, "a", 1)), end=True)
    assert ended.counts.ended
    assert {each.cti for each in ended.envelopes} == {INFINITY}


def test_a_lane_sends_ctis_in_its_first_batch_and_then_only_after_reading() -> None:
    first = turn(plan())
    assert [each.kind for each in first.envelopes] == ["ctis"]
    assert turn(plan(), state=first.state).envelopes == []


def test_the_same_rows_give_the_same_bytes() -> None:
    rows = [chunk((15, "a", 1), (12, "b", 1), (3, "c", 4))]
    assert turn(plan(buckets=2), *rows) == turn(plan(buckets=2), *rows)


def test_a_group_always_goes_to_the_same_bucket() -> None:
    of = plan(buckets=3)
    found: dict[str, set[int]] = {}
    for number in range(4):
        for each in turn(of, chunk(*[(number * 10, f"key {key}", 1) for key in range(20)])).envelopes:
            if each.kind == "partials":
                for row in from_bytes(each.chunk).to_pylist():
                    found.setdefault(row["g0"], set()).add(each.bucket)
    assert {len(buckets) for buckets in found.values()} == {1}
    assert len({bucket for buckets in found.values() for bucket in buckets}) == 3
