"""Law 8: engine and reference agree, row for row, however the input is cut and however often the run is killed."""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.engine import execution as engine
from streaming.reference import execution as reference
from streaming.temporal.settings import Late
from streaming.wire.execution.case import Case, CaseEvent, CaseResult, CaseRow, EndMode

FIELDS = {
    "k": "string",
    "v": "long",
    "x": "double",
    "d": "decimal(10,2)",
    "b": "boolean",
    "t": "timestamp",
    "l": "array<long>",
}
EXTREME = (1e308, -1e308, 1.7976931348623157e308, -1.5e308, 5e-324, -0.0, 0.1, 1e16, -1e16, 1e-16, 2.0**-53)
"""Doubles that overflow, cancel or vanish on the way to an ordinary sum."""


def payload(rng: Random) -> dict[str, Any]:
    values = {
        "k": rng.choice(["a", "a", "b", "", "é", "😀"]),
        "v": rng.choice([*range(-3, 4), *range(-3, 4), 2**63 - 1, -(2**63), 2**62]),
        "x": rng.choice([rng.randint(-8, 8) / 4] * 2 + [rng.uniform(-1000, 1000), rng.choice(EXTREME)]),
        "d": rng.randint(-300, 300) / 100,
        "b": rng.choice([True, False]),
        "t": rng.randint(0, 5),
        "l": [1] * rng.randint(0, 2),
        "extra": 1,
    }
    return {name: value if rng.random() < 0.9 else None for name, value in values.items() if rng.random() < 0.95}


def row(rng: Random, shape: str, at: int) -> dict[str, Any]:
    chance = rng.random()
    if chance < 0.05:
        return {"cti": at + rng.randint(-9, 5), "strict": rng.random() < 0.5}
    if chance < 0.055:
        return {"cti": rng.choice([None, None, "?"])}
    if chance < 0.07:
        return {"bad": "{"}
    drawn = {"start": at + rng.choice([0, 0, 1, -3, 4, -12, 9]), "payload": payload(rng)}
    if shape == "interval":
        length = rng.choice([1, 2, 5, 20, 40, 40, 12_000, -1] if rng.random() < 0.3 else [1, 2, 5, 20])
        drawn["end"] = drawn["start"] + length if rng.random() < 0.97 else None
    if chance < 0.08:
        drawn["payload"]["v"] = "3"
    elif chance < 0.09:
        drawn["start"] = "no time"
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
    {"name": "wx", "function": "time_weighted_avg", "of": "x", "filter": "v > 0"},
    {"name": "mx", "function": "max", "of": "x"},
    {"name": "mv", "function": "min", "of": "v"},
    {"name": "mk", "function": "max", "of": "k"},
    {"name": "md", "function": "min", "of": "d"},
    {"name": "mb", "function": "max", "of": "b"},
    {"name": "mt", "function": "min", "of": "t"},
    {"name": "sd", "function": "sum", "of": "d"},
    {"name": "ad", "function": "avg", "of": "d", "filter": "k = 'a'"},
    {"name": "nx", "function": "sum", "of": "v + 1"},
    {"name": "nn", "function": "count", "filter": "null"},
]


def window(rng: Random) -> dict[str, Any]:
    size = rng.randint(1, 30)
    if rng.random() < 0.5:
        return {"kind": "tumbling", "size": size, "offset": rng.randint(-40, 40)}
    return {"kind": "hopping", "size": size, "hop": rng.randint(1, 30), "offset": rng.randint(-40, 40)}


def graph(rng: Random) -> QueryGraph:
    nodes: list[dict[str, Any]] = [{"id": "s", "kind": "input", "stream": "s"}]
    at = "s"
    if rng.random() < 0.5:
        nodes.append({"id": "f", "kind": "filter", "input": at, "where": rng.choice(FILTERS)})
        at = "f"
    if rng.random() < 0.3:
        nodes.append({"id": "outs", "kind": "output", "input": at})
    if rng.random() < 0.4:
        columns = [{"name": name, "of": of} for name, of in rng.choice(PROJECTIONS).items()]
        nodes.append({"id": "p", "kind": "project", "input": at, "columns": columns})
        at = "p"
    for number in range(rng.randint(0, 2)):
        nodes.append(
            {
                "id": f"w{number}",
                "kind": "window",
                "input": at,
                "group_by": rng.sample(["k", "b", "v", "d", "t", "x"], rng.randint(0, 2)),
                "window": window(rng),
                "aggregates": rng.sample(AGGREGATES, rng.randint(1, 6)),
            }
        )
        nodes.append({"id": f"o{number}", "kind": "output", "input": f"w{number}"})
    nodes.append(_last(rng, [node for node in nodes if node["kind"] in ("window", "input")]))
    nodes.append({"id": "out", "kind": "output", "input": "last"})
    return QueryGraph.model_validate({"version": 1, "name": "g", "nodes": nodes})


def _last(rng: Random, sources: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a window over the rows of another window, or over the input."""
    source = rng.choice(sources)
    of = source["aggregates"][0]["name"] if source["kind"] == "window" else "v"
    return {
        "id": "last",
        "kind": "window",
        "input": source["id"],
        "group_by": source.get("group_by", [])[:1],
        "window": window(rng),
        "aggregates": [
            {"name": "rows", "function": "count"},
            {"name": "least", "function": "min", "of": of},
            {"name": "most", "function": "max", "of": of},
        ],
    }


def advance(rng: Random) -> dict[str, Any]:
    settings: dict[str, Any] = {"late": rng.choice([late.value for late in Late])}
    if rng.random() < 0.85:
        settings["generate"] = {
            "every": rng.choice([1, 2, 3, 5, "1us", "7us"]),
            "delay": rng.randint(-3, 10),
            "basis": rng.choice(["last", "max"]),
            "final": rng.random() < 0.5,
        }
    return settings


def random_case(seed: int) -> Case:
    """Return a graph, settings, up to 60 rows in one or two lanes, cuts and an end, all from `seed`."""
    rng = Random(seed)
    shape = rng.choice(["point", "interval"])
    lanes = rng.choice([["0"], ["0"], ["0", "1"]])
    stream = StreamDefinition.model_validate(
        {"shape": shape, "fields": FIELDS, "advance": advance(rng), "lanes": lanes}, strict=False
    )
    at, batch, rows = rng.randint(-30, 30), 0, []
    for _ in range(rng.randint(0, 60)):
        at += rng.choice([0, 1, 1, 2, 6])
        batch += rng.choice([0, 0, 0, 1, 2])
        lane = rng.choice(lanes) if rng.random() < 0.98 else "stranger"
        rows.append(CaseRow("s", lane, batch, row(rng, shape, at)))
    restart = rng.random() < 0.5
    return Case(f"seed {seed}", graph(rng), {"s": stream}, tuple(rows), rng.choice(list(EndMode)), restart=restart)


def rounded(value: Any) -> str:
    """Return doubles with all their digits (T62), but without the sign of zero."""
    return repr(value + 0.0 if isinstance(value, float) else value)


def multiset(events: tuple[CaseEvent, ...]) -> Counter[str]:
    return Counter(
        repr((event.output, event.start, event.end, sorted((k, rounded(v)) for k, v in event.payload.items())))
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


@given(st.integers(0, 2**32))
def test_engine_and_reference_agree(seed: int) -> None:
    case = random_case(seed)
    assert_agree(case, reference.run_case(replace(case, restart=False)), engine.run_case(case))


@given(st.integers(0, 2**32), st.integers(2, 3))
def test_the_number_of_buckets_changes_nothing(seed: int, buckets: int) -> None:
    case = random_case(seed)
    assert_agree(case, reference.run_case(replace(case, restart=False)), engine.run_case(case, buckets))
