"""A version with other aggregates resumes with the previous run's state on Spark, also if killed at the takeover."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streaming.resume.restart_points import beginning_path
from streaming.storage.blobs import LocalFolder
from streaming.wire.beginning import RunBeginning
from streaming.wire.messages import RunSpec
from tests.faults.journal import journal
from tests.runtime.processes.process import RunnerProcess
from tests.runtime.processes.test_changeover import (
    LAST,
    OF,
    counted,
    read_results,
    runs_in_order,
    undisturbed,
    version,
    write,
)

pytestmark = [pytest.mark.spark, pytest.mark.thorough]

TOTAL = {"name": "total", "function": "sum", "of": "value"}


def counting(run: str, *aggregates: dict[str, str], **more: Any) -> RunSpec:
    content = json.loads(version("100us", run, **more).model_dump_json())
    content["query"]["nodes"][2]["aggregates"] = aggregates
    return RunSpec.model_validate_json(json.dumps(content))


OLD = counting("old", {"name": "n", "function": "count"}, TOTAL)
NEW = counting("new", TOTAL, {"name": "most", "function": "max", "of": "value"}, begin="carried_over")


@pytest.fixture
def runner(tmp_path: Path, redis_server_url: str) -> Iterator[RunnerProcess]:
    found = RunnerProcess(tmp_path, OF, redis_server_url, "--min-interval-s", "0.5")
    write(found.files, 1)
    yield found
    found.end()


@pytest.mark.parametrize("killed", ["", "planned", "fed", "published"])
def test_open_windows_are_kept_and_their_new_columns_are_marked_as_incomplete(
    runner: RunnerProcess, tmp_path: Path, killed: str
) -> None:
    runner.desire(OLD)
    runner.start()
    runner.wait_until(lambda: runner.batch("old") > 0, "it runs")
    runner.desire(OLD.model_copy(update={"desired": "stopped"}))
    runner.wait_until(lambda: runner.state("old") == "stopped", "it has stopped")
    stopped = journal(runner.folder, "a")
    before, _ = read_results(runner.folder)
    write(runner.files, 2)
    runner.desire(NEW)
    if killed:
        at = stopped.planned
        runner.wait_until(lambda: getattr(journal(runner.folder, "a"), killed) > at, "it takes over", every_s=0.003)
        runner.kill()
        runner.start()
    runner.wait_until(lambda: runner.batch("new") > 0, "it resumes")
    runner.wait_until(lambda: runner.progress("new").inputs["readings"].largest_start == LAST, "it has read all")

    every, late = read_results(runner.folder)
    after = every[len(before) :]
    assert every[: len(before)] == before
    old, old_late = undisturbed(tmp_path / "as-old", OLD)
    new, _ = undisturbed(tmp_path / "as-new", NEW.model_copy(update={"begin": None}))
    assert counted(late) == counted(old_late), "nothing is read again"
    content = LocalFolder(runner.folder).read(beginning_path("a", "new"))
    assert content is not None
    lacking = RunBeginning.model_validate_json(content).lacking["out"]
    assert lacking.before is not None
    marked = [row for row in after if row.get("incomplete")]
    assert marked == [row for row in after if row["start"] < lacking.before]
    assert [row["incomplete_columns"] for row in marked] == [["most"]] * len(marked)
    whole = {pane(row): row["payload"] for row in new}
    assert all(row["payload"] == whole[pane(row)] for row in after if row not in marked)
    assert 0 < len(marked) < len(after)
    assert all(row["payload"]["total"] == whole[pane(row)]["total"] for row in marked), "existing columns are complete"
    emitted = [pane(row) for row in every]
    assert len(emitted) == len(set(emitted))
    assert set(emitted) <= {pane(row) for row in old}
    assert {pane(row) for row in old if row["end"] <= max(row["end"] for row in every)} == set(emitted)
    assert runs_in_order(runner.folder / "results" / "a") == ["old", "new"]


def pane(row: dict[str, Any]) -> tuple[int, str]:
    return row["start"], row["payload"]["device"]
