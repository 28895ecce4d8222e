"""One window node between an input and an output, its rows, and random arrivals with late events."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from streaming.definition.checks.advance import temporal_settings
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.reference.execution import run_case
from streaming.reference.executor import ReferenceRun
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.execution.case import Case, CaseResult, CaseRow, CaseStep, EndMode
from streaming.wire.rows.row_json import read_row

Row = dict[str, Any]
FIELDS = {"k": "string", "v": "long"}
COUNTED = [{"name": "n", "function": "count"}]
SUMMED = [{"name": "total", "function": "sum", "of": "v"}]
LANES = ("a", "b")


def case_of(
    rows: Sequence[Row | str], node: Row, *, shape: str = "point", late: str = "keep", lanes: Sequence[str] = ()
) -> Case:
    """Return `rows` through `node`, a window or top_k; "batch" is a micro-batch boundary, the default lane "a".

    The stream lists the lanes of the rows and `lanes`; with no other than the default it has one clock (T14).
    """
    listed = sorted({*lanes_of(rows), *lanes})
    stream = StreamDefinition.model_validate(
        {"shape": shape, "fields": FIELDS, "advance": {"late": late}, "lanes": listed}
    )
    kind = node.get("kind", "window")
    aggregates = {} if kind == "top_k" else {"aggregates": node.get("aggregates", COUNTED)}
    nodes = [
        {"id": "s", "kind": "input", "stream": "s"},
        {**node, "id": "w", "kind": kind, "input": "s", **aggregates},
        {"id": "out", "kind": "output", "input": "w"},
    ]
    graph = QueryGraph.model_validate({"version": 1, "name": "windowed", "nodes": nodes})
    batch, taken = 0, []
    for row in rows:
        if isinstance(row, str):
            batch += 1
            continue
        fields = {name: value for name, value in row.items() if name != "lane"}
        taken.append(CaseRow("s", row.get("lane", LANES[0]), batch, {"payload": {}} | fields))
    return Case("windowed", graph, {"s": stream}, tuple(taken), EndMode.FLUSH)


def lanes_of(rows: Sequence[Row | str]) -> list[str]:
    return sorted({row.get("lane", LANES[0]) for row in rows if not isinstance(row, str)} | {LANES[0]})


def result_of(
    rows: Sequence[Row | str], node: Row, *, shape: str = "point", late: str = "keep", lanes: Sequence[str] = ()
) -> CaseResult:
    return run_case(case_of(rows, node, shape=shape, late=late, lanes=lanes))


def run_of(rows: Sequence[Row], node: Row, **more: str) -> ReferenceRun:
    """Return the run after the rows, not ended."""
    case = case_of(rows, node, **more)
    run = ReferenceRun(case.graph, case.streams, temporal_settings(case.graph, case.streams, case.advance))
    for row in case.rows:
        run.take("s", row.lane, read_row(row.fields, case.streams["s"]))
    return run


def rows_before_the_end(rows: Sequence[Row | str], node: Row, **more: str) -> list[CaseStep]:
    """Return the rows released without a flush."""
    case = case_of(rows, node, **more)
    found = run_case(Case(case.id, case.graph, case.streams, case.rows, EndMode.NONE)).rows
    assert found is not None
    return list(found)


def ctis_of(rows: Sequence[Row | str], node: Row, **more: str) -> tuple[int, ...]:
    return result_of(rows, node, **more).ctis["out"]


def spans_of(result: CaseResult, *fields: str) -> Counter[tuple[Any, ...]]:
    """Return the net rows: start, end, then the fields named."""
    return Counter((row.start, row.end, *(row.payload[name] for name in fields)) for row in result.events)


def point(start: int, k: str | None = None, v: int | None = None, lane: str = LANES[0]) -> Row:
    return {"start": start, "payload": {"k": k, "v": v}, "lane": lane}


def interval(start: int, end: int | None, k: str | None = None, v: int | None = None) -> Row:
    return {"start": start, "end": end, "payload": {"k": k, "v": v}}


def opens(start: int, k: str | None = None, v: int | None = None, lane: str = LANES[0]) -> Row:
    return {"edge": "start", "start": start, "payload": {"k": k, "v": v}, "lane": lane}


def ends(start: int, end: int, k: str | None = None, v: int | None = None, lane: str = LANES[0]) -> Row:
    return {"edge": "end", "start": start, "end": end, "payload": {"k": k, "v": v}, "lane": lane}


def cti(at: int, lane: str = LANES[0]) -> Row:
    return {"cti": at, "lane": lane}


@st.composite
def arrivals(draw: st.DrawFn, shape: str, lanes: Sequence[str] = LANES) -> list[Row]:
    """Draw events of two groups and CTIs on the lanes, in any order: many of them are late."""
    rows: list[Row] = []
    started: list[Row] = []
    for _ in range(draw(st.integers(0, 14))):
        lane = draw(st.sampled_from(lanes))
        start = draw(st.integers(0, 40))
        if draw(st.integers(0, 3)) == 0:
            rows.append(cti(start, lane))
            continue
        row = point(start, draw(st.sampled_from(("x", "y"))), draw(st.integers(0, 5)), lane)
        length = draw(st.integers(1, 15))
        if shape == "interval":
            row["end"] = start + length
        if shape == "edge" and started and draw(st.booleans()):
            row = started.pop(draw(st.integers(0, len(started) - 1)))
            row = row | {"edge": "end", "end": row["start"] + length}
        elif shape == "edge":
            row["edge"] = "start"
            started.append(row)
        rows.append(row)
    return rows


def late_at(rows: Sequence[Row]) -> list[tuple[Row, int | None]]:
    """Return each event with the CTI of its lane if it violates that, else None.

    This is the definition of "late_kept" (T12, T14).
    """
    reached: dict[str, int] = {}
    found = []
    for row in rows:
        at = reached.get(row["lane"], NO_CTI)
        if "cti" in row:
            reached[row["lane"]] = max(at, row["cti"])
        else:
            found.append((row, at if row["start"] < at else None))
    return found


def lifetime(row: Mapping[str, Any]) -> tuple[int, int]:
    """Return the `[start, end)` of a point or an interval; null is infinity."""
    end = row.get("end", row["start"] + 1)
    return row["start"], INFINITY if end is None else end
