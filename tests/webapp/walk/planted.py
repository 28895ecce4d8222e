"""Zeta, charlie's organisation, with a mark in everything that has a text: no answer to anybody else may hold it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis

from streaming.storage.results import Commit
from streaming.wire import keys
from streaming.wire.messages import LateEvent, ResultRow
from streaming.wire.progress import ProgressReport
from tests.webapp.conftest import POINTS, Person, file_adapter, graph
from tests.webapp.resources import OwnThings, as_in_routes, ids_of
from tests.wire.written import write_commit, write_part
from webapp.runs.lifecycle.state_events import states_key

MARK = "zetamark"


@dataclass(frozen=True)
class Planted:
    """The ids of zeta's things, by the name that routes give them, and of what only bodies name."""

    ids: dict[str, str]
    version: str


def plant(charlie: Person, data: Path, connection: "redis.Redis") -> Planted:
    """Make one of everything in charlie's organisation through the API, with files and reports as a runner leaves."""
    folder = data / str(charlie.organisation.pk)
    (folder / "files").mkdir(parents=True)
    (folder / "files" / f"{MARK}.jsonl").write_text(
        f'{{"at": "2026-01-01T00:00:00Z", "plate": "{MARK}", "speed": 1.0}}\n'
    )
    adapter = file_adapter(f"files/{MARK}.jsonl")
    stream = _made(charlie, "streams/", {"name": f"{MARK}_s", "definition": POINTS, "adapter": adapter})
    drawn = graph(f"{MARK}_q", stream=f"{MARK}_s")
    query = _made(charlie, "queries/", {"graph": drawn, "comment": MARK})
    version = query["current"]["id"]
    binding = _made(charlie, "bindings/", {"name": f"{MARK}_b", "query_version": version})
    run = _made(charlie, f"bindings/{binding['id']}/start/", {})
    _leave(folder / "results" / binding["id"], charlie, run["id"], connection)
    ids = ids_of(OwnThings(charlie, stream["id"], query["id"], binding["id"], MARK))
    return Planted(ids=as_in_routes({**ids, "run": run["id"]}), version=version)


def _made(person: Person, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answered = person.post(path, body)
    assert answered.status_code == 201, answered.content
    made: dict[str, Any] = answered.json()
    return made


def _leave(folder: Path, charlie: Person, run: str, connection: "redis.Redis") -> None:
    """Leave what a runner leaves: a commit with a result and a late row, a report, a state."""
    result = ResultRow(output="out", start=0, end=10, payload={"plate": MARK})
    late = late_row()
    parts = [write_part(folder, "results", 0, 0, [result]), write_part(folder, "late", 0, 0, [late])]
    write_commit(folder, Commit(batch=0, parts=parts, totals={"run": run}))
    organisation = str(charlie.organisation.pk)
    report = ProgressReport(
        kind="progress",
        run=run,
        batch=0,
        at=1,
        inputs={},
        output_ctis={MARK: None},
        results=1,
        quarantined=1,
        recent_results=[result],
        recent_late=[late],
        batch_s=0.1,
    )
    connection.xadd(keys.reports(organisation, run), {"report": report.model_dump_json()})
    connection.hset(keys.progress(organisation), run, report.model_dump_json())
    connection.xadd(states_key(organisation, run), {"state": f'"{MARK}"'})


def late_row() -> LateEvent:
    """A quarantined row with the mark."""
    return LateEvent(
        input="cars",
        lane=MARK,
        position=0,
        start=0,
        end=1,
        cti=5,
        outcome="dropped_late",
        reason=None,
        policy="drop",
        moved_by=None,
        raw=MARK,
    )
