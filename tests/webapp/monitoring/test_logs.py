"""The log of a run: what the runner wrote about it, and its journal."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.webapp.conftest import Person
from webapp.core.context import organisation_context
from webapp.monitoring.logs import MOST_LINES
from webapp.runs.models import Run


@pytest.fixture
def run(alice: Person, binding: dict[str, Any], redis_connection: Any) -> dict[str, Any]:
    answered = alice.post(f"bindings/{binding['id']}/start/")
    assert answered.status_code == 201
    started: dict[str, Any] = answered.json()
    return started


class RunnerLog:
    """The file to which the runner of alice's organisation writes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.at = datetime.now(UTC) + timedelta(seconds=1)

    def write(self, message: str, level: str = "info") -> None:
        self.at += timedelta(milliseconds=1)
        line = {"at": self.at.isoformat(), "level": level, "where": "streaming.runtime.runner", "message": message}
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")


@pytest.fixture
def log(alice: Person, tmp_path: Path) -> RunnerLog:
    return RunnerLog(tmp_path / str(alice.organisation.pk) / "logs" / "runner.log")


def page(person: Person, run: dict[str, Any], after: str | None = None) -> dict[str, Any]:
    answered = person.get(f"runs/{run['id']}/logs/" + (f"?after={after}" if after else ""))
    assert answered.status_code == 200, answered.content
    read: dict[str, Any] = answered.json()
    return read


def lines(read: dict[str, Any]) -> list[tuple[str, str]]:
    """Level and message of each line, without that of the start, which every run has."""
    find_lines = [(line["level"], line["message"]) for line in read["lines"]]
    return [(level, message) for level, message in find_lines if not message.startswith("start requested by alice")]


def messages(read: dict[str, Any]) -> list[str]:
    return [message for _, message in lines(read)]


def test_what_the_runner_wrote_of_this_run_and_its_binding_is_shown(
    alice: Person, run: dict[str, Any], log: RunnerLog
) -> None:
    log.write(f"run {run['id']}: carry binding {run['binding']}")
    log.write("something of another run", "error")
    log.write(f"binding {run['binding']} is slow", "warning")
    with log.path.open("a") as file:
        file.write(f"not JSON, of {run['id']}\n")
    read = page(alice, run)
    assert lines(read) == [
        ("info", f"run {run['id']}: carry binding {run['binding']}"),
        ("warning", f"binding {run['binding']} is slow"),
    ]


def test_a_page_begins_after_the_one_before(alice: Person, run: dict[str, Any], log: RunnerLog) -> None:
    log.write(f"first of {run['id']}")
    first = page(alice, run)
    assert messages(page(alice, run, first["next"])) == []
    log.write(f"second of {run['id']}")
    second = page(alice, run, first["next"])
    assert messages(second) == [f"second of {run['id']}"]
    assert messages(page(alice, run, second["next"])) == []


def test_half_a_line_waits_until_it_is_whole(alice: Person, run: dict[str, Any], log: RunnerLog) -> None:
    log.write(f"first of {run['id']}")
    whole = log.path.read_bytes()
    log.path.write_bytes(whole[:-10])
    first = page(alice, run)
    assert messages(first) == []
    with log.path.open("ab") as file:
        file.write(whole[-10:])
    assert messages(page(alice, run, first["next"])) == [f"first of {run['id']}"]


def test_a_log_that_was_moved_aside_is_read_to_its_end(alice: Person, run: dict[str, Any], log: RunnerLog) -> None:
    log.write(f"first of {run['id']}")
    first = page(alice, run)
    log.write(f"second of {run['id']}")
    log.path.rename(log.path.with_suffix(".log.1"))
    log.write(f"third of {run['id']}")
    assert messages(page(alice, run, first["next"])) == [f"second of {run['id']}", f"third of {run['id']}"]
    assert messages(page(alice, run)) == [f"{nth} of {run['id']}" for nth in ("first", "second", "third")]


def test_a_long_log_is_shown_page_by_page(alice: Person, run: dict[str, Any], log: RunnerLog) -> None:
    written = [f"{number} of {run['id']}" for number in range(MOST_LINES + 3)]
    for message in written:
        log.write(message)
    first = page(alice, run)
    assert messages(first) + messages(page(alice, run, first["next"])) == written


def test_what_was_written_of_the_binding_after_the_run_is_not_shown(
    alice: Person, run: dict[str, Any], log: RunnerLog
) -> None:
    with organisation_context(alice.organisation.pk):
        Run.objects.update(ended_at=datetime.now(UTC) - timedelta(minutes=5))
    log.write(f"binding {run['binding']} of a later run")
    log.write(f"run {run['id']} after all")
    assert messages(page(alice, run)) == [f"run {run['id']} after all"]


def test_changes_of_state_stand_between_the_lines(
    alice: Person, binding: dict[str, Any], scene: Any, log: RunnerLog, django_capture_on_commit_callbacks: Any
) -> None:
    run = {"id": scene.run_id, "binding": binding["id"]}
    scene.turn()
    scene.lease()
    scene.report("failed", domain="user", message="The speed is no number.")
    with django_capture_on_commit_callbacks(execute=True):
        scene.turn()
    log.at = scene.clock.at - timedelta(seconds=1)
    log.write(f"run {run['id']}: carry it")
    read = page(alice, run)
    assert lines(read) == [
        ("info", f"run {run['id']}: carry it"),
        ("error", "failed: The speed is no number."),
    ]
    assert messages(page(alice, run, read["next"])) == []


def test_lines_are_looked_for_by_level_and_text(alice: Person, run: dict[str, Any], log: RunnerLog) -> None:
    log.write(f"first of {run['id']}")
    log.write(f"Second of {run['id']}", "warning")
    log.write(f"second, of {run['id']}, failed", "error")

    def find_lines(asked: str) -> list[str]:
        return messages(alice.get(f"runs/{run['id']}/logs/?{asked}").json())

    assert find_lines("text=SECOND") == [f"Second of {run['id']}", f"second, of {run['id']}, failed"]
    assert find_lines("level=error") == [f"second, of {run['id']}, failed"]
    assert find_lines("level=warning&text=Second of") == [f"Second of {run['id']}"]
    read = alice.get(f"runs/{run['id']}/logs/?text=start requested").json()["lines"]
    assert [line["message"] for line in read] == ["start requested by alice@acme.example: speeding, version 1."]
    assert alice.get(f"runs/{run['id']}/logs/?level=loud").status_code == 422


@pytest.mark.parametrize("after", ["x", "1.2", "1.2_x", "0.0_0-0", ""])
def test_what_is_no_cursor_is_refused(alice: Person, run: dict[str, Any], after: str) -> None:
    answered = alice.get(f"runs/{run['id']}/logs/?after={after}")
    assert (answered.status_code, answered.json()["faults"][0]["field"]) == (422, "after")


def test_a_run_that_nobody_wrote_of_has_no_lines(alice: Person, run: dict[str, Any]) -> None:
    assert lines(page(alice, run)) == []


def test_lines_that_are_none_of_the_runners_are_passed_over(alice: Person, run: dict[str, Any], log: RunnerLog) -> None:
    about = f"binding {run['binding']}"
    lines = [
        json.dumps({"at": "0001-01-01T00:00:00+14:00", "level": "info", "message": about}),
        json.dumps({"at": "2020-01-01T00:00:00", "level": "info", "message": about}),
        json.dumps({"at": 7, "level": "info", "message": about}),
        json.dumps([about]),
        "[" * 100_000 + about,
        f"\x1b[2J {about} \\ud800",
    ]
    with log.path.open("a") as file:
        file.write("\n".join(lines) + "\n")
    log.write(about)
    assert messages(page(alice, run))[-1:] == [about]
    assert messages(page(alice, run)).count(about) == 1
