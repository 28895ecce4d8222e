"""A run that starts now, at a time or at positions marks rows that may be incomplete; discarded state is not used."""

import json
import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from streaming.adapters.rows.adapter import RowsAdapter
from streaming.resume.restart_points import beginning_path
from streaming.spark.query.control import AddBinding, StopBinding
from streaming.wire.beginning import BeginAt, BeginAtPositions, BeginAtTime, RunBeginning
from streaming.wire.messages import RunSpec
from tests.spark.loop import Loop
from tests.spark.specs import ROWS_A_BATCH, spec, write_readings
from tests.spark.test_loop import STAGES, rows, states

OLD, NEW = 1_000_000_000, 9_000_000_000
BATCHES = 6


def write_file(home: Path, name: str, starts: list[int], modified: int) -> None:
    """Write readings with times in microseconds to a file that was last modified at `modified` (ticks)."""
    path = home / "files" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"at": at, "device": "d", "value": at}) + "\n" for at in starts))
    os.utime(path, ns=(modified * 1_000, modified * 1_000))


def reading(run: str, **more: Any) -> RunSpec:
    """Return a run over the files of a growing folder."""
    content = json.loads(spec("a", "files", run=run).model_dump_json())
    options = {"path": "files", "format": "json_lines", "follow": True}
    content["inputs"]["readings"]["adapter"] = {"kind": "file", "options": options}
    content["inputs"]["readings"]["stream"]["event_time"] = {"start": {"column": "at", "unit": "us"}}
    return RunSpec.model_validate(content).model_copy(update=more)


def add(loop: Loop, wanted: RunSpec) -> None:
    lanes = {"readings": ["0"]}
    loop.carrier.control.append(
        AddBinding(kind="add", tick=0, spec=wanted, bucket_ids=[0], lanes=lanes, at_end="flush")
    )


def stop(loop: Loop, *, flush: bool = False, discard: bool = False) -> None:
    command = StopBinding(kind="stop", tick=0, binding="a", flush=flush, discard=discard)
    loop.carrier.control.append(command)


def read_results(loop: Loop) -> list[dict[str, Any]]:
    return [json.loads(row) for row in rows(loop, "a")[0]]


def beginning(loop: Loop, run: str) -> RunBeginning:
    content = loop.carrier.every.read(beginning_path("a", run))
    assert content is not None
    return RunBeginning.model_validate_json(content)


def ran(home: Path, first: list[int], *, discard: bool = False) -> Loop:
    """Return a loop with a stopped run over the old file `first`."""
    write_file(home, "old.jsonl", first, OLD)
    loop = Loop(home)
    add(loop, reading("a-1"))
    loop.run()
    stop(loop, discard=discard)
    loop.run()
    return loop


def totals(loop: Loop) -> list[tuple[int, int, bool]]:
    return sorted((row["start"], row["payload"]["n"], row.get("incomplete", False)) for row in read_results(loop))


def test_a_start_from_now_reads_no_old_rows_and_marks_the_first_windows_as_incomplete(
    tmp_path: Path,
) -> None:
    loop = ran(tmp_path, [1, 2, 3])
    write_file(tmp_path, "missed.jsonl", [11, 12], OLD + 1)
    add(loop, reading("a-2", begin="now"))
    planned = loop.clock + 1_000_000
    loop.run()
    assert read_results(loop) == []
    start = beginning(loop, "a-2")
    assert (start.how, start.whole_from) == ("now", planned + 1)
    assert "Windows and joins that were open, from " in start.sentence
    late = planned // 10 * 10 + 40
    write_file(tmp_path, "next.jsonl", [4, 5, late, late + 1, late + 20, late + 20, late + 40, late + 40], NEW)
    loop.run()
    assert totals(loop) == [(0, 2, True), (late, 2, False), (late + 20, 2, False)]


def test_a_start_at_a_time_neither_reads_nor_counts_files_that_were_changed_before(
    tmp_path: Path,
) -> None:
    loop = ran(tmp_path, [1, 2, 3])
    write_file(tmp_path, "broken.csv", [], OLD + 1)
    (tmp_path / "files" / "huge.jsonl.gz").write_bytes(b"no gzip at all")
    os.utime(tmp_path / "files" / "huge.jsonl.gz", ns=(OLD * 1_000, OLD * 1_000))
    write_file(tmp_path, "new.jsonl", [11, 12, 40, 40, 80, 80], NEW)
    add(loop, reading("a-2", begin=BeginAtTime(kind="time", at=NEW)))
    loop.run()
    assert totals(loop) == [(10, 2, True), (40, 2, True)]
    assert beginning(loop, "a-2").how == BeginAtTime(kind="time", at=NEW)


def test_a_start_at_a_time_before_all_files_gives_complete_rows(tmp_path: Path) -> None:
    loop = ran(tmp_path, [11, 12, 40, 40, 80, 80])
    add(loop, reading("a-2", begin=BeginAtTime(kind="time", at=OLD)))
    loop.run()
    assert totals(loop) == [(10, 2, False), (10, 2, False), (40, 2, False), (40, 2, False)]
    assert "are repeated" in beginning(loop, "a-2").sentence


def test_a_start_at_positions_that_were_read_before_knows_from_when_on_rows_are_complete(tmp_path: Path) -> None:
    loop = ran(tmp_path, [1, 2, 3, 4])
    at = BeginAtPositions(kind="positions", positions={"readings": {"0": 2}})
    write_file(tmp_path, "new.jsonl", [11, 12, 40, 40], NEW)
    add(loop, reading("a-2", begin=at))
    loop.run()
    assert totals(loop) == [(0, 2, True), (10, 2, False)]


@pytest.mark.parametrize(
    ("positions", "says"),
    [
        ({"readings": {"0": 99}}, "Lane 0 of the input readings can start at 0 to 4, not at 99."),
        ({"readings": {"7": 1}}, "The input readings has no lane 7. Its lanes: 0."),
        ({"cars": {"0": 1}}, "There is no input cars"),
    ],
)
def test_missing_positions_fail_the_start_with_a_sentence_and_leave_the_previous_state(
    tmp_path: Path, positions: dict[str, dict[str, int]], says: str
) -> None:
    loop = ran(tmp_path, [1, 2, 3, 4])
    add(loop, reading("a-2", begin=BeginAtPositions(kind="positions", positions=positions)))
    [(state, _, message)] = states(loop.run(), "a")
    assert state == "failed"
    assert says in (message or "")
    add(loop, reading("a-3"))
    write_file(tmp_path, "new.jsonl", [40, 40, 80, 80], NEW)
    loop.run()
    assert totals(loop) == [(0, 4, False), (40, 2, False)]


def refused(home: Path, place: BeginAt) -> str:
    """Return the error of a start at `place` of a transcript."""
    write_readings(home / "readings.jsonl", 1)
    loop = Loop(home)
    add(loop, spec("a", "readings.jsonl").model_copy(update={"begin": place}))
    [(state, _, message)] = states(loop.run(), "a")
    assert state == "failed"
    return message or ""


def test_an_input_that_cannot_start_in_the_middle_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Not every row of this transcript has an arrival time" in refused(tmp_path, BeginAtTime(kind="time", at=OLD))
    monkeypatch.delattr(RowsAdapter, "begin_at")
    assert "can't start in the middle" in refused(tmp_path / "other", "now")


@pytest.mark.parametrize("begins", [0, 2, 3])
def test_a_transcript_starts_at_a_micro_batch(tmp_path: Path, begins: int) -> None:
    write_readings(tmp_path / "readings.jsonl", 3)
    loop = Loop(tmp_path)
    at = BeginAtPositions(kind="positions", positions={"readings": {"0": begins}})
    add(loop, spec("a", "readings.jsonl").model_copy(update={"begin": at}))
    ended = loop.run()[-1]
    assert [totals.of_run.inputs["readings"].received for totals in ended.bindings.values()] == [
        (3 - begins) * (ROWS_A_BATCH + 1)
    ]


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("begin", ["now", BeginAtTime(kind="time", at=NEW)])
def test_a_run_that_is_killed_during_its_start_starts_at_the_same_place(
    tmp_path: Path, begin: BeginAt, stage: str
) -> None:
    loop = ran(tmp_path, [1, 2, 3])
    add(loop, reading("a-2", begin=begin))
    assert loop.killed_at(stage)
    write_file(tmp_path, "after.jsonl", [11, 12, 40, 40], NEW)
    loop.run()
    assert [row[:2] for row in totals(loop)] == [(10, 2)]


def test_a_run_with_a_resolved_place_but_no_written_offset_starts_there(tmp_path: Path) -> None:
    loop = ran(tmp_path, [1, 2, 3])
    add(loop, reading("a-2", begin="now"))
    loop.planner.plan(loop.offset)  # and the driver dies before Spark has stored the plan
    loop.restart()
    write_file(tmp_path, "after.jsonl", [11, 12, 40, 40], NEW)
    loop.run()
    assert [row[:2] for row in totals(loop)] == [(10, 2)]


@pytest.mark.parametrize("discarded", [True, False])
def test_discarded_state_is_never_resumed(tmp_path: Path, discarded: bool) -> None:
    loop = ran(tmp_path, [1, 2, 3], discard=True)
    write_file(tmp_path, "new.jsonl", [5, 40, 40], NEW)
    add(loop, reading("a-2", begin="old_positions", after_discard=discarded))
    loop.run()
    assert totals(loop) == [(0, 1, True)]
    assert "was discarded" in beginning(loop, "a-2").sentence


def test_a_carrier_that_never_received_the_discard_does_not_use_the_state_either(tmp_path: Path) -> None:
    loop = ran(tmp_path, [1, 2, 3])
    write_file(tmp_path, "new.jsonl", [5, 40, 40], NEW)
    add(loop, reading("a-2", begin="beginning", after_discard=True))
    loop.run()
    assert totals(loop) == [(0, 4, False)]


class Stops(RuleBasedStateMachine):
    """Stops of all kinds and kills in any order: the last request decides where the next start resumes."""

    @initialize()
    def begin(self) -> None:
        """Start a run that has read three rows of an open window."""
        self.folder = tempfile.TemporaryDirectory()
        self.home = Path(self.folder.name)
        self.runs, self.discarded, self.flushed, self.running = 1, False, False, True
        write_file(self.home, "old.jsonl", [1, 2, 3], OLD)
        self.loop = Loop(self.home)
        add(self.loop, self._finalizing(reading("a-1")))
        self.loop.run()

    def teardown(self) -> None:
        """Remove its folder."""
        if hasattr(self, "folder"):
            self.folder.cleanup()

    def _finalizing(self, wanted: RunSpec) -> RunSpec:
        content = json.loads(wanted.model_dump_json())
        content["inputs"]["readings"]["stream"]["advance"]["generate"]["final"] = True
        return RunSpec.model_validate(content)

    @rule(how=st.sampled_from(["keep", "flush", "discard"]))
    def stop(self, how: str) -> None:
        """Stop the run, even if it has stopped already."""
        stop(self.loop, flush=how == "flush", discard=how == "discard")
        self.flushed |= how == "flush" and self.running
        self.discarded |= how == "discard"
        self.running = False

    @rule(stage=st.sampled_from(STAGES))
    def kill(self, stage: str) -> None:
        """Kill the next batch."""
        self.loop.killed_at(stage)

    @rule()
    def batch(self) -> None:
        """Run the next batch."""
        self.loop.batch()

    @precondition(lambda self: not self.running)
    @rule()
    def start(self) -> None:
        """Start with the remaining state."""
        self.runs += 1
        begin: BeginAt | None = "old_positions" if self.discarded else None
        changes = {"begin": begin, "after_discard": self.discarded}
        add(self.loop, self._finalizing(reading(f"a-{self.runs}", **changes)))
        before = totals(self.loop)
        self.loop.run()
        at = 100 * self.runs
        write_file(self.home, f"{self.runs}.jsonl", [at + 40, at + 40, at + 80, at + 80], NEW + self.runs)
        self.loop.run()
        found = list((Counter(totals(self.loop)) - Counter(before)).elements())
        if self.runs == 2 and not self.flushed:
            assert ((0, 3, False) in found) is not self.discarded
        assert (at + 40, 2) in [row[:2] for row in found]
        self.discarded = self.flushed = False
        self.running = True


TestStops = Stops.TestCase
TestStops.settings = settings(max_examples=15, stateful_step_count=8, deadline=None)
