"""`make up` under kill -9 of each of its processes: all come back, no page calls the dead running, no row is lost.

Prints a table: what was killed, seconds until it was back, seconds until the pages told the truth.
"""

import json
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from deploy.installation.processes import left_over, runners
from deploy.up.place import free_port
from streaming.spark.local_run import committed_lines
from tests.e2e.installation import environment, launch, printed_until_ready

ROWS_A_FILE = 20
BACK_S = 240.0
TRUTH_S = 15.0
STREAM: dict[str, Any] = {
    "name": "ids",
    "definition": {
        "shape": "point",
        "fields": {"id": "long"},
        "event_time": {"start": {"column": "at", "unit": "us"}},
        "advance": {"generate": {"every": 1, "delay": "0s"}, "late": "drop"},
    },
    "adapter": {"kind": "file", "options": {"path": "ids", "follow": True, "format": "json_lines"}},
}
GRAPH: dict[str, Any] = {
    "version": 1,
    "name": "all_ids",
    "nodes": [
        {"kind": "input", "id": "ids", "stream": "ids"},
        {"kind": "filter", "id": "each", "input": "ids", "where": "id >= 0"},
        {"kind": "output", "id": "out", "input": "each"},
    ],
}


class Writer(threading.Thread):
    """Puts a file of rows with ever larger ids and times into the folder each second, whole."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.folder, self.rows, self.ended = folder, 0, threading.Event()
        folder.mkdir(parents=True)

    def run(self) -> None:
        while not self.ended.wait(1.0):
            lines = [json.dumps({"at": self.rows + each, "id": self.rows + each}) for each in range(ROWS_A_FILE)]
            part = self.folder / f"{self.rows:09}.jsonl.part"
            part.write_text("\n".join(lines) + "\n")
            part.replace(part.with_suffix(""))
            self.rows += ROWS_A_FILE


class Site:
    """An installation in `var`, whose supervisor may be another process by now, and the owner of its demo."""

    def __init__(self, var: Path) -> None:
        self.var, self.env = var, environment(var, free_port())
        self.run = self.binding = ""
        self.supervisor = self.started()
        self.pages = httpx.Client(base_url=f"http://127.0.0.1:{self.env['PORT']}", timeout=10)

    def started(self) -> "subprocess.Popen[str]":
        """Start it as its user would, and wait until it says that it runs."""
        process = launch(self.env)
        self.printed = "\n".join(printed_until_ready(process))
        assert "ctrl-C" in self.printed, self.printed
        threading.Thread(target=drained, args=(process,), daemon=True).start()  # or it blocks at a full pipe
        return process

    def sign_in(self) -> None:
        found = re.search(r"Sign in as (\S+), password: (\S+)", self.printed)
        assert found is not None
        self.pages.get("/sign-in")
        said = {"email": found[1], "password": found[2]}
        headers = {"X-CSRFToken": self.pages.cookies["csrftoken"]}
        self.pages.post("/_allauth/browser/v1/auth/login", json=said, headers=headers).raise_for_status()

    def end(self) -> None:
        self.pages.close()
        self.supervisor.send_signal(signal.SIGTERM)
        assert self.supervisor.wait(90) == 0
        assert [*left_over(self.var), *runners(self.var)] == []

    @property
    def organisation(self) -> str:
        (found,) = [path.name for path in self.var.iterdir() if path.name.count("-") == 4 and path.is_dir()]
        return found

    def call(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"X-CSRFToken": self.pages.cookies["csrftoken"]}
        return self.pages.request(method, f"/api/t/demo/{path}", json=body, headers=headers).raise_for_status().json()

    def states(self) -> set[str] | None:
        """What the page of the run and both lists say of it; None while nobody answers."""
        try:
            page = self.call("GET", f"runs/{self.run}/")["observed"]
            listed = self.call("GET", "runs/")
            bound = [each["latest_run"] for each in self.call("GET", "bindings/")]
        except httpx.HTTPError:
            return None
        return {page, *(each["observed"] for each in [*listed, *bound] if each and each["id"] == self.run)}

    def received(self) -> int:
        progress = self.call("GET", f"runs/{self.run}/")["progress"]
        read = {} if progress is None else progress["inputs"].get("ids", {})  # a first report may have read nothing
        return int(read.get("received", 0))

    def processes(self, what: str) -> list[psutil.Process]:
        """The living processes of that kind: with their workers, the parent first."""
        if what in {"runner", "JVM"}:
            found = runners(self.var)
            if what == "runner":
                return found
            return [child for each in found for child in each.children(recursive=True) if child.name() == "java"]
        words = {"web server": "uvicorn", "worker": "worker", "beat": "beat", "Redis": "redis-server"}[what]
        mine = [each for each in left_over(self.var) if words in " ".join(each.cmdline()) or each.name() == words]
        pids = {each.pid for each in mine}
        return [each for each in mine if each.ppid() not in pids]


def drained(process: "subprocess.Popen[str]") -> None:
    """Read what it prints to its end."""
    assert process.stdout is not None
    with process.stdout as lines:
        for _ in lines:
            pass


def wait_until(happened: Callable[[], bool], most_s: float, what: str) -> float:
    began = time.monotonic()
    while time.monotonic() - began < most_s:
        with suppress(psutil.Error, httpx.HTTPError):
            if happened():
                return time.monotonic() - began
        threading.Event().wait(0.25)
    raise AssertionError(f"{what} did not happen within {most_s} s")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path / "var")
    try:
        found.sign_in()
        yield found
    finally:
        found.end()


def begun(site: Site) -> Writer:
    """Start a run that reads the files of a writer."""
    writer = Writer(site.var / site.organisation / "files" / "ids")
    site.call("POST", "streams/", STREAM)
    version = site.call("POST", "queries/", {"graph": GRAPH, "comment": ""})["current"]["id"]
    site.binding = site.call("POST", "bindings/", {"name": "all_ids", "query_version": version})["id"]
    writer.start()
    site.run = site.call("POST", f"bindings/{site.binding}/start/")["id"]
    wait_until(lambda: site.states() == {"running"}, BACK_S, "the run's start")
    return writer


def kill(site: Site, what: str) -> tuple[float, float]:
    """Kill it with no warning; seconds until it is back, and until every page has told the truth."""
    (victim,) = site.processes(what)[:1]
    before, dead = site.received(), what in {"runner", "JVM"}
    victim.send_signal(signal.SIGKILL)
    began = time.monotonic()
    right = {"lost", "recovering", "starting"} if dead else {"running", "lost", "recovering"}

    def told() -> bool:
        states = site.states()
        return states is not None and states <= right

    truth = wait_until(told, TRUTH_S, f"the truth about a killed {what}")
    wait_until(lambda: bool({each.pid for each in site.processes(what)} - {victim.pid}), BACK_S, f"a new {what}")
    wait_until(lambda: site.states() == {"running"}, BACK_S, f"running after a killed {what}")
    wait_until(lambda: site.received() > before, BACK_S, f"more rows after a killed {what}")
    return time.monotonic() - began, truth


def kill_supervisor(site: Site) -> tuple[float, float]:
    """Kill it, and start the installation again as its user would."""
    site.supervisor.kill()
    site.supervisor.wait()
    began = time.monotonic()
    assert site.states() == {"running"}, "what it had started goes on"
    truth = time.monotonic() - began
    site.supervisor = site.started()
    before = site.received()
    wait_until(lambda: site.states() == {"running"}, BACK_S, "running after a killed supervisor")
    wait_until(lambda: site.received() > before, BACK_S, "more rows after a killed supervisor")
    return time.monotonic() - began, truth


@pytest.mark.thorough
def test_whatever_is_killed_comes_back_tells_the_truth_and_loses_nothing(site: Site) -> None:
    writer = begun(site)
    table = []
    for what in ("web server", "beat", "worker", "Redis", "runner", "JVM"):
        table.append((what, *kill(site, what)))
        print(f"{what}: back after {table[-1][1]:.0f} s, told after {table[-1][2]:.1f} s", flush=True)
    table.append(("supervisor", *kill_supervisor(site)))
    writer.ended.set()
    writer.join()
    wait_until(lambda: site.received() == writer.rows, BACK_S, "all rows read")
    site.call("POST", f"bindings/{site.binding}/stop/", {"flush": False})
    wait_until(lambda: site.states() == {"stopped"}, BACK_S, "the stop")
    results = site.var / site.organisation / "results" / site.binding
    ids = [line["payload"]["id"] for line in committed_lines(results, "results")]
    lost, doubled = set(range(writer.rows)) - set(ids), len(ids) - len(set(ids))
    print("\n| killed | back after | pages told the truth after |\n|---|---|---|")
    for name, back, truth in table:
        print(f"| {name} | {back:.0f} s | {truth:.1f} s |")
    print(f"{writer.rows} rows: {len(lost)} lost, {doubled} doubled")
    assert (lost, doubled) == (set(), 0)
