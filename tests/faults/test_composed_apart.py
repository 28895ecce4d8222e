"""Two composed bindings, one in a query of its own: each is killed at its work while the other one goes on."""

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from streaming.spark.memory import DEATHS, MARKS
from streaming.wire.messages import RunSpec
from tests.faults.conftest import Runners
from tests.faults.spark_processes import spark_processes
from tests.runtime.process import RunnerProcess
from tests.spark.test_composed import COUNT, EDGES, FIRST, ORDER, SECOND, graph, results_in, wanted

pytestmark = pytest.mark.thorough
TICKS_A_FILE = 20
LIFE = 7
KEYS = 5


class EdgeFeed(threading.Thread):
    """Puts a file each half second, whole: at each tick an edge starts, the one of `LIFE` ticks before ends, and a CTI.

    `rows` is all that it has written.
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
        """Write the end of everything, and nothing more."""
        self.ended.set()
        self.join()
        self.write([{"cti": None}])


def _at(tick: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"edge": "start", "start": tick, "payload": {"k": str(tick % KEYS)}}]
    begun = tick - LIFE
    if begun >= 0:
        rows.append({"edge": "end", "start": begun, "end": tick, "payload": {"k": str(begun % KEYS)}})
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
    """The workers that compute something of that carrier now, by the marks that they leave."""
    found = set()
    for place in (carrier / MARKS).glob("*"):
        told = place.read_bytes().partition(b"\0")[0]
        if told not in (b"", b"{}"):
            found.add(int(place.name))
    return found


class TwoBindings:
    """The bindings FIRST and SECOND in `runner`, one of which, `alone`, has a query of its own."""

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
        """SIGKILL to a worker while it computes `victim` and nothing of `other`; returns when both have gone on."""
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
        begun = self.batch(other)

        def has_gone_on() -> bool:
            states.add(self.runner.state(other))
            return self.deaths(victim) != deaths[0] and self.batch(victim) > before + 1

        self.runner.wait_until(has_gone_on, f"{victim} goes on after its worker was killed")
        assert states == {"running"}, "the other one was disturbed"
        assert self.deaths(other) == deaths[1]
        assert len(planners & self.planners()) == 1, "its query was started again too"
        self.runner.wait_until(lambda: self.batch(other) > begun, f"{other} goes on")

    def planners(self) -> set[int]:
        """The planners of both queries: one that is started again has another."""
        assert self.runner.process is not None
        return {each.pid for each in spark_processes(self.runner.process.pid, "planner")}


@pytest.mark.parametrize("alone", [FIRST, SECOND], ids=["ordering", "counting"])
def test_each_of_two_composed_bindings_is_killed_at_work_while_the_other_goes_on(alone: str, runners: Runners) -> None:
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
    runner.wait_until(lambda: min(both.batch(FIRST), both.batch(SECOND)) > 0, "both have been through a batch")
    for victim, other in ((FIRST, SECOND), (SECOND, FIRST)):
        both.kill_at_work(victim, other)
    runner.kill()
    runner.start()
    reached = both.batch(SECOND)
    runner.wait_until(lambda: both.batch(SECOND) > reached + 1, "the counting goes on after a killed runner")
    feed.end()
    expected = wanted(feed.rows)
    runner.wait_until(lambda: len(results_in(runner.folder, SECOND)) >= len(expected), "all is counted")
    assert results_in(runner.folder, SECOND) == expected
