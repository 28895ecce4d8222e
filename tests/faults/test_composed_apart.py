"""Two composed bindings, one in a query of its own: a worker of each is killed while the other continues."""

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from streaming.spark.session.memory import DEATHS, MARKS
from streaming.wire.messages import RunSpec
from tests.faults.conftest import Runners
from tests.faults.spark_processes import spark_processes
from tests.runtime.processes.process import RunnerProcess
from tests.spark.sink.test_composed import COUNT, EDGES, FIRST, ORDER, SECOND, graph, results_in, wanted

pytestmark = pytest.mark.thorough
TICKS_A_FILE = 20
LIFE = 7
KEYS = 5


class EdgeFeed(threading.Thread):
    """Writes a whole file each half second: at each tick an edge starts, that of `LIFE` ticks ago ends, then a CTI.

    `rows` are all written rows.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.folder, self.ended = folder, threading.Event()
        self.rows: list[dict[str, Any]] = []
        self.ticks = 0
        folder.mkdir(parents=True)

    def run(self) -> None:
        while not self.ended.wait(0.5):
            self.write([row for at in range(self.ticks, self.ticks + TICKS_A_FILE) for row in _at(at)])
            self.ticks += TICKS_A_FILE

    def write(self, rows: list[dict[str, Any]]) -> None:
        part = self.folder / f"{len(self.rows):09}.jsonl.part"
        part.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        part.replace(part.with_suffix(""))
        self.rows += rows

    def end(self) -> None:
        """Stop it, and write the end of the input."""
        self.ended.set()
        self.join()
        self.write([{"cti": None}])


def _at(tick: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"edge": "start", "start": tick, "payload": {"k": str(tick % KEYS)}}]
    start = tick - LIFE
    if start >= 0:
        rows.append({"edge": "end", "start": start, "end": tick, "payload": {"k": str(start % KEYS)}})
    return [*rows, {"cti": tick}]


def plan(binding: str, nodes: list[dict[str, Any]], adapter: dict[str, Any], *, dedicated: bool) -> RunSpec:
    content = {
        "organisation": "o1",
        "binding": binding,
        "run": binding,
        "desired": "running",
        "query": json.loads(graph(nodes, "edges").model_dump_json()),
        "inputs": {"s": {"stream": {**EDGES, "advance": {"late": "drop"}}, "adapter": adapter}},
        "results": f"results/{binding}",
        "dedicated": dedicated,
    }
    return RunSpec.model_validate(content)


def at_work(carrier: Path) -> set[int]:
    """Return the workers that compute for the carrier now, by their marks."""
    workers = set()
    for place in (carrier / MARKS).glob("*"):
        mark = place.read_bytes().partition(b"\0")[0]
        if mark not in (b"", b"{}"):
            workers.add(int(place.name))
    return workers


class TwoBindings:
    """The bindings FIRST and SECOND in `runner`; the one named `alone` has a query of its own."""

    def __init__(self, runner: RunnerProcess, alone: str) -> None:
        self.runner = runner
        carriers = runner.folder / "carriers"
        self.carriers = {each: carriers / (each if each == alone else "main") for each in (FIRST, SECOND)}

    def batch(self, binding: str) -> int:
        content = self.runner.connection.hget(f"punctual:{self.runner.organisation}:progress", binding)
        return -1 if content is None else int(json.loads(str(content))["batch"])

    def deaths(self, binding: str) -> str:
        file = self.carriers[binding] / DEATHS
        return file.read_text() if file.exists() else ""

    def kill_at_work(self, victim: str, other: str) -> None:
        """Kill a worker while it computes `victim` and not `other`; return when both have continued."""
        planners = self.planners()
        before, deaths = self.batch(victim), (self.deaths(victim), self.deaths(other))

        def killed() -> bool:
            workers = at_work(self.carriers[victim]) - at_work(self.carriers[other])
            for worker in workers:
                os.kill(worker, signal.SIGKILL)
                return True
            return False

        self.runner.wait_until(killed, f"a worker is at work for {victim}", 0.001)
        states: set[str | None] = set()
        reached = self.batch(other)

        def has_continued() -> bool:
            states.add(self.runner.state(other))
            return self.deaths(victim) != deaths[0] and self.batch(victim) > before + 1

        self.runner.wait_until(has_continued, f"{victim} continues after its worker was killed")
        assert states == {"running"}, "the other one was disturbed"
        assert self.deaths(other) == deaths[1]
        assert len(planners & self.planners()) == 1, "its query was started again too"
        self.runner.wait_until(lambda: self.batch(other) > reached, f"{other} continues")

    def planners(self) -> set[int]:
        """Return the planners of both queries: a restarted query has another one."""
        assert self.runner.process is not None
        return {each.pid for each in spark_processes(self.runner.process.pid, "planner")}


@pytest.mark.parametrize("alone", [FIRST, SECOND], ids=["ordering", "counting"])
def test_killing_a_worker_of_one_of_two_composed_bindings_does_not_disturb_the_other(
    alone: str, runners: Runners
) -> None:
    runner = runners("o1", 200_000)
    feed = EdgeFeed(runner.files / "edges")
    files = {"kind": "file", "options": {"path": "edges", "follow": True, "format": "json_lines"}}
    results = {"kind": "binding", "options": {"binding": FIRST, "output": "out"}}
    runner.desire(
        plan(FIRST, ORDER, files, dedicated=alone == FIRST), plan(SECOND, COUNT, results, dedicated=alone == SECOND)
    )
    runner.start()
    feed.start()
    both = TwoBindings(runner, alone)
    runner.wait_until(lambda: min(both.batch(FIRST), both.batch(SECOND)) > 0, "both have finished a batch")
    for victim, other in ((FIRST, SECOND), (SECOND, FIRST)):
        both.kill_at_work(victim, other)
    runner.kill()
    runner.start()
    reached = both.batch(SECOND)
    runner.wait_until(lambda: both.batch(SECOND) > reached + 1, "the counting continues after a killed runner")
    feed.end()
    expected = wanted(feed.rows)
    runner.wait_until(lambda: len(results_in(runner.folder, SECOND)) >= len(expected), "all is counted")
    assert results_in(runner.folder, SECOND) == expected
