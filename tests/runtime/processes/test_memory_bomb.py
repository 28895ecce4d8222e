"""A query that uses too much memory, in one of two organisations, with a runner each or one for both, on Spark."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from streaming.runtime.process.limits import memory_mb
from streaming.runtime.process.memory_group import Hierarchy, own_hierarchy
from streaming.spark.errors import TOO_MUCH_MEMORY
from streaming.wire import keys
from streaming.wire.messages import RunIncident, RunSpec
from tests.runtime.processes.process import OrganisationMail, RunnerProcess, carried
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import add
from tests.spark.test_on_spark import rows

pytestmark = [pytest.mark.spark, pytest.mark.thorough]

BATCHES = 30
ROWS = 3_000
DOUBLINGS = 10
"""Ten doublings of a thousand bytes: just below the limit of a value, so that none is cut; 3 GB in a batch."""
WORKER_MB = 512


def write_texts(path: Path) -> None:
    lines = ({"start": row, "payload": {"device": "x" * 1_000, "value": row}, "batch": 0} for row in range(ROWS))
    path.write_text("".join(json.dumps(row) + "\n" for row in lines), encoding="utf-8")


def bomb() -> RunSpec:
    """Return a spec with ten projects in a chain; each one doubles a text."""
    content: dict[str, Any] = json.loads(spec("bomb", "texts.jsonl").model_dump_json())
    nodes: list[dict[str, Any]] = [{"id": "readings", "kind": "input", "stream": "readings"}]
    for step in range(DOUBLINGS):
        columns = [{"name": "device", "of": "concat(device, device)"}]
        nodes.append({"id": f"p{step}", "kind": "project", "input": nodes[-1]["id"], "columns": columns})
    content["query"]["nodes"] = [*nodes, {"id": "out", "kind": "output", "input": nodes[-1]["id"]}]
    return RunSpec.model_validate_json(json.dumps(content))


def of(mail: OrganisationMail, wanted: RunSpec) -> RunSpec:
    """Return `wanted` for the organisation, with a unique name of its run."""
    return wanted.model_copy(update={"organisation": mail.organisation, "run": f"{mail.organisation}-{wanted.run}"})


@dataclass(frozen=True)
class Carried:
    """The runners, not started yet, and both organisations, the one with the bomb first."""

    runners: list[RunnerProcess]
    mails: list[OrganisationMail]
    pooled: bool

    def wait_until(self, reached: Callable[[], bool], what: str) -> None:
        """Poll until `reached`; fail if a runner ends before."""
        for each in self.runners:
            each.wait_until(reached, what)


@pytest.fixture(params=[False, True], ids=["own", "pooled"])
def both(request: pytest.FixtureRequest, tmp_path: Path, redis_server_url: str) -> Iterator[Carried]:
    small = ("--min-interval-s", "1", "--worker-memory-mb", str(WORKER_MB), "--jvm-memory-mb", "1024")
    found = Carried(
        *carried(tmp_path, ["guilty", "other"], redis_server_url, *small, pooled=request.param), request.param
    )
    for each in found.mails:
        write_readings(each.files / "readings.jsonl", BATCHES)
    write_texts(found.mails[0].files / "texts.jsonl")
    yield found
    for runner in found.runners:
        runner.end()


def undisturbed(home: Path) -> tuple[list[str], list[str]]:
    write_readings(home / "readings.jsonl", BATCHES)
    loop = Loop(home)
    add(loop, spec("b", "readings.jsonl"))
    loop.run()
    return rows(home, "b")


def group_of(runner: RunnerProcess) -> Hierarchy | None:
    assert runner.process is not None
    return own_hierarchy(Path("/proc", str(runner.process.pid)))


def repeated(mail: OrganisationMail) -> int:
    """Return how often a batch of the organisation was repeated because a worker died."""
    incidents = (RunIncident.model_validate_json(each["incident"]) for _, each in incidents_of(mail))
    return sum(each.what == "worker" for each in incidents)


def incidents_of(mail: OrganisationMail) -> list[tuple[str, dict[str, str]]]:
    found: list[tuple[str, dict[str, str]]] = mail.connection.xrange(keys.incidents(mail.organisation))
    return found


def test_a_memory_bomb_fails_its_own_run_and_no_other_of_both_organisations(both: Carried, tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "undisturbed")
    guilty = both.mails[0]
    for each in both.mails:
        each.desire(of(each, spec("b", "readings.jsonl")))
    for runner in both.runners:
        runner.start()
    for each in both.mails:
        both.wait_until(
            lambda each=each: each.state(f"{each.organisation}-b-1") == "running",
            "the runs are running before the bomb starts",
        )
    guilty.desire(of(guilty, spec("b", "readings.jsonl")), of(guilty, bomb()))
    both.wait_until(lambda: guilty.state("guilty-bomb-1") == "failed", "the bomb has ended")
    seen = guilty.observed("guilty-bomb-1")
    assert seen is not None
    assert (seen.domain, seen.message) == ("user", TOO_MUCH_MEMORY)
    for each in both.mails:
        both.wait_until(
            lambda each=each: each.state(f"{each.organisation}-b-1") == "completed", "the other runs have ended"
        )
        assert rows(each.folder, "b") == expected
    if both.pooled:
        assert repeated(both.mails[1]) <= 1
    for runner in both.runners:
        assert runner.process is not None
        java = next(each for each in psutil.Process(runner.process.pid).children() if each.name() == "java")
        assert {"-XX:MaxDirectMemorySize=1024m", "-XX:MaxMetaspaceSize=512m"} <= set(java.cmdline())
        log = (runner.folder.parent / f"{runner.organisation}.log").read_text()
        most = memory_mb(1_024, WORKER_MB, "local[7]" if both.pooled else "local[2]")
        assert (group_of(runner) != own_hierarchy()) == (f"are limited to {most} MB of memory" in log)
