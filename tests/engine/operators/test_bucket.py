"""One bucket over batches: the timing of releases, and the number of state calls."""

from collections.abc import Iterator
from typing import Any

import pytest

from streaming.engine.columns.ipc import from_bytes
from streaming.engine.exchange.cti_chunk import ctis_of_chunk
from streaming.engine.exchange.envelopes import Envelope, OperatorOutput
from streaming.engine.exchange.net_rows import records
from streaming.engine.executor import EngineRun
from streaming.engine.feed.lane_feed import LaneFeed
from streaming.engine.operators.bucket import BucketOperators
from streaming.engine.state.segments import MOST_SEGMENTS
from streaming.engine.state.state_store import DictState
from streaming.planning.plan import QueryPlan
from streaming.wire.execution.case import EndMode
from streaming.wire.rows.arrived import Arrived
from tests.engine.scenes import INFINITY, chunk, plan


class CountingState(DictState):
    """State that counts its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def get(self, key: str) -> bytes | None:
        self.calls += 1
        return super().get(key)

    def put(self, key: str, value: bytes) -> None:
        self.calls += 1
        super().put(key, value)

    def delete(self, key: str) -> None:
        self.calls += 1
        super().delete(key)

    def keys(self) -> Iterator[str]:
        raise AssertionError("a turn lists no keys")


class Lane:
    """Feeds batches of one lane to one bucket."""

    def __init__(self, of: QueryPlan, state: DictState) -> None:
        self.plan, self.state = of, state
        self.fed: bytes | None = None
        self.batch = 0

    def envelopes(self, *chunks: Arrived) -> list[Envelope]:
        feed = LaneFeed(self.plan, "s", "0", self.fed)
        for each in chunks:
            feed.take(each)
        turn = feed.finish(end=False)
        self.fed = turn.state
        return turn.envelopes

    def take(self, *chunks: Arrived) -> list[OperatorOutput]:
        self.batch += 1
        return BucketOperators(self.plan, 0, self.state).turn(self.batch, self.envelopes(*chunks))


def rows_of(outputs: list[OperatorOutput]) -> list[tuple[int, int, dict[str, Any]]]:
    return [row for output in outputs if output.kind == "rows" for row in records(from_bytes(output.chunk))]


def ctis_of(outputs: list[OperatorOutput]) -> list[int]:
    return [cti for output in outputs if output.kind == "ctis" for cti in ctis_of_chunk(output.chunk)[0][0]]


def test_a_window_is_released_in_the_turn_of_the_cti_that_closes_it() -> None:
    lane = Lane(plan(), DictState())
    assert rows_of(lane.take(chunk((3, "a", 5), 9))) == []
    outputs = lane.take(chunk((9, "a", 2), 10))
    assert rows_of(outputs) == [(0, 10, {"k": "a", "n": 2, "total": 7})]
    assert ctis_of(outputs) == [10]


def test_a_sum_that_leaves_64_bits_is_null_and_comes_back_when_it_returns() -> None:
    lane = Lane(plan({"kind": "hopping", "size": 20, "hop": 10}), DictState())
    big = 2**63 - 1
    outputs = lane.take(chunk((3, "a", big)), chunk((13, "a", 1)), chunk((23, "a", -5), 60))
    assert [(start, row["total"]) for start, _, row in rows_of(outputs)] == [(-10, big), (0, None), (10, -4), (20, -5)]


def test_a_small_binding_costs_two_state_calls_a_turn() -> None:
    state = CountingState()
    lane = Lane(plan(), state)
    for batch in range(5):
        state.calls = 0
        lane.take(chunk((batch * 10 + 1, "a", 5), batch * 10))
        assert state.calls == 2


def test_closing_one_window_reads_a_part_of_the_later_rows() -> None:
    state = CountingState()
    lane = Lane(plan(), state)
    ahead = [(window * 10, f"key {key}", 1) for window in range(64) for key in range(300)]
    lane.take(chunk(0), chunk(*ahead))
    before = {key: len(value) for key, value in state.snapshot().items()}
    state.calls = 0
    assert len(rows_of(lane.take(chunk(10)))) == 300
    untouched = [key for key in before if key in state.snapshot() and key != "head"]
    assert sum(before[key] for key in untouched) > 0.9 * sum(before.values())
    assert state.calls <= 5


def test_many_small_batches_do_not_leave_many_pieces() -> None:
    state = DictState()
    lane = Lane(plan({"kind": "tumbling", "size": 1_000_000}), state)
    for batch in range(3 * MOST_SEGMENTS):
        lane.take(chunk((batch, "a", 1)))
    assert len(state.snapshot()["head"]) < 150_000
    assert rows_of(lane.take(chunk(INFINITY))) == [
        (0, 1_000_000, {"k": "a", "n": 3 * MOST_SEGMENTS, "total": 3 * MOST_SEGMENTS})
    ]


def test_the_same_turn_on_the_same_state_gives_the_same_bytes() -> None:
    state = DictState()
    lane = Lane(plan({"kind": "hopping", "size": 30, "hop": 10}), state)
    lane.take(chunk((3, "a", 5), (14, "b", 1), 12))
    envelopes = lane.envelopes(chunk((25, "a", 5), (14, "c", 1), 40))
    again = DictState.restore(state.snapshot())
    assert BucketOperators(lane.plan, 0, state).turn(2, envelopes) == BucketOperators(lane.plan, 0, again).turn(
        2, envelopes[::-1]
    )
    assert state.snapshot() == again.snapshot()


def test_an_envelope_of_another_bucket_is_refused() -> None:
    lane = Lane(plan(), DictState())
    with pytest.raises(ValueError, match="bucket 0 came to bucket 1"):
        BucketOperators(lane.plan, 1, lane.state).turn(0, lane.envelopes(chunk((3, "a", 5))))


def test_a_lane_without_a_cti_delays_its_input() -> None:
    run = EngineRun(plan(), {"s": ["a", "b"]})
    held = run.batch({("s", "a"): [chunk((3, "x", 1), 50)]})
    assert held.rows == {}
    assert held.ctis == {}
    freed = run.batch({("s", "b"): [chunk((4, "x", 1), 15)]})
    assert [row for table in freed.rows["out"] for row in records(table)] == [(0, 10, {"k": "x", "n": 2, "total": 2})]
    assert freed.ctis == {"out": [10]}


def test_a_flush_releases_what_is_open_and_no_cti_on_the_way() -> None:
    run = EngineRun(plan(), {"s": ["a", "b"]})
    run.batch({("s", "a"): [chunk((3, "x", 1), 50)]})
    ended = run.end(EndMode.FLUSH)
    assert [row for table in ended.rows["out"] for row in records(table)] == [(0, 10, {"k": "x", "n": 1, "total": 1})]
    assert ended.ctis == {"out": []}


@pytest.mark.parametrize("rows_per_batch", [1, 3])
def test_a_run_continues_seamlessly_from_a_snapshot(rows_per_batch: int) -> None:
    of = plan({"kind": "hopping", "size": 30, "hop": 7})
    rows = [(at * 5, "ab"[at % 2], at) for at in range(12)]
    undisturbed, killed = EngineRun(of), EngineRun(of)
    for first in range(0, len(rows), rows_per_batch):
        batch = {("s", "0"): [chunk(*rows[first : first + rows_per_batch], rows[first][0])]}
        killed = EngineRun.restored(of, killed.snapshot())
        assert killed.batch(batch) == undisturbed.batch(batch)
    assert killed.end(EndMode.FLUSH) == undisturbed.end(EndMode.FLUSH)
