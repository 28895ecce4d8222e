"""Law 8: engine and reference agree, row for row, however the input is cut and however often the run is killed."""

from collections import Counter
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.engine import cases as engine
from streaming.reference import cases as reference
from streaming.temporal.settings import Late
from streaming.wire.case import Case, CaseEvent, CaseResult, CaseRow, EndMode

FIELDS = {
    "k": "string",
    "v": "long",
    "x": "double",
    "d": "decimal(10,2)",
    "b": "boolean",
    "t": "timestamp",
    "l": "array<long>",
}
EFFORT = {"max_examples": 60, "deadline": None, "suppress_health_check": list(HealthCheck)}

PAYLOADS = st.fixed_dictionaries(
    {},
    optional={
        "k": st.sampled_from(["a", "b", "", "é", "😀"]),
        "v": st.one_of(st.integers(-3, 3), st.sampled_from([2**63 - 1, -(2**63), 2**62])),
        "x": st.integers(-8, 8).map(lambda quarter: quarter / 4),
        "d": st.integers(-300, 300).map(lambda cents: f"{cents / 100:.2f}"),
        "b": st.booleans(),
        "t": st.integers(0, 5),
        "l": st.lists(st.integers(0, 1), max_size=2),
        "extra": st.just(1),
    },
)
TIMES = st.integers(-20, 80)


@st.composite
def rows(draw: st.DrawFn, shape: str, lanes: list[str]) -> list[dict[str, Any]]:
    drawn = []
    for _ in range(draw(st.integers(0, 25))):
        start = draw(TIMES)
        row: dict[str, Any] = {"start": start, "payload": draw(PAYLOADS)}
        if shape == "interval":
            row["end"] = draw(st.one_of(st.integers(1, 40).map(lambda length, s=start: s + length), st.none(), TIMES))
        kind = draw(st.integers(0, 19))
        if kind in (0, 1):
            row = {"cti": start, "strict": draw(st.booleans())}
        elif kind == 2:
            row = {"bad": "{"}
        elif kind == 3:
            row["payload"] = {"v": "3"}
        elif kind == 4:
            row["start"] = "no time"
        elif kind == 5 and draw(st.integers(0, 3)) == 0:
            row = {"cti": None}
        row["lane"] = draw(st.sampled_from(lanes)) if draw(st.integers(0, 30)) else "stranger"
        drawn.append(row)
    return drawn


FILTERS = ["v > 0", "v > 0 or k = 'a'", "not b", "x / v > 0.5", "k in ('a', '')", "v + 1 > v", "d between 0 and 1"]
PROJECTIONS = [
    {"k": "k", "v": "v * 2", "x": "x / v", "d": "d", "b": "b", "t": "t", "l": "l"},
    {"k": "upper(k)", "v": "v % 3", "x": "x", "d": "d", "b": "v > 1", "t": "t", "l": "l"},
]
AGGREGATES = [
    {"name": "n", "function": "count"},
    {"name": "nb", "function": "count", "filter": "b"},
    {"name": "nv", "function": "count", "of": "v"},
    {"name": "sv", "function": "sum", "of": "v"},
    {"name": "av", "function": "avg", "of": "v"},
    {"name": "sx", "function": "sum", "of": "x", "filter": "v > 0"},
    {"name": "ax", "function": "avg", "of": "x"},
    {"name": "mx", "function": "max", "of": "x"},
    {"name": "mv", "function": "min", "of": "v"},
    {"name": "mk", "function": "max", "of": "k"},
    {"name": "md", "function": "min", "of": "d"},
    {"name": "mb", "function": "max", "of": "b"},
    {"name": "mt", "function": "min", "of": "t"},
    {"name": "sd", "function": "sum", "of": "d"},
    {"name": "ad", "function": "avg", "of": "d", "filter": "k = 'a'"},
    {"name": "nx", "function": "sum", "of": "v + 1"},
]


@st.composite
def windows(draw: st.DrawFn) -> dict[str, Any]:
    size = draw(st.integers(1, 30))
    if draw(st.booleans()):
        return {"kind": "tumbling", "size": size, "offset": draw(st.integers(-40, 40))}
    return {"kind": "hopping", "size": size, "hop": draw(st.integers(1, 30)), "offset": draw(st.integers(-40, 40))}


@st.composite
def graphs(draw: st.DrawFn) -> QueryGraph:
    nodes: list[dict[str, Any]] = [{"id": "s", "kind": "input", "stream": "s"}]
    at = "s"
    if draw(st.booleans()):
        nodes.append({"id": "f", "kind": "filter", "input": at, "where": draw(st.sampled_from(FILTERS))})
        at = "f"
    if draw(st.integers(0, 3)) == 0:
        nodes.append({"id": "outs", "kind": "output", "input": at})
    if draw(st.integers(0, 2)) == 0:
        columns = [{"name": name, "of": of} for name, of in draw(st.sampled_from(PROJECTIONS)).items()]
        nodes.append({"id": "p", "kind": "project", "input": at, "columns": columns})
        at = "p"
    for number in range(draw(st.integers(0, 2))):
        nodes.append(
            {
                "id": f"w{number}",
                "kind": "window",
                "input": at,
                "group_by": draw(st.lists(st.sampled_from(["k", "b", "v", "d", "t", "x"]), unique=True, max_size=2)),
                "window": draw(windows()),
                "aggregates": draw(st.lists(st.sampled_from(AGGREGATES), min_size=1, max_size=5, unique_by=str)),
            }
        )
        nodes.append({"id": f"o{number}", "kind": "output", "input": f"w{number}"})
    nodes.append(_chained(draw, nodes))
    nodes.append({"id": "out", "kind": "output", "input": nodes[-1]["id"]})
    return QueryGraph.model_validate({"version": 1, "name": "g", "nodes": nodes})


def _chained(draw: st.DrawFn, nodes: list[dict[str, Any]]) -> dict[str, Any]:
    """A window over the rows of another window, or over the input."""
    source = draw(st.sampled_from([node for node in nodes if node["kind"] in ("window", "input")]))
    of = source["aggregates"][0]["name"] if source["kind"] == "window" else "v"
    return {
        "id": "last",
        "kind": "window",
        "input": source["id"],
        "group_by": source.get("group_by", [])[:1],
        "window": draw(windows()),
        "aggregates": [
            {"name": "rows", "function": "count"},
            {"name": "least", "function": "min", "of": of},
            {"name": "most", "function": "max", "of": of},
        ],
    }


ADVANCE = st.one_of(
    st.builds(lambda late: {"late": late}, st.sampled_from([late.value for late in Late])),
    st.builds(
        lambda every, delay, basis, final, late: {
            "generate": {"every": every, "delay": delay, "basis": basis, "final": final},
            "late": late,
        },
        st.one_of(st.integers(1, 5), st.sampled_from(["1us", "7us"])),
        st.integers(-3, 10),
        st.sampled_from(["last", "max"]),
        st.booleans(),
        st.sampled_from([late.value for late in Late]),
    ),
)


@st.composite
def random_cases(draw: st.DrawFn) -> Case:
    shape = draw(st.sampled_from(["point", "interval"]))
    lanes = draw(st.sampled_from([["0"], ["0"], ["0", "1"]]))
    stream = StreamDefinition.model_validate(
        {"shape": shape, "fields": FIELDS, "advance": draw(ADVANCE), "lanes": lanes}, strict=False
    )
    drawn = draw(rows(shape, lanes))
    batch, case_rows = 0, []
    for row in drawn:
        batch += draw(st.sampled_from([0, 0, 0, 1, 2]))
        lane = row.pop("lane")
        case_rows.append(CaseRow("s", lane, batch, row))
    end = draw(st.sampled_from(EndMode))
    return Case("random", draw(graphs()), {"s": stream}, tuple(case_rows), end, restart=draw(st.booleans()))


def multiset(events: tuple[CaseEvent, ...]) -> Counter[str]:
    return Counter(
        repr((event.output, event.start, event.end, sorted((k, repr(v)) for k, v in event.payload.items())))
        for event in events
    )


def assert_agree(case: Case, expected: CaseResult, seen: CaseResult) -> None:
    assert seen.failure is None
    assert multiset(seen.events) == multiset(expected.events)
    assert Counter(map(repr, seen.late)) == Counter(map(repr, expected.late))
    assert {s: dict(c) for s, c in seen.outcomes.items()} == {s: dict(c) for s, c in expected.outcomes.items()}
    if len(case.streams["s"].lanes or ()) == 1:
        assert {o: tuple(c) for o, c in seen.ctis.items()} == {o: tuple(c) for o, c in expected.ctis.items()}
        return
    for output, ctis in seen.ctis.items():
        assert list(ctis) == sorted(set(ctis))
        assert ctis[-1:] == tuple(expected.ctis[output])[-1:]


@given(random_cases())
@settings(**EFFORT)
def test_engine_and_reference_agree(case: Case) -> None:
    assert_agree(case, reference.run_case(replace(case, restart=False)), engine.run_case(case))


@given(random_cases(), st.integers(2, 3))
@settings(**EFFORT)
def test_the_number_of_buckets_changes_nothing(case: Case, buckets: int) -> None:
    assert_agree(case, reference.run_case(replace(case, restart=False)), engine.run_case(case, buckets))
