"""Another version takes over from a run on Spark with open windows, also if the runner is killed during that."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streaming.resume.changeover import held_folder
from streaming.resume.restart_points import beginning_path
from streaming.spark.sink.committed_rows import committed_lines
from streaming.storage.blobs import LocalFolder
from streaming.storage.results import committed_spans, read_span, runs_of
from streaming.wire.beginning import RunBeginning
from streaming.wire.messages import RunSpec
from tests.runtime.processes.process import RunnerProcess
from tests.spark.loop import Loop
from tests.spark.planning.test_token_bucket import file_spec, write_lines
from tests.spark.test_loop import add

pytestmark = [pytest.mark.spark, pytest.mark.thorough]

ROWS = 900
LAST = max(number * 3 for number in range(ROWS) if number % 5 != 4)
OF = "o-1"


def version(size: str, run: str, **more: Any) -> RunSpec:
    content = json.loads(file_spec("a", "lines", run).model_dump_json())
    content["inputs"]["readings"]["adapter"]["options"] |= {"pattern": "*.jsonl", "follow": True}
    content["inputs"]["readings"]["stream"]["event_time"] = {"start": {"column": "at", "unit": "us"}}
    content["query"]["nodes"][2]["window"]["size"] = size
    return RunSpec.model_validate_json(json.dumps({**content, "organisation": OF, **more}))


OLD = version("10us", "old")
BESIDE = version("40us", "beside", beside=True, results=held_folder("a", "beside"))
NEW = version("40us", "new", takes_over="beside")


def undisturbed(home: Path, wanted: RunSpec) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    write(home, 1)
    write(home, 2)
    loop = Loop(home)
    add(loop, wanted)
    loop.run()
    return read_results(home)


def write(home: Path, number: int) -> None:
    """Write the first or the second half of the rows as a file."""
    (home / "lines").mkdir(parents=True, exist_ok=True)
    whole = home / "whole"
    write_lines(whole, ROWS)
    lines = whole.read_text().splitlines(keepends=True)
    file = home / "lines" / f"{number}.jsonl"
    file.with_suffix(".part").write_text("".join(lines[: ROWS // 2] if number == 1 else lines[ROWS // 2 :]))
    file.with_suffix(".part").rename(file)
    os.utime(file, (number, number))


def read_results(home: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    folder = home / "results" / "a"
    return list(committed_lines(folder, "results")), list(committed_lines(folder, "late"))


@pytest.fixture
def runner(tmp_path: Path, redis_server_url: str) -> Iterator[RunnerProcess]:
    found = RunnerProcess(tmp_path, OF, redis_server_url, "--min-interval-s", "0.5")
    write(found.files, 1)
    yield found
    found.end()


@pytest.mark.parametrize("killed", ["", "beside", "over", "new"])
def test_every_window_is_emitted_once_and_complete(runner: RunnerProcess, tmp_path: Path, killed: str) -> None:
    runner.desire(OLD)
    runner.start()
    runner.wait_until(lambda: runner.batch("old") > 0, "it runs")
    runner.desire(OLD, BESIDE)
    runner.wait_until(lambda: runner.batch("beside") > 0, "the new version reads in parallel")
    again(runner, killed == "beside")
    runner.wait_until(lambda: runner.progress("beside").behind == 0, "it has caught up", every_s=0.02)
    runner.desire(NEW)
    again(runner, killed == "over")
    runner.wait_until(lambda: runner.batch("new") > 0, "it has taken over")
    write(runner.files, 2)
    again(runner, killed == "new")
    runner.wait_until(lambda: runner.progress("new").inputs["readings"].largest_start == LAST, "it has read all")

    results, late = read_results(runner.folder)
    old, every_late = undisturbed(tmp_path / "as-old", OLD)
    new, _ = undisturbed(tmp_path / "as-new", NEW.model_copy(update={"takes_over": None}))
    content = LocalFolder(runner.folder).read(beginning_path("a", "new"))
    assert content is not None
    beginning = RunBeginning.model_validate_json(content)
    assert beginning.took_over == "beside"
    until = beginning.until["out"]
    size = {id_: row["end"] - row["start"] for id_, row in enumerate(results)}
    assert counted(row for id_, row in enumerate(results) if size[id_] == 10) == counted(
        row for row in old if row["end"] <= until
    )
    assert counted(row for id_, row in enumerate(results) if size[id_] == 40) == counted(
        row for row in new if row["end"] > until
    )
    assert counted(late) == counted(every_late), "no row is repeated or lost"
    assert runs_in_order(runner.folder / "results" / "a") == ["old", "new"]


def again(runner: RunnerProcess, killed: bool) -> None:
    if killed:
        runner.kill()
        runner.start()


def counted(rows: Any) -> Counter[str]:
    return Counter(json.dumps(row, sort_keys=True) for row in rows)


def runs_in_order(folder: Path) -> list[str]:
    runs: list[str] = []
    for span in committed_spans(folder):
        commit = read_span(folder, span)
        assert commit is not None
        runs += [each.run for each in runs_of(commit) if each.run not in runs[-1:]]
    return runs
