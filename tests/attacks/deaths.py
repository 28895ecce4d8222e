"""Queries that use too much memory in a runner next to the other organisation's, and killed processes."""

import json
import threading
import time
from collections import Counter
from typing import Any

import httpx

from tests.attacks.asking import describe
from tests.attacks.stage import Stage
from tests.faults.installation.kinds import SERVICES, processes_of
from tests.faults.installation.numbered import wait_until

OVER = frozenset({"failed", "stopped", "completed", "finished"})
FAILS_WITHIN_S = 300.0
BACK_S = 60.0
FIELDS = {"k": "string"}
CLOCK = {"generate": {"every": 1, "delay": "0s"}, "late": "drop"}


def texts_beyond_the_longest(stage: Stage) -> str:
    """Make texts ten times as long in each of six steps: 10 MB from each of 100 rows of 10 characters."""
    return run_of_long_texts(stage, rows=100, steps=6)


def many_long_texts(stage: Stage) -> str:
    """Make a text of a million characters, which is allowed, in each of 20,000 rows: 20 GB."""
    return run_of_long_texts(stage, rows=20_000, steps=5)


def run_of_long_texts(stage: Stage, rows: int, steps: int) -> str:
    """Run a query of `steps` projects that each repeat a text ten times; return the end of the run."""
    name = f"long{rows}.jsonl"
    lines = (json.dumps({"at": at, "k": "x" * 10}) for at in range(1, rows + 1))
    (stage.files / name).write_text("\n".join(lines) + "\n")
    made = stage.stream(name, FIELDS, advance=CLOCK)
    if not made.startswith("streams/"):
        return made
    stream = stage.mallory.get(made).json()["name"]
    joined = f"concat({', '.join(['k'] * 10)})"
    each = [f"n{at} AS (SELECT STREAM {joined} AS k FROM {f'n{at - 1}' if at else stream})" for at in range(steps)]
    text = (
        f"QUERY long{rows};\nWITH {', '.join(each)} INSERT INTO out SELECT STREAM k FROM n{steps - 1} WHERE k = 'no';\n"
    )
    return ended_run(stage, f"long{rows}", text)


def ended_run(stage: Stage, name: str, text: str) -> str:
    """Start a binding of the query; return how its run ends, with the message for its user."""
    stored = stage.mallory.post("queries/", json={"text": text, "comment": ""})
    if stored.status_code != 201:
        return describe(stored)
    bound = stage.mallory.post("bindings/", json={"name": name, "query_version": stored.json()["current"]["id"]})
    if bound.status_code != 201:
        return describe(bound)
    binding = bound.json()["id"]
    started = stage.mallory.post(f"bindings/{binding}/start/")
    if started.status_code not in {200, 201}:
        return describe(started)
    began, run = time.monotonic(), f"runs/{started.json()['id']}/"

    def ended() -> bool:
        found: dict[str, Any] = stage.mallory.get(run).json()
        return found["observed"] in OVER

    try:
        wait_until(ended, FAILS_WITHIN_S, "the end of the run")
    except AssertionError:
        stage.mallory.post(f"bindings/{binding}/stop/", json={"flush": False})
    found = stage.mallory.get(run).json()
    return f"{found['observed']} after {time.monotonic() - began:.0f} s, {found['domain']}: {found['message']}"


def children_one_after_another(stage: Stage) -> str:
    """Kill web server, beat, worker and Redis one after the other, each once the previous one is back."""
    return ", ".join(killed(stage, kind) for kind in SERVICES)


def killed(stage: Stage, kind: str) -> str:
    """Kill a process of a kind; return after how long another one existed and the API answered."""
    found = processes_of(stage.installation.var, kind)
    if not found:
        return f"{kind}: none"
    found[0].kill()

    def answers() -> bool:
        others = {each.pid for each in processes_of(stage.installation.var, kind)} - {found[0].pid}
        return bool(others) and stage.victim.get("runs/").status_code == 200

    try:
        return f"{kind}: back after {wait_until(answers, BACK_S, f'a new {kind}'):.1f} s"
    except AssertionError:
        return f"{kind}: NOT BACK within {BACK_S:.0f} s"


def runners_in_many_organisations(stage: Stage) -> str:
    """Start a run in each of twelve further organisations at once, then stop all."""
    answered: Counter[str] = Counter()
    bindings = []
    for slug in sorted(each for each in stage.organisations if each.startswith("mallory-")):
        of = stage.clients[slug]
        bindings.append((of, binding := generated(of)))
        started = of.post(f"bindings/{binding}/start/")
        answered[describe(started) if started.status_code >= 400 else "started"] += 1
    most = 0
    until = time.monotonic() + 90
    while time.monotonic() < until:
        most = max(most, len(processes_of(stage.installation.var, "runner")))
        stage.victim.get("runs/")
        threading.Event().wait(1)
    for of, binding in bindings:
        of.post(f"bindings/{binding}/stop/", json={"flush": False})
    return f"{', '.join(f'{count} times {answer}' for answer, count in answered.items())}; {most} runners at most"


def generated(of: httpx.Client) -> str:
    """Create a binding over generated rows; return its id."""
    made = {"shape": "interval", "fields": {"speed": "double"}, "advance": {"generate": {"every": 20, "delay": "2s"}}}
    made["advance"] = {"generate": {"every": 20, "delay": "2s", "basis": "max"}, "late": "adjust"}
    adapter = {"kind": "generator", "options": {"rate": 100.0}}
    of.post("streams/", json={"name": "cars", "definition": made, "adapter": adapter}).raise_for_status()
    text = "QUERY q;\nINSERT INTO out SELECT STREAM speed FROM cars WHERE speed > 100;\n"
    stored = of.post("queries/", json={"text": text, "comment": ""}).raise_for_status().json()
    version = stored["current"]["id"]
    bound: dict[str, Any] = of.post("bindings/", json={"name": "q", "query_version": version}).raise_for_status().json()
    return str(bound["id"])
