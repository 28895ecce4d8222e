"""Random definitions and inputs for the laws."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.wire.case import Case, CaseRow, EndMode

FIELDS = {"k": "string", "v": "long"}
FILTERS = ("v > 0", "k = 'a' or v < 3", "v % 2 = 0", "10 / v > 2", "k is not null")
LENGTHS = st.integers(1, 25)
TIMES = st.integers(-10, 60)

Row = dict[str, Any]


@st.composite
def windows(draw: st.DrawFn) -> dict[str, Any]:
    """Tumbling or hopping, with overlaps, gaps and offsets."""
    size = draw(LENGTHS)
    if draw(st.booleans()):
        return {"kind": "tumbling", "size": size, "offset": draw(st.integers(-30, 30))}
    return {"kind": "hopping", "size": size, "hop": draw(LENGTHS), "offset": draw(st.integers(-30, 30))}


@st.composite
def graphs(draw: st.DrawFn, *, chained: bool = True) -> QueryGraph:
    """A filter or project or neither, then windows or none; beside it the input as it came."""
    nodes: list[dict[str, Any]] = [{"id": "s", "kind": "input", "stream": "s"}]
    last = "s"
    if draw(st.booleans()):
        nodes.append({"id": "f", "kind": "filter", "input": last, "where": draw(st.sampled_from(FILTERS))})
        last = "f"
    if draw(st.booleans()):
        columns = [{"name": "k", "of": "k"}, {"name": "v", "of": draw(st.sampled_from(("v * 2", "6 % v", "v")))}]
        nodes.append({"id": "p", "kind": "project", "input": last, "columns": columns})
        last = "p"
    for number in range(draw(st.integers(0, 2 if chained else 1))):
        window = {"id": f"w{number}", "kind": "window", "input": last, "window": draw(windows()), "group_by": ["k"]}
        aggregates = [{"name": "v", "function": "sum", "of": "v"}, {"name": "n", "function": "count"}]
        nodes.append(window | {"aggregates": aggregates})
        last = f"w{number}"
    nodes.append({"id": "out", "kind": "output", "input": last})
    if draw(st.booleans()):
        nodes.append({"id": "raw", "kind": "output", "input": "s"})
    return QueryGraph.model_validate({"version": 1, "name": "drawn", "nodes": nodes})


@st.composite
def advances(draw: st.DrawFn, *, generate: bool = True) -> dict[str, Any]:
    """Advance-time settings; without `generate` time moves by explicit CTIs alone."""
    advance: dict[str, Any] = {
        "late": draw(st.sampled_from(("drop", "adjust", "shift", "keep"))),
        "late_end": draw(st.sampled_from(("leave_open", "close_at_cti"))),
    }
    if generate and draw(st.booleans()):
        every = draw(st.one_of(st.integers(1, 4), st.integers(1, 12).map(lambda ticks: f"{ticks}us")))
        basis = draw(st.sampled_from(("last", "max")))
        advance["generate"] = {"every": every, "delay": draw(st.integers(-3, 12)), "basis": basis, "final": True}
    return advance


PAYLOADS = st.fixed_dictionaries({}, optional={"k": st.sampled_from(("a", "b")), "v": st.integers(-2, 5)})


@st.composite
def events(draw: st.DrawFn, shape: str = "interval") -> Row:
    """One well-formed point or interval."""
    start = draw(TIMES)
    row: Row = {"start": start, "payload": draw(PAYLOADS)}
    if shape == "interval":
        row["end"] = start + draw(LENGTHS)
    return row


@st.composite
def edges(draw: st.DrawFn) -> list[Row]:
    """Starts and, for most of them, an end somewhere after it in arrival order; now and then an end too many."""
    rows: list[Row] = []
    for _ in range(draw(st.integers(0, 7))):
        start, payload = draw(TIMES), draw(PAYLOADS)
        place = draw(st.integers(0, len(rows)))
        rows.insert(place, {"edge": "start", "start": start, "payload": payload})
        for _ in range(draw(st.sampled_from((0, 1, 1, 1, 2)))):
            end = {"edge": "end", "start": start, "end": start + draw(LENGTHS), "payload": payload}
            rows.insert(draw(st.integers(place + 1, len(rows))), end)
    return rows


ODDITIES = st.sampled_from(
    (
        {"bad": "{"},
        {"start": "noon"},
        {"cti": "soon"},
        {"start": 1, "end": 0, "edge": "end", "payload": {}},
        {"start": 1, "end": 2, "edge": "start", "payload": {"v": "1"}},
        {"cti": None},
    )
)


@st.composite
def cases(
    draw: st.DrawFn, *, odd: bool = True, generate: bool = True, lanes: bool = True, chained: bool = True
) -> Case:
    """A whole case: `odd` adds malformed rows and an early infinity, `lanes` a second lane."""
    shape = draw(st.sampled_from(("point", "interval", "edge")))
    rows = draw(edges() if shape == "edge" else st.lists(events(shape), max_size=12))
    extra = st.one_of(TIMES.map(lambda at: {"cti": at}), *([ODDITIES] if odd else []))
    for row in draw(st.lists(extra, max_size=4)):
        rows.insert(draw(st.integers(0, len(rows))), dict(row))
    names = ["0", "1"] if lanes and draw(st.booleans()) else ["0"]
    stream = StreamDefinition.model_validate(
        {"shape": shape, "fields": FIELDS, "advance": draw(advances(generate=generate)), "lanes": names}
    )
    graph = draw(graphs(chained=chained and shape != "edge"))
    placed = [CaseRow("s", draw(st.sampled_from(names)), 0, row) for row in rows]
    return Case("drawn", graph, {"s": stream}, tuple(placed), draw(st.sampled_from(EndMode)))


def lifetime(row: Mapping[str, Any]) -> tuple[int, int]:
    """The `[start, end)` that a well-formed point or interval row says."""
    return row["start"], row.get("end", row["start"] + 1)
