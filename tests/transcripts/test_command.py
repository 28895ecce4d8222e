"""The command line: its lines, its exit code, and what it refuses."""

from pathlib import Path

import pytest

from streaming.transcripts.__main__ import main

GOOD = """
name: {name}
streams:
  s: {{shape: point, fields: {{v: long, d: double}}, advance: {{generate: {{every: 1, delay: 0}}, late: drop}}}}
query:
  nodes:
    - {{id: s, kind: input, stream: s}}
    - {{id: out, kind: output, input: s}}
input:
  - {{stream: s, start: 1, payload: {{v: 1, d: 0.5}}}}
  - {{stream: s, start: 5, payload: {{v: 2, d: 0.25}}}}
  - {{stream: s, start: 4, payload: {{v: 3, d: 1}}}}
expect:
  events:
    - {{start: 1, payload: {{v: 1, d: {d}}}}}
    - {{start: 5, payload: {{v: {v}, d: 0.25}}}}
  ctis: {ctis}
  late: [{{stream: s, start: 4, outcome: {outcome}}}]
  outcomes: {{on_time: 2, dropped_late: {dropped}}}
"""
RIGHT = {"name": "right", "d": "0.5", "v": "2", "ctis": "[1, 5]", "outcome": "dropped_late", "dropped": "1"}


def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, *options: str) -> tuple[int, list[str]]:
    path = tmp_path / "case.yaml"
    path.write_text(text, encoding="utf-8")
    code = main([str(path), "--executor", "reference", *options])
    return code, capsys.readouterr().out.splitlines()


def test_a_transcript_that_holds_prints_ok(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = run(tmp_path, capsys, GOOD.format(**RIGHT), "--cuts", "all")
    assert (code, lines) == (0, ["ok right", "1 passed, 0 failed"])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"v": "3"}, "events missing: out [5, 6) {v: 3, d: 0.25}; events not expected: out [5, 6) {v: 2, d: 0.25}"),
        ({"d": "0.5000001"}, "events missing: out [1, 2) {v: 1, d: 0.5000001}"),
        ({"ctis": "[5]"}, "ctis of out are [1, 5], expected [5]"),
        ({"outcome": "shifted"}, "late missing: {stream: s, start: 4, outcome: shifted}"),
        ({"dropped": "2"}, "outcomes are {'on_time': 2, 'dropped_late': 1}, expected"),
    ],
)
def test_each_part_of_the_expectation_can_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: dict[str, str], message: str
) -> None:
    code, lines = run(tmp_path, capsys, GOOD.format(**RIGHT | wrong))
    assert code == 1
    assert lines[0].startswith("FAIL right: ")
    assert message in lines[0]
    assert lines[1] == "0 passed, 1 failed"


def test_doubles_are_compared_with_a_tolerance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = run(tmp_path, capsys, GOOD.format(**RIGHT | {"d": "0.50000000000001"}))
    assert code == 0


def test_a_difference_names_the_cut_that_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = run(tmp_path, capsys, GOOD.format(**RIGHT | {"ctis": "[5]"}), "--cuts", "all")
    assert code == 1
    assert not lines[0].endswith("(cut before row 1)"), "the case as it is written comes first"


def test_a_gap_that_is_closed_fails_until_its_mark_is_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = GOOD.format(**RIGHT) + "broken_on: [reference]\n"
    code, lines = run(tmp_path, capsys, text)
    assert (code, lines[0]) == (1, "FAIL right: it holds, but is marked broken_on reference; remove the mark")


def test_a_gap_that_is_marked_passes_while_it_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = run(tmp_path, capsys, GOOD.format(**RIGHT | {"v": "3"}) + "broken_on: [reference]\n")
    assert (code, lines[0]) == (0, "ok right")


def test_a_mark_does_not_hide_an_impossible_expectation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = run(tmp_path, capsys, GOOD.format(**RIGHT | {"v": "'2'"}) + "broken_on: [reference]\n")
    assert code == 1
    assert "an expected payload cannot be: v: expected a whole number, found '2'" in lines[0]


def test_a_definition_that_is_not_refused_fails_its_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = GOOD.format(**RIGHT).partition("\ninput:")[0] + "\nerror: cycle\n"
    code, lines = run(tmp_path, capsys, text)
    assert (code, lines[0]) == (1, "FAIL right: the definition is not refused with 'cycle'; its errors are none")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("comment: hello", "comment: transcripts have no such key; DEFINITION.md section 4 lists them"),
        ("end: never", "end: Expected one of 'flush', 'stop' or 'none' here"),
        ("error: cycle", "Set either 'expect' or 'error'"),
        ("end: stop\nend: none", "the key 'end' occurs twice"),
    ],
)
def test_a_key_that_does_not_exist_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, message: str
) -> None:
    code, lines = run(tmp_path, capsys, GOOD.format(**RIGHT) + line + "\n")
    assert code == 1
    assert message in "\n".join(lines)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{stream: s, cti: 4, start: 3}", "A row with 'cti' cannot have start; write two rows"),
        ("{stream: s, start: 3, strict: true}", "'strict' is valid with 'cti' only"),
        ("{stream: s, start: 3, colour: red}", "colour: transcripts have no such key"),
        ("{stream: t, start: 3}", "a row names the stream 't'; name one under 'streams'"),
    ],
)
def test_a_row_with_two_meanings_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: str, message: str
) -> None:
    code, lines = run(tmp_path, capsys, GOOD.format(**RIGHT).replace("input:\n", f"input:\n  - {row}\n"))
    assert code == 1
    assert message in "\n".join(lines)


def test_a_path_that_does_not_exist_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "nowhere.yaml"), "--executor", "reference"]) == 1
    assert "nowhere.yaml does not exist; name a .yaml file or a folder of them" in capsys.readouterr().out


def test_a_document_that_cannot_be_read_stops_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_text("name: odd\nstreamz: {}\n", encoding="utf-8")
    (tmp_path / "b.yaml").write_text("name: [", encoding="utf-8")
    (tmp_path / "c.yaml").write_text(GOOD.format(**RIGHT), encoding="utf-8")
    assert main([str(tmp_path), "--executor", "reference"]) == 1
    first, second, third, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"FAIL odd: {tmp_path / 'a.yaml'}, document 1: ")
    assert second.startswith(f"FAIL {tmp_path / 'b.yaml'}: ")
    assert third == "ok right"
    assert last == "1 passed, 2 failed"


def test_a_folder_without_transcripts_is_not_a_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path), "--executor", "reference"]) == 1
    assert "no transcript in" in capsys.readouterr().out


def test_a_stream_that_nobody_reads_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = GOOD.format(**RIGHT).replace("query:", "  t: {shape: point, fields: {}}\nquery:")
    code, lines = run(tmp_path, capsys, text)
    assert code == 1
    assert "no input node reads the stream 't'; let one read it" in lines[0]


def test_yaml_that_would_run_code_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = run(tmp_path, capsys, "!!python/object/apply:os.system ['true']\n")
    assert code == 1
    assert "could not determine a constructor" in "\n".join(lines)
