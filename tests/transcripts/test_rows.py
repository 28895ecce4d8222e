"""`expect.rows`: every row in the order of release, with its edge, its deletion and its pane."""

from pathlib import Path

import pytest

from streaming.transcripts.__main__ import main

EDGES = """
name: edges
streams:
  s: {{shape: edge, fields: {{k: string}}, advance: {{late: adjust}}}}
query:
  nodes:
    - {{id: s, kind: input, stream: s}}
    - {{id: out, kind: output, input: s}}
input:
  - {{stream: s, edge: start, start: 1, payload: {{k: a}}}}
  - {{stream: s, edge: start, start: 2, payload: {{k: b}}}}
  - {{stream: s, edge: end, start: 1, end: 4, payload: {{k: a}}}}
  - {{stream: s, cti: 2}}
  - {{stream: s, edge: start, start: 0, payload: {{k: c}}}}
  - {{stream: s, edge: end, start: 0, end: 2, payload: {{k: c}}}}
expect:
  events:
    - {{start: 1, end: 4, payload: {{k: a}}}}
    - {{start: 2, end: null, payload: {{k: b}}}}
  rows:
    - {opened}
    - {{start: 2, edge: start, payload: {{k: b}}}}
    - {closed}
    - {{start: 2, edge: start, payload: {{k: c}}}}
    - {vanished}
"""
RIGHT = {
    "opened": "{start: 1, edge: start, payload: {k: a}}",
    "closed": "{start: 1, end: 4, edge: end, payload: {k: a}}",
    "vanished": "{start: 2, end: 2, edge: end, deleted: true, payload: {k: c}}",
}


def verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> str:
    path = tmp_path / "case.yaml"
    path.write_text(text, encoding="utf-8")
    main([str(path), "--executor", "reference", "--cuts", "all"])
    return capsys.readouterr().out.splitlines()[0]


def test_edges_are_rows_when_they_open_close_and_vanish(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verdict(tmp_path, capsys, EDGES.format(**RIGHT)) == "ok edges"


def test_a_row_is_matched_on_what_is_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vague = {"opened": "{start: 1, end: null, payload: {k: a}}", "closed": "{start: 1, end: 4, payload: {k: a}}"}
    assert verdict(tmp_path, capsys, EDGES.format(**RIGHT | vague)) == "ok edges"


@pytest.mark.parametrize(
    "wrong",
    [
        {"opened": RIGHT["closed"], "closed": RIGHT["opened"]},
        {"closed": "{start: 1, end: 4, edge: null, payload: {k: a}}"},
        {"closed": "{start: 1, end: 4, deleted: true, payload: {k: a}}"},
        {"closed": "{start: 1, end: 5, edge: end, payload: {k: a}}"},
        {"closed": "{start: 1, end: 4, pane: {index: 0}, payload: {k: a}}"},
        {"vanished": "{start: 2, end: 2, edge: end, payload: {k: c}}"},
    ],
)
def test_the_order_and_each_part_of_a_row_can_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: dict[str, str]
) -> None:
    assert verdict(tmp_path, capsys, EDGES.format(**RIGHT | wrong)).startswith("FAIL edges: rows are out [1, infinity)")
