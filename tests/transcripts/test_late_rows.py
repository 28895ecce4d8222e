"""`expect.late` may name the times and the edge that a row has in the transcript, also of a malformed row (T13)."""

from pathlib import Path
from typing import Any

import pytest

from streaming.transcripts.format import ExecutorName, Transcript
from streaming.transcripts.judge import judge
from streaming.transcripts.load import LoadedTranscript

NODES = [{"id": "s", "kind": "input", "stream": "s"}, {"id": "out", "kind": "output", "input": "s"}]
EDGES = {"shape": "edge", "fields": {"v": "long"}, "history": {"seam": {"position": 1}}, "advance": {"late": "drop"}}


def differs(stream: dict[str, Any], rows: list[dict[str, Any]], late: list[dict[str, Any]], by: ExecutorName) -> str:
    of_stream = [{"stream": "s", **each} for each in rows]
    expect = {"events": [], "late": [{"stream": "s", **each} for each in late]}
    written = {"name": "a", "streams": {"s": stream}, "query": {"nodes": NODES}, "input": of_stream, "expect": expect}
    loaded = LoadedTranscript(Path("a.yaml"), Transcript.model_validate(written))
    (verdict,) = judge([loaded], by, "all")
    return verdict.differs


@pytest.mark.parametrize("executor", ["reference", "engine"])
@pytest.mark.parametrize(
    ("shape", "row", "late"),
    [
        ("point", {"start": 5, "payload": {"v": "x"}}, {"start": 5, "end": 6, "reason": "bad_payload"}),
        ("interval", {"start": 5, "end": 5}, {"start": 5, "end": 5, "reason": "bad_lifetime"}),
        ("interval", {"start": 5, "end": None, "payload": {"v": "x"}}, {"start": 5, "end": None}),
        ("edge", {"edge": "start", "start": 5, "payload": {"v": "x"}}, {"edge": "start", "start": 5, "end": None}),
        ("edge", {"edge": "end", "start": 5, "end": 9, "payload": {"v": "x"}}, {"edge": "end", "start": 5, "end": 9}),
        ("point", {"start": "soon"}, {"reason": "bad_time"}),
        ("point", {"start": 5, "lane": "unknown"}, {"start": 5, "lane": "0", "reason": "bad_row"}),
    ],
)
def test_a_malformed_row_has_its_written_times(
    shape: str, row: dict[str, Any], late: dict[str, Any], executor: ExecutorName
) -> None:
    stream = {"shape": shape, "fields": {"v": "long"}, "advance": {"late": "drop"}}
    assert differs(stream, [row], [{"outcome": "malformed", **late}], executor) == ""


@pytest.mark.parametrize("executor", ["reference", "engine"])
def test_an_overlap_has_its_written_edge(executor: ExecutorName) -> None:
    rows: list[dict[str, Any]] = [{"history": "end"}, {"edge": "end", "start": 5, "end": 9, "position": 0}]
    assert differs(EDGES, rows, [{"start": 5, "end": 9, "edge": "end", "outcome": "overlap"}], executor) == ""


@pytest.mark.parametrize("late", [{"start": 6}, {"start": 5, "end": 7}, {"start": 5, "edge": "start"}])
def test_other_times_than_the_written_ones_are_a_difference(late: dict[str, Any]) -> None:
    stream = {"shape": "point", "fields": {"v": "long"}, "advance": {"late": "drop"}}
    row = {"start": 5, "payload": {"v": "x"}}
    assert "late missing" in differs(stream, [row], [{"outcome": "malformed", **late}], "reference")
