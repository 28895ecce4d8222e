"""A version that takes over without a pause gives what one gives that was stopped and started, killed or not."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from streaming.spark.binding import journals_of
from streaming.spark.control import AddBinding, ForgetBinding, StopBinding
from streaming.spark.envelope import CarrierMessage
from streaming.spark.stage import StageProcessor
from streaming.wire.changeover import held_folder
from streaming.wire.messages import ProgressReport, RunSpec
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_carrying_over import ROWS_READ, beginning, timed
from tests.spark.test_loop import STAGES, rows, states

BATCHES = 8
NEXT = "a~next"
VERSIONS: dict[str, dict[str, Any]] = {
    "another filter": {"some": {"where": "value % 3 <> 0"}},
    "one more aggregate": {"windows": {"aggregates": [{"name": "n", "function": "count"}]}},
    "larger windows": {"windows": {"window": {"kind": "tumbling", "size": "20us"}}},
    "smaller windows": {"windows": {"window": {"kind": "tumbling", "size": "5us"}}},
    "hopping windows": {"windows": {"window": {"kind": "hopping", "size": "20us", "hop": "10us"}}},
    "sessions": {"windows": {"window": {"kind": "session", "gap": "4us"}}},
    "snapshots": {"windows": {"window": {"kind": "snapshot"}}},
    "rows as they come": {"out": {"input": "some"}, "some": {"where": "value % 3 <> 0"}},
}
AS_THEY_COME = {"out": {"input": "some"}}


def changed(said: dict[str, dict[str, Any]], **more: Any) -> RunSpec:
    """`spec` with what its nodes say replaced."""
    content = json.loads(spec("a", "readings.jsonl").model_dump_json())
    for node in content["query"]["nodes"]:
        node.update(said.get(node["id"], {}))
    return RunSpec.model_validate_json(json.dumps({**content, **more}))


def add(loop: Loop, wanted: RunSpec) -> None:
    journals = ""
    if wanted.beside:
        before = loop.carrier.control.last_added(wanted.binding)
        assert before is not None
        journals = journals_of(loop.carrier, before.spec)
    lanes = {"readings": ["0"]}
    loop.carrier.control.append(
        AddBinding(kind="add", tick=0, spec=wanted, bucket_ids=[0], lanes=lanes, at_end="flush", journals=journals)
    )


def stop(loop: Loop) -> None:
    loop.carrier.control.append(StopBinding(kind="stop", tick=0, binding="a", flush=False))


def catch_up(loop: Loop, said: dict[str, dict[str, Any]]) -> None:
    add(loop, changed(said, run="a-c", beside=True, results=held_folder("a", "a-c")))


def take_over(loop: Loop, said: dict[str, dict[str, Any]]) -> None:
    stop(loop)
    add(loop, changed(said, run="a-2", takes_over="a-c"))


def reports(loop: Loop, run: str) -> Iterator[ProgressReport]:
    for manifest in loop.run():
        for each in manifest.reports:
            if each["run"] == run:
                yield ProgressReport.model_validate_json(json.dumps(each))


class Killed:
    """Runs batches, and kills the ones whose number is in `kills` at the stage named there."""

    def __init__(self, loop: Loop, kills: dict[int, str]) -> None:
        self.loop, self.kills, self.numbers = loop, kills, count()

    def batches(self, most: int) -> None:
        for _ in range(most):
            stage = self.kills.get(next(self.numbers))
            if stage is not None:
                self.loop.killed_at(stage)
            if self.loop.batch() is None:
                return


def begun(home: Path, batches: int, of: dict[str, dict[str, Any]] | None = None, **settings: Any) -> Loop:
    write_readings(home / "readings.jsonl", BATCHES)
    loop = Loop(home, **settings)
    add(loop, changed(of or {}))
    for _ in range(batches):
        loop.batch()
    return loop


def stopped_and_started(
    home: Path, of: dict[str, dict[str, Any]], said: dict[str, dict[str, Any]], read: int
) -> list[str]:
    """What the ordinary change gives where the run before has read `read` rows."""
    loop = begun(home, 0, of)
    while loop.offset.carried.get("a") is None or loop.offset.carried["a"].positions["readings"]["0"] < read:
        loop.batch()
    stop(loop)
    add(loop, changed(said, run="a-2"))
    loop.run()
    return rows(loop, "a")[0]


@settings(max_examples=max(8, settings.default.max_examples // 4))
@drawn(
    versions=st.tuples(st.sampled_from([{}, AS_THEY_COME]), st.sampled_from(sorted(VERSIONS))),
    before=st.integers(1, 4),
    meanwhile=st.integers(0, 4),
    kills=st.dictionaries(st.integers(0, 12), st.sampled_from(STAGES), max_size=4),
)
def test_what_is_given_is_that_of_a_stop_and_a_start_without_the_pause(
    versions: tuple[dict[str, Any], str], before: int, meanwhile: int, kills: dict[int, str]
) -> None:
    of, said = versions[0], VERSIONS[versions[1]]
    with TemporaryDirectory() as place:
        loop = begun(Path(place) / "a", before, of)
        killed = Killed(loop, kills)
        catch_up(loop, said)
        killed.batches(meanwhile)
        take_over(loop, said)
        killed.batches(1)
        read = loop.offset.parked["a"].positions["readings"]["0"]
        killed.batches(100)
        results, late = rows(loop, "a")
        assert results == stopped_and_started(Path(place) / "b", of, said, read)
        undisturbed = begun(Path(place) / "c", 100, of)
        assert late == rows(undisturbed, "a")[1], "late rows are kept once, though they were read twice"
        assert NEXT not in {**loop.offset.carried, **loop.offset.parked}
        assert max(Counter(results).values()) == 1


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    return begun(tmp_path / "a", 3)


OTHER = VERSIONS["larger windows"]


@pytest.mark.parametrize("rows_per_batch", [1, 1_000])
def test_it_takes_over_with_the_state_that_it_made(tmp_path: Path, rows_per_batch: int) -> None:
    loop = begun(tmp_path, 3, rows_per_batch=rows_per_batch)
    catch_up(loop, OTHER)
    done = [manifest for manifest in (loop.batch(), loop.batch()) if manifest is not None]
    behind = [each["behind"] for manifest in done for each in manifest.reports if each["run"] == "a-c"]
    left = 2 * ROWS_READ if rows_per_batch == 1 else 0
    assert behind == [left, left], "it reads no faster than others, and never further"
    take_over(loop, OTHER)
    told = [each for manifest in (loop.batch(), loop.batch()) if manifest for each in manifest.changes]
    assert [(each.run, each.state) for each in told] == [("a-1", "stopped"), ("a-2", "running")]
    assert told[1].message is not None
    assert told[1].message.startswith("It took over from the run before without a pause, at the CTI ")
    first = next(iter(reports(loop, "a-2")))
    assert first.beginning is not None
    assert first.beginning.took_over == "a-c"
    assert first.beginning.rows_again == left
    assert loop.carrier.control.commanded() == {"a": "a-2"}


def test_a_version_that_fails_leaves_the_run_before_as_it_was(loop: Loop, tmp_path: Path) -> None:
    catch_up(loop, OTHER)
    loop.batch()
    released = StageProcessor._released

    def broken(self: StageProcessor, taken: list[CarrierMessage], state: Any) -> Any:
        if taken[0].binding.startswith(NEXT):
            raise ArithmeticError("a fault of ours")
        return released(self, taken, state)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StageProcessor, "_released", broken)
        told = states([manifest for manifest in [loop.batch()] if manifest], NEXT)
    assert [state for state, _, _ in told] == ["failed"]
    loop.run()
    assert rows(loop, "a") == rows(begun(tmp_path / "b", 100), "a")
    assert NEXT not in {**loop.offset.carried, **loop.offset.parked}, "nothing is kept of it"


def test_a_change_that_is_called_off_leaves_nothing(loop: Loop, tmp_path: Path) -> None:
    catch_up(loop, OTHER)
    loop.batch()
    loop.carrier.control.append(ForgetBinding(kind="forget", tick=0, binding=NEXT))
    loop.run()
    assert rows(loop, "a") == rows(begun(tmp_path / "b", 100), "a")
    assert NEXT not in {**loop.offset.carried, **loop.offset.parked}


def test_what_reads_beside_a_run_that_is_no_more_says_so(loop: Loop) -> None:
    catch_up(loop, OTHER)
    loop.batch()
    stop(loop)
    add(loop, changed(OTHER, run="a-2"))
    told = states(loop.run(), NEXT)
    assert [(state, domain) for state, domain, _ in told] == [("failed", "user")]


@pytest.mark.parametrize("why", ["nothing runs", "other inputs", "by the clock on the wall"])
def test_what_cannot_read_beside_fails_with_a_sentence(loop: Loop, why: str) -> None:
    content = json.loads(changed(OTHER, run="a-c", beside=True, results=held_folder("a", "a-c")).model_dump_json())
    if why == "nothing runs":
        stop(loop)
        loop.batch()
    if why == "other inputs":
        content["inputs"]["readings"]["adapter"]["options"]["path"] = "others.jsonl"
        write_readings(loop.home / "others.jsonl", 2)
    if why == "by the clock on the wall":
        content["inputs"]["readings"]["stream"]["advance"]["idle_after"] = "5s"
        content["inputs"]["readings"]["stream"]["advance"]["idle"] = "leave_out"
    add(loop, RunSpec.model_validate_json(json.dumps(content)))
    told = [each for each in states(loop.run(), NEXT) if each[0] == "failed"]
    assert [domain for _, domain, _ in told] == ["user"]


def test_who_has_taken_over_goes_on_after_a_stop_and_gives_nothing_again(loop: Loop, tmp_path: Path) -> None:
    catch_up(loop, OTHER)
    loop.batch()
    take_over(loop, OTHER)
    for _ in range(2):
        loop.batch()
    read = loop.offset.parked.get("a") or loop.offset.carried["a"]
    assert read.positions
    stop(loop)
    add(loop, changed(OTHER, run="a-3"))
    loop.run()
    expected = begun(tmp_path / "b", 5)
    stop(expected)
    add(expected, changed(OTHER, run="a-2"))
    expected.run()
    assert rows(loop, "a")[0] == rows(expected, "a")[0]


def test_files_are_read_again_in_the_order_in_which_they_were_listed(tmp_path: Path) -> None:
    def write(name: str, first: int, value: int) -> None:
        lines = [{"at": at, "device": "d", "value": value} for at in range(first, first + 8)]
        (tmp_path / "files" / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
        os.utime(tmp_path / "files" / name, (5, 5))

    def total(loop: Loop) -> int:
        return sum(json.loads(row)["payload"]["total"] for row in rows(loop, "a")[0])

    (tmp_path / "files").mkdir()
    write("2.jsonl", 0, 1)
    loop = Loop(tmp_path)
    add(loop, timed("a-1", "true"))
    loop.batch()
    write("1.jsonl", 8, 1)  # listed anew it would stand before the first
    loop.batch()
    wanted = timed("a-c", "value > 0").model_copy(update={"beside": True, "results": held_folder("a", "a-c")})
    add(loop, wanted)
    write("0.jsonl", 16, 100)
    loop.batch()
    stop(loop)
    add(loop, timed("a-2", "value > 0").model_copy(update={"takes_over": "a-c"}))
    loop.run()
    assert beginning(loop, "a-2").took_over == "a-c"
    assert total(loop) == 8 + 8 + 800


def test_nothing_takes_over_from_a_run_that_has_given_all(loop: Loop, tmp_path: Path) -> None:
    catch_up(loop, OTHER)
    loop.run()
    add(loop, changed(OTHER, run="a-2", takes_over="a-c"))
    told = states(loop.run(), "a")
    assert [(state, domain) for state, domain, _ in told] == [("failed", "user")]
    assert rows(loop, "a") == rows(begun(tmp_path / "b", 100), "a"), "no row is given twice"
