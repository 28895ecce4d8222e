"""One operator over lifetimes between an input and an output, with random streams for it."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from hypothesis import strategies as st

from streaming.definition.checks.advance import to_temporal
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.reference.executor import ReferenceRun
from streaming.reference.output import OutputRow
from streaming.wire.execution.case import ONLY_LANE, EndMode
from streaming.wire.rows.row_json import read_row

FIELDS = {"k": "string", "v": "long"}
Row = dict[str, Any]
Drawn = tuple[StreamDefinition, list[Row]]
Net = Counter[tuple[int, int, str]]
"""Lifetimes with their payloads, as a multiset."""

A: Row = {"edge": "start", "start": 0, "payload": {"k": "a", "v": -1}}
A_ENDS: Row = A | {"edge": "end", "end": 1}

_TIMES = st.integers(-10, 60)
_LENGTHS = st.integers(1, 25)
_PAYLOADS = st.fixed_dictionaries({"k": st.sampled_from(("a", "b")), "v": st.sampled_from((-1, 0, 2, 5, None))})


@st.composite
def _edges(draw: st.DrawFn) -> list[Row]:
    """Draw starts in any order and, for most of them, a later end; now and then an end too many."""
    rows: list[Row] = []
    for _ in range(draw(st.integers(0, 7))):
        start, payload = draw(_TIMES), draw(_PAYLOADS)
        place = draw(st.integers(0, len(rows)))
        rows.insert(place, {"edge": "start", "start": start, "payload": payload})
        for _ in range(draw(st.sampled_from((0, 1, 1, 1, 2)))):
            end = {"edge": "end", "start": start, "end": start + draw(_LENGTHS), "payload": payload}
            rows.insert(draw(st.integers(place + 1, len(rows))), end)
    return rows


@st.composite
def _intervals(draw: st.DrawFn) -> list[Row]:
    rows: list[Row] = []
    for _ in range(draw(st.integers(0, 8))):
        start = draw(_TIMES)
        end = None if draw(st.integers(0, 6)) == 6 else start + draw(_LENGTHS)
        rows.append({"start": start, "end": end, "payload": draw(_PAYLOADS)})
    return rows


@st.composite
def inputs(draw: st.DrawFn) -> Drawn:
    """Draw a stream of edges or intervals with any policy, its rows in any order, and CTIs between them."""
    shape = draw(st.sampled_from(("edge", "edge", "interval")))
    rows = draw(_edges() if shape == "edge" else _intervals())
    if draw(st.booleans()):
        rows.sort(key=lambda row: row["end"] if row.get("edge") == "end" else row["start"])
    for at in sorted(draw(st.lists(_TIMES, max_size=4))):
        rows.insert(draw(st.integers(0, len(rows))), {"cti": at})
    advance: Row = {
        "late": draw(st.sampled_from(("drop", "adjust", "shift", "keep"))),
        "late_end": draw(st.sampled_from(("leave_open", "close_at_cti"))),
    }
    if draw(st.booleans()):
        advance["generate"] = {"every": draw(st.integers(1, 3)), "delay": draw(st.integers(-2, 12))}
    return StreamDefinition.model_validate({"shape": shape, "fields": FIELDS, "advance": advance}), rows


def edges(late: str, *rows: Row) -> Drawn:
    """Return a stream of edges with these rows; late ends leave their edges open."""
    advance = {"late": late, "late_end": "leave_open"}
    return StreamDefinition.model_validate({"shape": "edge", "fields": FIELDS, "advance": advance}), list(rows)


def graph_of(*between: Row) -> QueryGraph:
    """Return the stream `s` through the chain of nodes `between` to the output `out`."""
    nodes: list[Row] = [{"id": "s", "kind": "input", "stream": "s"}]
    for node in (*between, {"id": "out", "kind": "output"}):
        nodes.append({"id": f"n{len(nodes)}", "input": nodes[-1]["id"]} | node)
    nodes.append({"id": "raw", "kind": "output", "input": "s"})
    return QueryGraph.model_validate({"version": 1, "name": "lifetimes", "nodes": nodes})


def run_of(drawn: Drawn, *between: Row, watch: Callable[[ReferenceRun], None] | None = None) -> ReferenceRun:
    """Run all rows through the nodes to the output `out`, and unchanged to the output `raw`; `watch` sees each step."""
    stream, rows = drawn
    run = ReferenceRun(graph_of(*between), {"s": stream}, {"s": to_temporal(stream.advance)})
    for row in rows:
        run.take("s", ONLY_LANE, read_row(row, stream))
        if watch is not None:
            watch(run)
    run.end(EndMode.FLUSH)
    return run


def rows_of(run: ReferenceRun, output: str) -> list[OutputRow]:
    """Return the net rows of one output."""
    return [row for row in run.outputs if row.output == output]


def net(rows: Iterable[OutputRow]) -> Net:
    """Return the lifetimes of `rows`."""
    return Counter((row.flow.start, row.flow.end, repr(row.flow.payload)) for row in rows)
