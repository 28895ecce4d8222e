"""State that is carried over to widened windows, at any cut, compared to the reference; killed or not."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from streaming.reference.execution import run_case
from streaming.spark.query.control import AddBinding, StopBinding
from streaming.wire.execution.case import Case, CaseRow
from streaming.wire.messages import RunSpec
from tests.reference.batch.window_kinds import hopping, time_interval, tumbling
from tests.spark.loop import Loop
from tests.spark.planning.test_carrying_over import beginning
from tests.spark.planning.test_changeover import Killed
from tests.spark.test_loop import STAGES, rows

Node = dict[str, Any]
DURATION = 7
POOL: Mapping[str, Node] = {
    "n": {"function": "count"},
    "values": {"function": "count", "of": "v"},
    "large": {"function": "count", "filter": "v > 3"},
    "total": {"function": "sum", "of": "v"},
    "mean": {"function": "avg", "of": "v"},
    "least": {"function": "min", "of": "v"},
    "most": {"function": "max", "of": "v"},
    "word": {"function": "max", "of": "k"},
    "first_v": {"function": "first", "of": "v"},
    "last_k": {"function": "last", "of": "k"},
    "spread": {"function": "stddev", "of": "v"},
    "spread_large": {"function": "variance_pop", "of": "v", "filter": "v > 3"},
    "total_large": {"function": "sum", "of": "v", "filter": "v > 3"},
    "doubles": {"function": "sum", "of": "x"},
    "doubles_mean": {"function": "avg", "of": "x"},
    "doubles_large": {"function": "sum", "of": "x", "filter": "v > 3"},
}
KEEPS: Mapping[str, set[str]] = {
    "count": set(), "sum": {"sum"}, "avg": {"sum"}, "min": {"min"}, "max": {"max"}, "first": {"first"},
    "last": {"last"}, "stddev": {"moments"}, "variance_pop": {"moments"},
}  # fmt: skip
CHOSEN = st.lists(st.sampled_from(sorted(POOL)), min_size=1, max_size=5, unique=True)


@st.composite
def readings(draw: st.DrawFn) -> list[Node]:
    """Return points that come in batches, some of them late."""
    found, at, batch = [], 0, 0
    for number in range(draw(st.integers(4, 24))):
        at += draw(st.integers(0, 9))
        batch += draw(st.integers(0, 1)) if number else 0
        start = at - draw(st.sampled_from((0, 0, 0, 3, 8, 20)))
        payload = {
            "k": draw(st.sampled_from(("a", "b", None))),
            "v": draw(st.one_of(st.none(), st.integers(-5, 9))),
            "b": batch,
            "x": draw(st.sampled_from((None, 0.1, 0.7, 1e308, -1e308, 1e16, -1e16, 1e-16, 5e-324))),
        }
        found.append({"start": start, "payload": payload, "batch": batch})
    return found


@st.composite
def scenes(draw: st.DrawFn) -> Node:
    window = {
        "id": "w",
        "kind": "window",
        "group_by": draw(st.sampled_from(([], ["k"]))),
        "window": draw(st.one_of(tumbling(), hopping(), time_interval())),
    }
    grace = draw(st.sampled_from((None, 4, 15)))
    if grace is not None:
        window["window" if window["window"]["kind"] == "time_interval" else "grace"] = (
            {**window["window"], "discard_age": grace} if window["window"]["kind"] == "time_interval" else grace
        )
    if draw(st.booleans()):
        window |= {"empty": "default", "empty_gap": f"{draw(st.integers(1, 60))}us"}
        window |= {"empty_groups": [{"k": "a"}]} if window["group_by"] else {}
    generate = {"every": draw(st.integers(1, 4)), "delay": f"{draw(st.integers(0, 12))}us", "final": False}
    return {
        "window": window,
        "lengthened": draw(st.booleans()),
        "renamed": draw(st.booleans()),
        "advance": {"generate": generate, "late": draw(st.sampled_from(("drop", "adjust", "keep")))},
        "rows": draw(readings()),
        "buckets": draw(st.sampled_from((1, 2))),
    }


def spec(scene: Node, run: str, names: list[str], **more: Any) -> RunSpec:
    begin_empty = more.pop("begin_empty", {})
    aggregates = [{"name": name, **POOL[name], **begin_empty.get(name, {})} for name in names]
    group = scene["window"]["group_by"]
    nodes = [{"id": "s", "kind": "input", "stream": "s"}]
    if scene["lengthened"]:
        nodes.append({"id": "longer", "kind": "set_duration", "input": "s", "duration": f"{DURATION}us"})
    nodes.append({**scene["window"], "input": nodes[-1]["id"], "aggregates": aggregates})
    if scene["renamed"]:
        columns = [{"name": f"p_{name}", "of": name} for name in (*group, *names)]
        nodes.append({"id": "shown", "kind": "project", "input": "w", "columns": columns})
    nodes.append({"id": "out", "kind": "output", "input": nodes[-1]["id"]})
    fields = {"k": "string", "v": "long", "b": "long", "x": "double"}
    stream = {"shape": "point", "fields": fields, "advance": scene["advance"]}
    content = {
        "organisation": "tests",
        "binding": "a",
        "run": run,
        "desired": "running",
        "query": {"version": 1, "name": "q", "nodes": nodes},
        "inputs": {"s": {"stream": stream, "adapter": {"kind": "rows", "options": {"path": "rows.jsonl"}}}},
        "results": "results/a",
    }
    return RunSpec.model_validate_json(json.dumps({**content, **more}))


def reference(scene: Node, wanted: RunSpec) -> dict[tuple[Any, ...], Node]:
    """Return the reference results: the payload by window and group."""
    streams = {name: each.stream for name, each in wanted.inputs.items()}
    fed = tuple(
        CaseRow("s", "0", row["batch"], {"start": row["start"], "payload": row["payload"]}) for row in scene["rows"]
    )
    result = run_case(Case("law", wanted.query, streams, fed))
    assert not getattr(result, "failure", None)
    return {pane(scene, each.start, each.end, each.payload): dict(each.payload) for each in result.events}


def pane(scene: Node, start: int, end: int, payload: Mapping[str, Any]) -> tuple[Any, ...]:
    names = [f"p_{name}" if scene["renamed"] else name for name in scene["window"]["group_by"]]
    return (start, end, *(payload[name] for name in names))


def alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return True if two rows are the same, ignoring the last digits of spreads."""

    def same(name: str, a: Any, b: Any) -> bool:
        spread = "spread" in name and isinstance(a, float) and b is not None
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) if spread else a == b

    return one.keys() == other.keys() and all(same(name, one[name], other[name]) for name in one)


def begins_empty(old: list[str], new: list[str]) -> list[str]:
    """Return the aggregates of `new` that need values which were not stored for `old`."""
    kept: dict[tuple[Any, Any], set[str]] = {(None, None): set()}
    for name in old:
        each = POOL[name]
        kept.setdefault((each.get("of"), each.get("filter")), set()).update(KEEPS[each["function"]])
    return [
        name
        for name in new
        if not KEEPS[POOL[name]["function"]] <= kept.get((POOL[name].get("of"), POOL[name].get("filter")), {"nothing"})
        or (POOL[name].get("of"), POOL[name].get("filter")) not in kept
    ]


def add(loop: Loop, wanted: RunSpec, buckets: int) -> None:
    ids = list(range(buckets))
    loop.carrier.control.append(
        AddBinding(kind="add", tick=0, spec=wanted, bucket_ids=ids, lanes={"s": ["0"]}, at_end="flush")
    )


@settings(max_examples=max(12, settings.default.max_examples // 4))
@drawn(
    scene=scenes(),
    versions=st.tuples(CHOSEN, CHOSEN),
    cut=st.integers(1, 12),
    kills=st.dictionaries(st.integers(0, 12), st.sampled_from(STAGES), max_size=3),
)
def test_existing_aggregates_continue_complete_and_new_ones_start_empty_with_marks(
    scene: Node, versions: tuple[list[str], list[str]], cut: int, kills: dict[int, str]
) -> None:
    old, new = versions
    with TemporaryDirectory() as place:
        home = Path(place)
        (home / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in scene["rows"]))
        loop = Loop(home, buckets=scene["buckets"])
        add(loop, spec(scene, "a-1", old), scene["buckets"])
        for _ in range(cut):
            loop.batch()
        loop.carrier.control.append(StopBinding(kind="stop", tick=0, binding="a", flush=False))
        loop.run()
        if loop.offset.parked["a"].now.ended:
            return  # it had ended
        cut = loop.offset.parked["a"].positions["s"]["0"]
        before = [json.loads(row) for row in rows(loop, "a")[0]]
        add(loop, spec(scene, "a-2", new, begin="carried_over"), scene["buckets"])
        Killed(loop, kills).batches(100)
        every = [json.loads(row) for row in rows(loop, "a")[0]]
        assert old == new or beginning(loop, "a-2").how == "carried_over"
    after = [row for row in every if row not in before]
    names = begins_empty(old, new)
    empty = {name: {"filter": _of_later(POOL[name].get("filter"), cut)} for name in names}
    whole, carried = (reference(scene, spec(scene, "r", new, begin_empty=each)) for each in ({}, empty))
    of_old = reference(scene, spec(scene, "r", old))
    assert {pane(scene, row["start"], row["end"], row["payload"]) for row in every} == set(of_old)
    assert len(every) == len(of_old), "no window is lost or repeated"
    came = [row["start"] + 1 for row in scene["rows"] if row["batch"] < cut]
    reach = max(came) + (DURATION if scene["lengthened"] else 0) if came else -math.inf
    shown = [f"p_{name}" if scene["renamed"] else name for name in names]
    for row in before:
        assert alike(row["payload"], of_old[pane(scene, row["start"], row["end"], row["payload"])])
    for row in after:
        key = pane(scene, row["start"], row["end"], row["payload"])
        assert alike(row["payload"], carried[key])
        opened = bool(names) and row["start"] < reach
        assert row.get("incomplete", False) is opened
        assert row.get("incomplete_columns", []) == (shown if opened else [])
        assert opened or alike(row["payload"], whole[key])
        kept = {name: value for name, value in row["payload"].items() if name not in shown}
        assert alike(kept, {name: whole[key][name] for name in kept})


def _of_later(condition: str | None, cut: int) -> str:
    later = f"b >= {cut}"
    return later if condition is None else f"({condition}) and {later}"
