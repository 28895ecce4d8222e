"""Agreement of buckets: ids of edges, outcomes of rows that go to several nodes, counts after a restart."""

from dataclasses import replace
from typing import Any

import pytest

from streaming.engine import execution as engine
from streaming.reference import execution as reference
from streaming.transcripts.load import parse
from streaming.transcripts.prepare import define, prepare
from streaming.wire.execution.case import Case, EndMode
from tests.engine.agreement import differences
from tests.reference.laws.runs import cut

S = {"id": "s", "kind": "input", "stream": "s"}
OUT = {"id": "out", "kind": "output", "input": "op"}
RAW = {"id": "raw", "kind": "output", "input": "s"}


def case(stream: dict[str, Any], nodes: list[dict[str, Any]], *rows: dict[str, Any]) -> Case:
    streams = {"s": {"fields": {"k": "string", "v": "long"}, **stream}}
    document = {"name": "x", "streams": streams, "query": {"nodes": [S, *nodes, OUT, RAW]}, "expect": {"events": []}}
    transcript = parse({**document, "input": [{"stream": "s", **row} for row in rows]}, "x")
    return replace(prepare(transcript, define(transcript)), end=EndMode.FLUSH)


def start(at: int, key: str) -> dict[str, Any]:
    return {"edge": "start", "start": at, "payload": {"k": key, "v": at}}


SIDE = {"id": "r", "kind": "project", "input": "s", "columns": [{"name": "k", "of": "k"}, {"name": "w", "of": "v"}]}
CLIP = {"id": "op", "kind": "clip", "input": "s", "by": "r", "keys": ["k"]}
JOIN = {"id": "op", "kind": "join", "left": "s", "right": "r", "keys": ["k"]}
EDGES = [start(number, key) for number, key in enumerate("abcdefgh")]
HOPPING = {"kind": "hopping", "size": 17, "hop": 12, "offset": -1}
LARGEST = {"id": "op", "kind": "top_k", "input": "s", "window": HOPPING, "group_by": ["k"], "by": "v", "k": 2}
LATE = [
    {"start": 70, "payload": {"k": "z", "v": 1}},
    *({"start": at, "payload": {"k": key, "v": at}} for at, key in enumerate("abcdefgh")),
    {"start": 71, "payload": {"k": "z", "v": 1}},
]


@pytest.mark.parametrize("buckets", [1, 2, 3, 8])
@pytest.mark.parametrize(
    "whole",
    [
        pytest.param(case({"shape": "edge"}, [SIDE, CLIP], *EDGES), id="pieces without an end"),
        pytest.param(case({"shape": "edge"}, [SIDE, JOIN], *EDGES, {"cti": 90}), id="pairs of edges"),
        pytest.param(case({"advance": {"preset": "lenses"}}, [LARGEST], *LATE), id="rows that two nodes take"),
        pytest.param(case({"advance": {"preset": "spl_event_time(1us, 1us)"}}, [LARGEST], *LATE), id="refusals"),
    ],
)
def test_all_buckets_together_agree_with_the_reference(whole: Case, buckets: int) -> None:
    each = replace(cut(whole, range(1, len(whole.rows))), restart=True)
    expected = reference.run_case(replace(each, restart=False))
    assert differences(each, expected, engine.run_case(each, buckets), each_alone=True) == []
