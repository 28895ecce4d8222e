"""Internal files in an organisation's folder belong to no stream: samples, tests and starts read only `files/`."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.webapp.conftest import POINTS, Person, file_adapter, graph
from tests.webapp.scene import Scene

TOKEN = "planted-token-of-the-runner"


@pytest.fixture
def own(alice: Person, cars_file: str, tmp_path: Path) -> Path:
    """Alice's folder with what a runner leaves in it, each file readable as JSON lines."""
    folder = tmp_path / str(alice.organisation.pk)
    for name in ("runner.json", "logs/runner.log", "carriers/main/carrier.json", "results/b/part.jsonl"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps({"token": TOKEN}) + "\n")
    (folder / "files" / "link").symlink_to(folder)
    (folder / "files" / "linked.jsonl").symlink_to(folder / "runner.json")
    os.link(folder / "runner.json", folder / "files" / "hard.jsonl")
    return folder


PATHS = [
    "runner.json",
    "logs/runner.log",
    "carriers/main/carrier.json",
    "results/b/part.jsonl",
    "files/../runner.json",
    "../runner.json",
    "link/runner.json",
    "link",
    "linked.jsonl",
    "hard.jsonl",
]


@pytest.mark.parametrize("kind", ["file", "rows"])
@pytest.mark.parametrize("path", PATHS)
def test_no_path_shows_what_the_platform_keeps(alice: Person, own: Path, path: str, kind: str) -> None:
    options = {"path": path, "format": "json_lines"} if kind == "file" else {"path": path}
    body = {"name": "mine", "definition": POINTS, "adapter": {"kind": kind, "options": options}}
    made = alice.post("streams/", body).json()
    answered = alice.get(f"streams/{made['id']}/sample/")
    assert (answered.json()["rows"], len(answered.json()["faults"])) == ([], 1)
    for word in (TOKEN, str(own), str(own.parent)):
        assert word not in answered.content.decode()


@pytest.mark.parametrize("path", [*PATHS, "{own}/runner.json", "{own}/files/absent.jsonl"])
def test_a_refused_start_names_no_path_of_the_server(alice: Person, own: Path, path: str) -> None:
    adapter = file_adapter(path.format(own=own))
    assert alice.post("streams/", {"name": "cars", "definition": POINTS, "adapter": adapter}).status_code == 201
    version = alice.post("queries/", {"graph": graph(), "comment": ""}).json()["current"]["id"]
    binding = alice.post("bindings/", {"name": "watch", "query_version": version}).json()
    answered = alice.post(f"bindings/{binding['id']}/start/")
    assert answered.status_code == 422
    reported = answered.content.decode().replace(path.format(own=own), "")
    assert str(own.parent) not in reported


def test_what_a_runner_says_and_logs_is_shown_without_paths_of_the_server(scene: Scene, tmp_path: Path) -> None:
    own = tmp_path / scene.organisation
    sentence = f"The file '{own}/files/day/cars.csv' cannot be read, nor {tmp_path}/other/x, nor {own}/files/a."
    shown = "The file 'day/cars.csv' cannot be read, nor .../other/x, nor a."
    scene.turn()
    scene.lease()
    scene.report("failed", "user", sentence)
    scene.turn()
    assert scene.run.message == shown
    (own / "logs").mkdir(parents=True)
    line: dict[str, Any] = {"at": scene.run.created_at.isoformat(), "level": "error", "where": "x"}
    (own / "logs" / "runner.log").write_text(json.dumps({**line, "message": f"run {scene.run_id}: {sentence}"}) + "\n")
    read = scene.person.get(f"runs/{scene.run_id}/logs/").json()
    assert f"run {scene.run_id}: {shown}" in [line["message"] for line in read["lines"]]
    assert str(tmp_path) not in json.dumps(read)
