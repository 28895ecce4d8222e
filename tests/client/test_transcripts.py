"""Worked examples run by the server, and the log of a run."""

from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Pauses, Punctual
from tests.client.test_tail import end
from tests.conftest import ROOT
from tests.webapp.conftest import Person

EXAMPLES = ROOT / "tests" / "transcripts"


@pytest.fixture
def example() -> Path:
    """Return a file of examples that pass and have results."""
    with_results = (path for path in EXAMPLES.rglob("*.yaml") if "expect" in path.read_text())
    return min(with_results, key=lambda path: path.stat().st_size)


def test_examples_that_hold_are_0(punctual: Punctual, example: Path) -> None:
    ended = punctual("transcript", "run", str(example), "--json")
    assert (ended.code, ended.json["failed"]) == (0, 0), ended
    assert ended.json["passed"] >= 1
    assert all(each["passed"] for each in ended.json["files"][0]["results"])


def test_a_folder_is_every_file_in_it(punctual: Punctual, example: Path, tmp_path: Path) -> None:
    for name in ("a.yaml", "deep/b.yml"):
        (tmp_path / "some" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "some" / name).write_text(example.read_text())
    (tmp_path / "some" / "notes.txt").write_text("not one")
    ended = punctual("transcript", "run", str(tmp_path / "some"), "--json")
    names = [Path(each["file"]).name for each in ended.json["files"]]
    assert (ended.code, names) == (0, ["a.yaml", "b.yml"])


def test_an_example_that_differs_is_1_and_says_how(punctual: Punctual, example: Path, tmp_path: Path) -> None:
    text = example.read_text()
    assert "expect" in text
    broken = tmp_path / "broken.yaml"
    broken.write_text(
        text[: text.index("expect")] + "expect: {results: {out: [{start: 1, end: 2, payload: {q: 1}}]}}\n"
    )
    ended = punctual("transcript", "run", str(broken))
    assert ended.code == 1
    assert ended.err or "FAILED" in ended.out


@pytest.mark.parametrize("name", ["absent.yaml", "empty"])
def test_no_transcript_is_4(name: str, punctual: Punctual, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert punctual("transcript", "run", str(tmp_path / name)).code == 4


@pytest.fixture
def _redis(redis_connection: Any) -> None:
    """Return the folder where the application records the states of runs."""


@pytest.mark.usefixtures("_redis")
def test_the_log_of_a_run_ends_with_it(
    punctual: Punctual, binding: dict[str, Any], alice: Person, pauses: Pauses
) -> None:
    run = punctual("run", "start", "watch", "--json").json["id"]
    now = punctual("run", "logs", "watch", "--json")
    assert now.code == 0
    assert all(set(line) == {"at", "level", "message"} for line in now.lines)
    pauses.set(lambda: punctual_stop(alice, binding), lambda: end(alice, run))
    followed = punctual("run", "logs", run, "--follow", "--json")
    assert followed.code == 0
    assert followed.lines[: len(now.lines)] == now.lines
    assert pauses.happenings == []


def punctual_stop(alice: Person, binding: dict[str, Any]) -> None:
    assert alice.post(f"bindings/{binding['id']}/stop/", {"flush": False}).status_code == 200


@pytest.mark.usefixtures("_redis")
def test_ctrl_c_ends_the_log_with_0(punctual: Punctual, run: str, pauses: Pauses) -> None:
    pauses.set()
    assert punctual("run", "logs", "watch", "--follow").code == 0
