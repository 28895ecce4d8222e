"""Deliveries from a growing log that is merged during delivery, to a target that fails at every step."""

import random
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.adapters import committed
from streaming.delivery import delivery
from streaming.delivery.delivery import Delivery, DeliverySource
from streaming.spark.sink import compaction
from streaming.storage.blobs import LocalFolder
from streaming.storage.results import committed_spans
from streaming.storage.stored import remove
from streaming.wire.deliveries import DeliveryTarget, kept_from, read_mark
from tests.delivery.targets import TARGET, Shelf, ShelfAdapter, commit

S = 1_000_000


class Bench:
    """A delivery to a shelf, with a clock of its own."""

    def __init__(self, folder: Path, target: DeliveryTarget = TARGET) -> None:
        self.folder, self.target = folder, target
        self.shelf, self.now = Shelf(), 0
        self.begin()

    def begin(self) -> None:
        """Start another process, which knows only the disk and the shelf."""
        source = DeliverySource("b", self.folder)
        adapter = lambda _columns: ShelfAdapter(self.shelf)  # noqa: E731
        self.delivery = Delivery(source, self.target, adapter, lambda: self.now, random.Random(1))

    def settle(self) -> None:
        """Step until no work is left, and move the clock forward to every next attempt."""
        for _ in range(1_000):
            wait_s = self.delivery.step()
            if wait_s == inf or (wait_s and self.delivery.observed.state == "current"):
                return
            self.now += int(wait_s * S) + 1
        raise AssertionError("it never settles")


def merge(folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, small in (("NEWEST_LEFT", 1), ("MERGED_AT_ONCE", 3), ("FEWEST_MERGED", 2), ("READ_FOR_S", 0.0)):
            patch.setattr(compaction, name, small)
        for _ in range(3):
            compaction.compact(LocalFolder(folder), now_s=4e9)


BATCHES = st.tuples(st.just("batch"), st.integers(1, 3), st.lists(st.integers(0, 3), min_size=0, max_size=3))
FAULTS = st.tuples(st.just("fault"), st.sampled_from(["asked", "before", "after", "bug", "none"]), st.none())
OTHERS = st.tuples(st.sampled_from(["step", "merge", "kill", "wait"]), st.none(), st.none())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(BATCHES, FAULTS, OTHERS), max_size=25), st.integers(1, 4))
def test_every_row_arrives_once_and_in_order_whatever_fails_and_when(events: list[tuple], piece_rows: int) -> None:  # type: ignore[type-arg]
    with TemporaryDirectory() as made, pytest.MonkeyPatch.context() as patch:
        patch.setattr(delivery, "PIECE_ROWS", piece_rows)
        bench, number, written = Bench(Path(made)), 0, 0
        for name, first, sizes in events:
            if name == "batch":
                number += first
                ends = [written + sum(sizes[: i + 1]) for i in range(len(sizes))]
                tasks = [list(range(end - size, end)) for end, size in zip(ends, sizes, strict=True)]
                written += sum(sizes)
                commit(bench.folder, number, tasks, cti=number * 10)
            elif name == "fault":
                bench.shelf.faults.append(first)
            elif name == "merge" and (bench.folder / "commits").is_dir():
                merge(bench.folder)
            elif name == "kill":
                bench.begin()
            elif name == "wait":
                bench.now += 400 * S
            bench.delivery.step()
            assert bench.shelf.rows == list(range(len(bench.shelf.rows))), "a row was lost, repeated or out of order"
            mark = read_mark(bench.folder, "one")
            assert mark is None or mark.delivered is None or mark.lost_rows == 0
        bench.shelf.faults.clear()
        bench.settle()
        assert bench.shelf.rows == list(range(written))
        assert bench.shelf.ctis == sorted(bench.shelf.ctis), "a CTI went back"
        seen = bench.delivery.observed
        assert (seen.state, seen.waiting_rows, seen.message, seen.outstanding) == ("current", 0, None, False)


def test_a_failing_target_is_retried_with_growing_pauses_up_to_five_minutes(tmp_path: Path) -> None:
    commit(tmp_path, 1, [[0]])
    bench = Bench(tmp_path)
    bench.shelf.faults = ["asked"] * 12
    waits = []
    for _ in range(12):
        waits.append(bench.delivery.step())
        assert bench.delivery.step() == pytest.approx(waits[-1], abs=1e-5), "it was retried too early"
        bench.now += int(waits[-1] * S) + 1
    assert all(2.0**n / 2 <= wait <= 2.0**n for n, wait in enumerate(waits[:8]))
    assert all(150 <= wait <= 300 for wait in waits[9:])
    seen = bench.delivery.observed
    assert (seen.state, seen.domain, seen.message, seen.waiting_rows) == ("retrying", "external", "It broke: asked.", 1)
    assert seen.outstanding
    bench.settle()
    assert bench.shelf.rows == [0]
    assert bench.shelf.opened == 1, "each adapter but the last was closed"


def test_a_user_error_stops_a_delivery_until_the_settings_change(tmp_path: Path) -> None:
    commit(tmp_path, 1, [[0, 1]])
    bench = Bench(tmp_path)
    bench.shelf.faults = ["user"]
    assert bench.delivery.step() == inf
    bench.now += 10_000 * S
    assert bench.delivery.step() == inf
    seen = bench.delivery.observed
    assert (seen.state, seen.message, seen.waiting_rows) == ("stopped", "The password is wrong. Give another one.", 2)
    assert not seen.outstanding
    bench.begin()
    bench.settle()
    assert bench.shelf.rows == [0, 1]


def test_progress_has_the_time_of_the_last_batch_and_since_when_rows_wait(tmp_path: Path) -> None:
    commit(tmp_path, 3, [[0]], cti=30)
    commit(tmp_path, 4, [[1], [2]], cti=40)
    commit(tmp_path, 6, [[3]], cti=60)
    bench = Bench(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delivery, "PIECE_ROWS", 1)
        bench.delivery.step()
    seen = bench.delivery.observed
    assert (seen.delivered, seen.delivered_at, seen.cti) == (3, 3 * S, 30)
    assert (seen.state, seen.waiting_rows, seen.waiting_since) == ("behind", 3, 4 * S)


def test_only_rows_of_its_own_output_are_delivered(tmp_path: Path) -> None:
    commit(tmp_path, 1, [[0, 1]])
    commit(tmp_path, 2, [[7, 8, 9]], node="other")
    commit(tmp_path, 3, [[2]])
    bench = Bench(tmp_path)
    bench.shelf.faults = ["asked"]
    bench.delivery.step()
    assert (bench.delivery.observed.waiting_rows, bench.delivery.observed.waiting_exact) == (3, True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(committed, "MOST_BYTES_COUNTED", 0)
        bench.begin()
        bench.shelf.faults = ["asked"]
        bench.delivery.step()
    assert (bench.delivery.observed.waiting_rows, bench.delivery.observed.waiting_exact) == (6, False)
    bench.now += 10 * S
    bench.settle()
    assert bench.shelf.rows == [0, 1, 2]


def test_a_quiet_binding_writes_nothing_and_the_end_of_an_output_is_reported(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    for number in range(1, 30):
        commit(tmp_path, number, [], cti=5)
    bench.settle()
    assert bench.shelf.calls == 1
    assert bench.shelf.ctis == [5]
    ended = commit(tmp_path, 30, [])
    ended.totals["output_ctis"] = {"out": None}
    (tmp_path / "commits" / "30.json").write_text(ended.model_dump_json())
    bench.settle()
    assert bench.delivery.observed.ended


def test_retention_keeps_undelivered_rows(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    for number in range(1, 6):
        commit(tmp_path, number, [[number - 1]])
    bench.shelf.faults = ["asked"]
    bench.delivery.step()
    assert kept_from(tmp_path) == -1, "all rows are protected from the start"
    assert not compaction.compact(LocalFolder(tmp_path), keep_s=10.0, now_s=4e9)
    bench.now += 2 * S
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delivery, "PIECE_ROWS", 2)
        bench.delivery.step()
    assert kept_from(tmp_path) == 2
    while compaction.compact(LocalFolder(tmp_path), keep_s=10.0, now_s=4e9):
        pass
    assert [span.last for span in committed_spans(tmp_path)] == [3, 4, 5]
    bench.settle()
    assert bench.shelf.rows == [0, 1, 2, 3, 4]


def test_missing_rows_are_counted(tmp_path: Path) -> None:
    for number in range(1, 4):
        commit(tmp_path, number, [[number - 1, number + 10]])
    (tmp_path / "results" / "part-2-0.jsonl").unlink()
    bench = Bench(tmp_path)
    bench.settle()
    assert bench.shelf.rows == [0, 11, 2, 13]
    assert bench.delivery.observed.lost_rows == 2
    remove(tmp_path, "results", 3)
    bench.begin()
    assert bench.delivery.observed.lost_rows == 2


def test_a_delivery_that_has_to_wait_reports_the_reason_and_continues_at_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path, TARGET.model_copy(update={"waits": "The files are full."}))
    commit(tmp_path, 1, [[0, 1]], cti=10)
    bench.delivery.step()
    seen = bench.delivery.observed
    assert (seen.state, seen.message, seen.domain) == ("retrying", "The files are full.", "external")
    assert (seen.waiting_rows, seen.outstanding, bench.shelf.rows) == (2, True, [])
    assert kept_from(tmp_path) == -1, "waiting rows are not deleted"
    bench.target = TARGET
    bench.begin()
    bench.settle()
    assert (bench.shelf.rows, bench.delivery.observed.state) == ([0, 1], "current")


def test_without_rows_a_delivery_does_not_wait(tmp_path: Path) -> None:
    bench = Bench(tmp_path, TARGET.model_copy(update={"waits": "The files are full."}))
    bench.settle()
    assert bench.delivery.observed.state == "current"
