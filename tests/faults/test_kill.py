"""SIGKILL at five different moments of one run over files: no result is lost, none is doubled."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from streaming.spark.local_run import committed_lines
from streaming.wire.messages import RunSpec
from tests.runtime.process import RunnerProcess

pytestmark = pytest.mark.spark

FILES = 8
ROWS_A_FILE = 150
ROWS_A_BATCH = 75


@dataclass(frozen=True)
class Journal:
    """How far a carrier is, by what stands in its folder: numbers of batches.

    `planned`: in Spark's offset log. `fed`: lane clocks written. `written`: a part is in its place. `published`: the
    carrier's manifest. `committed`: Spark will not run it again.
    """

    planned: int
    fed: int
    written: int
    published: int
    committed: int


Moment = Callable[[Journal], bool]
MOMENTS: list[tuple[str, Moment]] = [
    ("a batch is planned and nothing is written", lambda at: at.planned >= 2 and at.planned > at.fed == at.published),
    ("lane clocks are written, no result is", lambda at: at.fed >= 4 and at.fed > at.written),
    ("a part is in its place, not yet published", lambda at: at.written >= 6 and at.written > at.published),
    ("results are published, Spark has not committed", lambda at: at.published >= 8 and at.published > at.committed),
    ("between two batches", lambda at: at.committed >= 10 and at.committed == at.planned),
]


def write_files(folder: Path) -> None:
    """Readings of five devices in arrival order over several files; some come late, some lines are broken."""
    folder.mkdir(parents=True)
    chosen = random.Random(7)
    for number in range(FILES):
        lines = ["at,device,value"]
        for row in range(ROWS_A_FILE):
            at = (number * ROWS_A_FILE + row) * 10 - (chosen.randrange(400) if chosen.random() < 0.2 else 0)
            lines.append("broken" if chosen.random() < 0.02 else f"{at},d{chosen.randrange(5)},{row}")
        (folder / f"readings-{number}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def spec() -> RunSpec:
    nodes = [
        {"id": "readings", "kind": "input", "stream": "readings"},
        {
            "id": "windows",
            "kind": "window",
            "input": "readings",
            "group_by": ["device"],
            "window": {"kind": "hopping", "size": "200us", "hop": "50us"},
            "aggregates": [{"name": "n", "function": "count"}, {"name": "total", "function": "sum", "of": "value"}],
        },
        {"id": "out", "kind": "output", "input": "windows"},
    ]
    stream = {
        "fields": {"device": "string", "value": "long"},
        "event_time": {"start": {"column": "at", "unit": "us"}},
        "advance": {"generate": {"every": 10, "delay": "100us"}, "late": "drop"},
    }
    content = {
        "organisation": "o1",
        "binding": "b1",
        "run": "r1",
        "desired": "running",
        "query": {"version": 1, "name": "readings", "nodes": nodes},
        "inputs": {"readings": {"stream": stream, "adapter": {"kind": "file", "options": {"path": "readings"}}}},
        "results": "results/b1",
    }
    return RunSpec.model_validate_json(json.dumps(content))


def journal(folder: Path) -> Journal:
    """Read how far the carrier of `folder` is."""
    carrier = folder / "carriers" / "main"
    spark = carrier / "spark"
    offsets, commits = numbers(spark / "offsets"), numbers(spark / "commits")
    parts = (folder / "results" / "b1").glob("*/part-*.jsonl")
    return Journal(
        planned=planned_by(spark / "offsets" / str(offsets[-1])) if offsets else 0,
        fed=max((number for lanes in (carrier / "lanes").glob("*") for number in numbers(lanes)), default=0),
        written=max((int(path.name.split("-")[1]) for path in parts), default=0),
        published=max(numbers(carrier / "commits"), default=0),
        committed=planned_by(spark / "offsets" / str(commits[-1])) if commits else 0,
    )


def numbers(folder: Path) -> list[int]:
    names = (path.name.partition(".")[0] for path in folder.glob("[0-9]*"))
    return sorted(int(name) for name in names if name.isdigit())


def planned_by(offset: Path) -> int:
    """The batch that Spark's offset file plans; 0 while it is being written or after it was removed."""
    try:
        return int(json.loads(offset.read_text().splitlines()[-1])["n"])
    except (FileNotFoundError, IndexError, ValueError, TypeError):
        return 0


def rows(folder: Path) -> tuple[list[str], list[str]]:
    found = folder / "results" / "b1"
    results, late = committed_lines(found, "results"), committed_lines(found, "late")
    return [json.dumps(row) for row in results], [json.dumps(row) for row in late]


@pytest.fixture
def runners(tmp_path: Path, redis_server_url: str) -> Iterator[Callable[[str], RunnerProcess]]:
    """Makes runner processes and sees that none stays."""
    made: list[RunnerProcess] = []

    def make(organisation: str) -> RunnerProcess:
        arguments = ("--min-interval-s", "0", "--rows-per-batch", str(ROWS_A_BATCH))
        runner = RunnerProcess(tmp_path, organisation, redis_server_url, *arguments)
        write_files(runner.folder / "readings")
        runner.desire(spec())
        made.append(runner)
        return runner

    yield make
    for runner in made:
        runner.end()


def test_five_kills_lose_and_double_nothing(runners: Callable[[str], RunnerProcess]) -> None:
    quiet = runners("undisturbed")
    quiet.start()
    quiet.wait_until(lambda: quiet.state("r1") == "stopped", "the undisturbed run has ended")
    quiet.end()

    killed = runners("killed")
    for name, moment in MOMENTS:
        killed.start()
        killed.wait_until(lambda moment=moment: moment(journal(killed.folder)), name, 0.003)  # type: ignore[misc]
        killed.kill()
        assert killed.state("r1") != "stopped"
    killed.start()
    killed.wait_until(lambda: killed.state("r1") == "stopped", "the killed run has ended")

    results, late = rows(quiet.folder)
    assert len(results) > 500
    assert len(late) > 20
    assert [sorted(each) for each in rows(killed.folder)] == [sorted(results), sorted(late)]
    assert killed.progress("r1").inputs == quiet.progress("r1").inputs
    assert killed.progress("r1").results == len(results)
