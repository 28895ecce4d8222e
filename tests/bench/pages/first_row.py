"""Time from a start in the web application to the first row in its API: `python -m tests.bench.pages.first_row`.

A whole installation as `make up` starts it, with a standby runner. Organisations without a runner start a binding of
generated rows each: the first one takes the standby. Then bindings are added to that organisation, whose carrier is
warm. Seconds count from the start request: to its answer, to each step of the start (as on the run's page), to the
first commit, and to the first row in the API.
"""

import argparse
import json
import os
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table

from tests.attacks.stage import ACCOUNTS, client, manage
from tests.e2e.installation import Installation, running_installation

PAUSE = threading.Event()
"""Never set: waiting for it leaves the machine to the measured processes."""
POLL_S = 0.05
MOST_S = 120.0
BEGAN = 1_700_000_000_000_000
"""In ticks: all rows are due when a binding starts."""
STEPS = ("standby", "launching", "session", "planning", "first_batch")
COLUMNS = ("start", "answered", *STEPS, "committed", "row in API", "load")


def streams(of: httpx.Client) -> str:
    """Create a stream of generated rows and a query that forwards them; return the id of its version."""
    made = {"shape": "point", "fields": {"device": "string", "speed": "double"}}
    made["advance"] = {"generate": {"every": 1, "delay": "0s"}, "late": "drop"}  # type: ignore[assignment]
    adapter = {"kind": "generator", "options": {"rate": 100.0, "started_at": BEGAN, "total_rows": 1_000}}
    of.post("streams/", json={"name": "cars", "definition": made, "adapter": adapter}).raise_for_status()
    text = "QUERY q;\nINSERT INTO out SELECT STREAM speed FROM cars WHERE speed > 0;\n"
    stored = of.post("queries/", json={"text": text, "comment": ""}).raise_for_status().json()
    return str(stored["current"]["id"])


def started(of: httpx.Client, version: str, name: str, commits_under: Path) -> list[str]:
    """Start a binding, and return the cells of COLUMNS."""
    made = of.post("bindings/", json={"name": name, "query_version": version})
    assert made.status_code == 201, made.text
    bound = made.json()["id"]
    started_at, wall = time.monotonic(), time.time()
    run = of.post(f"bindings/{bound}/start/").raise_for_status().json()["id"]
    answered = time.monotonic() - started_at
    commits, committed, row = commits_under / bound / "commits", None, None
    while row is None:
        assert time.monotonic() - started_at < MOST_S
        PAUSE.wait(POLL_S)
        if committed is None and commits.is_dir() and any(commits.iterdir()):
            committed = min(each.stat().st_mtime for each in commits.iterdir()) - wall
        if has_row(of, run):
            row = time.monotonic() - started_at
    steps = {each["name"]: each["at"] for each in steps_of(of, run)}
    cells = [f"{answered:.2f}"]
    cells += [f"{steps[each] / 1e6 - wall:.2f}" if each in steps else "-" for each in STEPS]
    return [name, *cells, f"{committed or row:.2f}", f"{row:.2f}", f"{os.getloadavg()[0]:.1f}"]


def steps_of(of: httpx.Client, run: str) -> Any:
    """Wait until a run has started; return the steps of its start."""
    until = time.monotonic() + MOST_S
    while time.monotonic() < until:
        found = of.get(f"runs/{run}/").raise_for_status().json()
        if found["observed"] in {"running", "completed"}:
            break
        PAUSE.wait(POLL_S)
    return found["steps"]


def has_row(of: httpx.Client, run: str) -> bool:
    """Return whether the API returns a row of the results."""
    found = of.get(f"runs/{run}/results/")
    return found.status_code == 200 and bool(found.json()["rows"])


def ready_standby(var: Path) -> bool:
    """Return whether a standby runner is ready."""
    notes = [json.loads(each.read_text()) for each in (var / "standby").glob("*.json")]
    return any(Path(each["socket"]).exists() for each in notes)


def table(installation: Installation, starts: int) -> Table:
    """Measure `starts` first starts, and as many in a warm carrier."""
    found = Table(*COLUMNS, title="seconds since the start request")
    made = json.loads(manage(installation, "shell", "-v0", "-c", ACCOUNTS).splitlines()[-1])
    for number in range(starts):
        name = f"mallory-{number}"
        results = installation.var / made["organisations"][name] / "results"
        with client(installation, name, made["tokens"][name]) as of:
            version = streams(of)
            until = time.monotonic() + MOST_S
            while not ready_standby(installation.var) and time.monotonic() < until:
                PAUSE.wait(1.0)
            PAUSE.wait(5.0)
            found.add_row(*started(of, version, f"first_{number}", results))
            PAUSE.wait(15.0)
            for again in range(starts):
                found.add_row(*started(of, version, f"warm_{number}_{again}", results))
                PAUSE.wait(3.0)
            for each in of.get("bindings/").json():
                of.post(f"bindings/{each['id']}/stop/", json={"flush": False})
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    made = argparse.ArgumentParser(prog="python -m tests.bench.pages.first_row")
    made.add_argument("--starts", type=int, default=3)
    made.add_argument("--pools", type=int, default=0)
    options = made.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="first-row-") as folder:
        settings = {"PUNCTUAL_STANDBY_RUNNERS": "1", "PUNCTUAL_POOLS": str(options.pools)}
        with running_installation(Path(folder).resolve() / "var", settings) as installation:
            Console(width=170).print(table(installation, options.starts))


if __name__ == "__main__":
    main()
