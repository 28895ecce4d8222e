"""A takeover without a pause gives the same results as a stop and a start, killed or not."""

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

from streaming.resume.changeover import held_folder
from streaming.spark.messages.envelope import CarrierMessage
from streaming.spark.query.binding import journals_of
from streaming.spark.query.control import AddBinding, ForgetBinding, StopBinding
from streaming.spark.stage.stage import StageProcessor
from streaming.wire.messages import RunSpec
from streaming.wire.progress import ProgressReport
from tests.spark.loop import Loop
from tests.spark.planning.test_carrying_over import ROWS_READ, beginning, timed
from tests.spark.specs import spec, write_readings
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


def changed(changes: dict[str, dict[str, Any]], **more: Any) -> RunSpec:
    """Return `spec` with the given fields of its nodes replaced."""
    content = json.loads(spec("a", "readings.jsonl").model_dump_json())
    for node in content["query"]["nodes"]:
        node.update(changes.get(node["id"], {}))
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


def catch_up(loop: Loop, changes: dict[str, dict[str, Any]]) -> None:
    add(loop, changed(changes, run="a-c", beside=True, results=held_folder("a", "a-c")))


def take_over(loop: Loop, changes: dict[str, dict[str, Any]]) -> None:
    stop(loop)
    add(loop, changed(changes, run="a-2", takes_over="a-c"))


def reports(loop: Loop, run: str) -> Iterator[ProgressReport]:
    for manifest in loop.run():
        yield from (each for each in manifest.reports if each.run == run)


class Killed:
    """Runs batches, and kills those whose number is in `kills` at the stage named there."""

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
    home: Path, of: dict[str, dict[str, Any]], changes: dict[str, dict[str, Any]], read: int
) -> list[str]:
    """Return the results of an ordinary change after the previous run has read `read` rows."""
    loop = begun(home, 0, of)
    while loop.offset.carried.get("a") is None or loop.offset.carried["a"].positions["readings"]["0"] < read:
        loop.batch()
    stop(loop)
    add(loop, changed(changes, run="a-2"))
    loop.run()
    return rows(loop, "a")[0]


@settings(max_examples=max(8, settings.default.max_examples // 4))
@drawn(
    versions=st.tuples(st.sampled_from([{}, AS_THEY_COME]), st.sampled_from(sorted(VERSIONS))),
    before=st.integers(1, 4),
    meanwhile=st.integers(0, 4),
    kills=st.dictionaries(st.integers(0, 12), st.sampled_from(STAGES), max_size=4),
)
def test_a_takeover_gives_the_rows_of_a_stop_and_a_start(
    versions: tuple[dict[str, Any], str], before: int, meanwhile: int, kills: dict[int, str]
) -> None:
    of, changes = versions[0], VERSIONS[versions[1]]
    with TemporaryDirectory() as place:
        loop = begun(Path(place) / "a", before, of)
        killed = Killed(loop, kills)
        catch_up(loop, changes)
        killed.batches(meanwhile)
        take_over(loop, changes)
        killed.batches(1)
        read = loop.offset.parked["a"].positions["readings"]["0"]
        killed.batches(100)
        results, late = rows(loop, "a")
        assert results == stopped_and_started(Path(place) / "b", of, changes, read)
        undisturbed = begun(Path(place) / "c", 100, of)
        assert late == rows(undisturbed, "a")[1], "late rows are stored once, though they were read twice"
        assert NEXT not in {**loop.offset.carried, **loop.offset.parked}
        assert max(Counter(results).values()) == 1


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    return begun(tmp_path / "a", 3)


OTHER = VERSIONS["larger windows"]


@pytest.mark.parametrize("rows_per_batch", [1, 1_000])
def test_a_shadow_run_takes_over_with_its_own_state(tmp_path: Path, rows_per_batch: int) -> None:
    loop = begun(tmp_path, 3, rows_per_batch=rows_per_batch)
    catch_up(loop, OTHER)
    done = [manifest for manifest in (loop.batch(), loop.batch()) if manifest is not None]
    behind = [each.behind for manifest in done for each in manifest.reports if each.run == "a-c"]
    left = 2 * ROWS_READ if rows_per_batch == 1 else 0
    assert behind == [left, left], "it reads no faster than others, and never further"
    take_over(loop, OTHER)
    observed = [each for manifest in (loop.batch(), loop.batch()) if manifest for each in manifest.changes]
    assert [(each.run, each.state) for each in observed] == [("a-1", "stopped"), ("a-2", "running")]
    assert observed[1].message is not None
    assert observed[1].message.startswith("Took over from the previous run without a pause, at the CTI ")
    first = next(iter(reports(loop, "a-2")))
    assert first.beginning is not None
    assert first.beginning.took_over == "a-c"
    assert first.beginning.rows_again == left
    assert loop.carrier.control.commanded() == {"a": "a-2"}


def test_a_failing_version_does_not_affect_the_current_run(loop: Loop, tmp_path: Path) -> None:
    catch_up(loop, OTHER)
    loop.batch()
    original = StageProcessor._run_operators

    def broken(self: StageProcessor, taken: list[CarrierMessage], state: Any) -> Any:
        if taken[0].binding.startswith(NEXT):
            raise ArithmeticError("a fault of ours")
        return original(self, taken, state)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StageProcessor, "_run_operators", broken)
        observed = states([manifest for manifest in [loop.batch()] if manifest], NEXT)
    assert [state for state, _, _ in observed] == ["failed"]
    loop.run()
    assert rows(loop, "a") == rows(begun(tmp_path / "b", 100), "a")
    assert NEXT not in {**loop.offset.carried, **loop.offset.parked}, "nothing of it is left"


def test_a_cancelled_change_leaves_nothing(loop: Loop, tmp_path: Path) -> None:
    catch_up(loop, OTHER)
    loop.batch()
    loop.carrier.control.append(ForgetBinding(kind="forget", tick=0, binding=NEXT))
    loop.run()
    assert rows(loop, "a") == rows(begun(tmp_path / "b", 100), "a")
    assert NEXT not in {**loop.offset.carried, **loop.offset.parked}


def test_a_shadow_run_of_an_ended_run_fails_with_a_sentence(loop: Loop) -> None:
    catch_up(loop, OTHER)
    loop.batch()
    stop(loop)
    add(loop, changed(OTHER, run="a-2"))
    observed = states(loop.run(), NEXT)
    assert [(state, domain) for state, domain, _ in observed] == [("failed", "user")]


@pytest.mark.parametrize("why", ["nothing runs", "other inputs", "by the clock on the wall"])
def test_a_run_that_cannot_shadow_another_fails_with_a_sentence(loop: Loop, why: str) -> None:
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
    observed = [each for each in states(loop.run(), NEXT) if each[0] == "failed"]
    assert [domain for _, domain, _ in observed] == ["user"]


def test_a_run_that_has_taken_over_resumes_after_a_stop_and_repeats_nothing(loop: Loop, tmp_path: Path) -> None:
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


def test_files_are_replayed_in_their_listed_order(tmp_path: Path) -> None:
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
    write("1.jsonl", 8, 1)  # in a new list it would come before the first
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


def test_no_run_takes_over_from_a_run_that_has_emitted_everything(loop: Loop, tmp_path: Path) -> None:
    catch_up(loop, OTHER)
    loop.run()
    add(loop, changed(OTHER, run="a-2", takes_over="a-c"))
    observed = states(loop.run(), "a")
    assert [(state, domain) for state, domain, _ in observed] == [("failed", "user")]
    assert rows(loop, "a") == rows(begun(tmp_path / "b", 100), "a"), "no row is repeated"
