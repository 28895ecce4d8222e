"""Real-world files: proposed correctly, accepted, and run with the right values by every executor."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from streaming.inference.accepting import accepted_stream
from streaming.inference.propose import StreamProposal, TimeCandidate
from streaming.run.__main__ import main
from streaming.temporal.ticks import parse_instant
from tests.inference.proposals import proposed
from tests.inference.written_files import WRITTEN, WrittenFile


def candidate(proposal: StreamProposal, file: WrittenFile) -> TimeCandidate:
    return next(each for each in proposal.times if file.reads is None or each.start.pattern == file.reads)


def stream_of(file: WrittenFile, root: Path) -> dict[str, Any]:
    """Return the stream of the accepted proposal, as `--streams` takes it."""
    root.mkdir(exist_ok=True)
    (root / file.file).write_bytes(file.content)
    proposal = proposed(root, file.file)
    definition = accepted_stream(proposal, candidate(proposal, file)).model_dump(mode="json", exclude_defaults=True)
    return {**definition, "advance": {"preset": "watermark(365d)"}, **proposal.options}


def ran(files: Mapping[str, WrittenFile], root: Path, executor: str) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    """Return the results of a query that passes each file on unchanged, by the name of the file."""
    streams = {name: stream_of(file, root / name) for name, file in files.items()}
    (root / "streams.yaml").write_text(json.dumps(streams))
    nodes = [{"id": name, "kind": "input", "stream": name} for name in files]
    nodes += [{"id": f"{name}_out", "kind": "output", "input": name} for name in files]
    (root / "query.json").write_text(json.dumps({"version": 1, "name": "q", "nodes": nodes}))
    inputs = [word for name, file in files.items() for word in ("--input", f"{name}={root / name / file.file}")]
    arguments = ["--query", str(root / "query.json"), "--streams", str(root / "streams.yaml"), *inputs]
    code = main([*arguments, "--output", str(root / "{output}.jsonl"), "--executor", executor, "--quiet"])
    assert code == 0
    found = {}
    for name in files:
        rows = map(json.loads, (root / f"{name}_out.jsonl").read_text().splitlines())
        found[name] = [(row["start"], row["payload"]) for row in rows]
    return found


def expected(file: WrittenFile) -> list[tuple[int, dict[str, Any]]]:
    return [(parse_instant(start), dict(payload)) for start, payload in file.rows]


def without_times(file: WrittenFile, rows: list[tuple[int, dict[str, Any]]]) -> list[tuple[int, dict[str, Any]]]:
    """Return rows with the fields of the table: a column of times is a field too."""
    names = file.rows[0][1]
    return sorted(((start, {name: payload[name] for name in names}) for start, payload in rows), key=str)


@pytest.mark.parametrize("name", sorted(WRITTEN))
def test_the_proposal_agrees_with_the_file(name: str, tmp_path: Path) -> None:
    file = WRITTEN[name]
    (tmp_path / file.file).write_bytes(file.content)
    proposal = proposed(tmp_path, file.file)
    assert {key: value for key, value in proposal.options.items() if key != "columns"} == file.options
    start = candidate(proposal, file).start.model_dump(exclude_defaults=True)
    assert {key: start.get(key) for key in file.start} == dict(file.start)
    assert proposal.times[0].asks == (file.reads is not None)


@pytest.mark.parametrize("executor", ["reference", "engine", pytest.param("spark", marks=pytest.mark.spark)])
def test_an_accepted_proposal_runs_with_the_values_of_the_file(executor: str, tmp_path: Path) -> None:
    found = ran(WRITTEN, tmp_path, executor)
    wrong = {
        name: (without_times(file, found[name]), sorted(expected(file), key=str))
        for name, file in WRITTEN.items()
        if without_times(file, found[name]) != sorted(expected(file), key=str)
    }
    assert wrong == {}


def test_day_and_month_are_asked_for_with_both_readings(tmp_path: Path) -> None:
    file = WRITTEN["day_or_month_first"]
    (tmp_path / file.file).write_bytes(file.content)
    proposal = proposed(tmp_path, file.file)
    first, second = proposal.times[:2]
    assert (first.example, second.example) == ("04/03/2024 10:00", "04/03/2024 10:00")
    assert {first.means, second.means} == {parse_instant("2024-03-04T10:00Z"), parse_instant("2024-04-03T10:00Z")}
    assert any("'04/03/2024 10:00' is" in note and "Choose one" in note for note in proposal.notes)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("at,v\nsoon,1\nlater,2\n", "'at' has the name of a time, but more than 2 %"),
        ("at,v\n5,1\n6,2\n", "are not times between 1990 and 2100 in any unit"),
        ("a,b\nx,y\nz,w\n", "the values of no column read as times"),
    ],
)
def test_the_reason_for_proposing_no_time_is_reported(content: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text(content)
    proposal = proposed(tmp_path, "f.csv")
    assert proposal.times == []
    assert any(words in note for note in proposal.notes)


def test_a_number_with_one_comma_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("at;v\n2024-03-05;1,234\n2024-03-06;2,345\n")
    proposal = proposed(tmp_path, "f.csv")
    assert "dialect" not in proposal.options
    assert any("may be 1234 or 1.234" in note for note in proposal.notes)


def test_columns_that_are_not_proposed_are_reported(tmp_path: Path) -> None:
    names = ",".join(f"c{number}" for number in range(501))
    (tmp_path / "f.csv").write_text(f"at,{names}\n2024-03-05T10:00:00Z,{'1,' * 500}1\n")
    proposal = proposed(tmp_path, "f.csv")
    assert len(proposal.fields) == 500
    assert any("There are 502 columns" in note for note in proposal.notes)
