"""Transcripts over the API: run by the reference, in a process that has limits and leaves nothing behind."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.webapp.conftest import Person
from webapp.bundles import transcripts

COUNTED = """\
name: counted
streams:
  s: {shape: interval, fields: {k: string}, advance: {generate: {every: 2, delay: 0}, late: adjust}}
query:
  nodes:
    - {id: s, kind: input, stream: s}
    - {id: w, kind: window, input: s, window: {kind: tumbling, size: 10us}, aggregates: [{name: n, function: count}]}
    - {id: out, kind: output, input: w}
input:
  - {stream: s, start: 1, end: 2, payload: {k: a}}
  - {stream: s, start: 12, end: 13, payload: {k: a}}
expect:
  events:
    - {start: 0, end: 10, payload: {n: 1}}
    - {start: 10, end: 20, payload: {n: 1}}
"""


def run(person: Person, text: str, name: str = "mine.yaml") -> Any:
    return person.post("transcripts/run/", {"name": name, "text": text})


@pytest.fixture(autouse=True)
def _temporary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Folders are made where the test can look."""
    (tmp_path / "made").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "made"))


def test_each_transcript_holds_or_says_what_differs(bob: Person, tmp_path: Path) -> None:
    wrong = COUNTED.replace("name: counted", "name: miscounted").replace("20, payload: {n: 1}", "20, payload: {n: 2}")
    answered = run(bob, f"{COUNTED}---\n{wrong}")
    assert answered.status_code == 200, answered.content
    first, second = answered.json()["results"]
    assert first == {"name": "counted", "passed": True, "differs": ""}
    assert (second["name"], second["passed"]) == ("miscounted", False)
    assert "n" in second["differs"]
    assert list((tmp_path / "made").iterdir()) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [("", "mine.yaml"), ("a: [", "mine.yaml"), ("name: x", "x"), ("- 1", "mine.yaml"), ("\x07", "mine.yaml")],
)
def test_what_is_no_transcript_says_so(alice: Person, text: str, name: str) -> None:
    answered = run(alice, text)
    assert answered.status_code == 200, answered.content
    [result] = answered.json()["results"]
    assert (result["name"], result["passed"]) == (name, False)
    assert "mine.yaml" in result["differs"]


def counted(rows: int) -> str:
    return COUNTED.replace("expect:", "  - {stream: s, start: 21, end: 22, payload: {k: a}}\n" * rows + "expect:")


MANY, LARGE = counted(300), counted(3_000)
"""One that runs for longer than no time, and one that needs some MiB to be read alone."""


def limited_to(monkeypatch: pytest.MonkeyPatch, **most: float) -> None:
    job = transcripts.verdicts
    monkeypatch.setattr(transcripts, "verdicts", replace(job, limits=replace(job.limits, **most)))


@pytest.mark.parametrize(
    ("text", "most", "sentence"),
    [
        (MANY, {"wall_s": 0.01}, "takes longer than 0.01 s"),
        (MANY, {"cpu_s": 0}, "takes more than 0 s of processor time"),
        (LARGE, {"memory_bytes": 1024**2, "wall_s": 120}, "takes more than 1 MiB of memory"),
        (MANY, {"output_bytes": 8}, "gives more than 0 MiB"),
    ],
    ids=["wall", "cpu", "memory", "output"],
)
def test_what_needs_more_than_there_is_is_ended(
    alice: Person, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, most: dict[str, float], sentence: str
) -> None:
    limited_to(monkeypatch, **most)
    answered = run(alice, text)
    [fault] = answered.json()["faults"]
    assert (answered.status_code, fault["code"]) == (422, "bad_file")
    assert sentence in fault["message"]
    assert list((tmp_path / "made").iterdir()) == []


def test_a_bomb_of_aliases_ends_within_the_limits(alice: Person) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    answered = run(alice, "\n".join(lines))
    assert answered.status_code in {200, 422}
    assert b'"passed":true' not in answered.content


def test_a_long_text_is_refused_before_it_runs(alice: Person) -> None:
    answered = run(alice, "-" * 200_001)
    assert (answered.status_code, answered.json()["faults"][0]["code"]) == (422, "bad_file")
