"""The cut of a plan into two stages, and the rows that cross it."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.payload.types import Long, String
from streaming.definition.streams.stream import StreamDefinition
from streaming.engine.columns.flows import GONE, OLD, WHOLE, Flows
from streaming.engine.columns.ipc import from_bytes
from streaming.engine.exchange.buckets import bucket_of
from streaming.engine.exchange.cti_chunk import ctis_of_chunk, ctis_to_chunk
from streaming.engine.exchange.envelopes import Envelope
from streaming.engine.operators.bucket import BucketOperators
from streaming.engine.operators.kernel import NodeOutput
from streaming.engine.operators.stage_exchange import sent_on
from streaming.engine.state.state_store import DictState
from streaming.planning.compile import compile_binding
from streaming.planning.plan import Branch, CutPlan, QueryPlan, SecondStage
from streaming.temporal.settings import AdvanceTime, Late

STREAM = StreamDefinition.model_validate({"fields": {"device": "string", "lane": "string", "v": "long"}})
BUCKETS = 4


def window(name: str, source: str, *by: str) -> dict[str, Any]:
    sums = [{"name": "v", "function": "sum", "of": "v"}]
    tumbling = {"kind": "tumbling", "size": 10}
    return {"id": name, "kind": "window", "input": source, "group_by": list(by), "window": tumbling, "aggregates": sums}


def keyed_anew(name: str, source: str, field: str = "device") -> dict[str, Any]:
    columns = [{"name": field, "of": "cast(v % 2 as string)"}, {"name": "v", "of": "v"}]
    return {"id": name, "kind": "project", "input": source, "columns": columns}


def out(source: str) -> dict[str, Any]:
    return {"id": f"out_{source}", "kind": "output", "input": source}


def compiled(*nodes: dict[str, Any], late: Late = Late.DROP, shape: str = "point", stages: int = 2) -> QueryPlan:
    inputs = [{"id": "s", "kind": "input", "stream": "s"}]
    graph = QueryGraph.model_validate({"version": 1, "name": "cut", "nodes": [*inputs, *nodes]})
    stream = StreamDefinition.model_validate({**STREAM.model_dump(mode="json"), "shape": shape})
    return compile_binding(graph, {"s": stream}, {"s": AdvanceTime(late=late)}, BUCKETS, stages)


def names(plan: QueryPlan) -> tuple[set[str], set[str]]:
    """Return the nodes of each stage."""
    behind = plan.second.nodes if plan.second is not None else ()
    return {node.id for node in plan.nodes}, {node.id for node in behind}


def branches(second: SecondStage | None) -> dict[str, tuple[str, ...]]:
    """Return the keys of each cut wire."""
    cut = second.inputs.values() if second is not None else ()
    return {branch.id: branch.keys for each in cut for branch in each.branches}


BY_BOTH = window("a", "s", "device", "lane")


def test_a_key_among_those_of_the_node_before_needs_no_second_stage() -> None:
    plan = compiled(BY_BOTH, window("b", "a", "lane"), out("b"))
    assert (plan.spread, plan.inputs["s"].branches[0].keys) == ((BUCKETS, 0), ("lane",))


def test_a_plan_says_how_its_rows_are_divided() -> None:
    by_lane, by_device = (compiled(BY_BOTH, window("b", "a", key), out("b")) for key in ("lane", "device"))
    in_two = compiled(BY_BOTH, window("b", "a", "lane"), window("c", "a", "device"), out("b"), out("c"))
    nowhere = compiled(window("b", "s"), out("b"))
    assert (by_lane.spread, nowhere.routing) == (by_device.spread, "")
    assert len({plan.routing for plan in (by_lane, by_device, in_two, nowhere)}) == 4
    assert by_lane.routing == compiled(BY_BOTH, window("b", "a", "lane"), out("b")).routing


def test_two_readers_with_different_keys_are_in_two_stages() -> None:
    plan = compiled(BY_BOTH, window("b", "a", "lane"), window("c", "a", "device"), out("b"), out("c"))
    assert names(plan) == ({"a", "b", "out_b"}, {"c", "out_c"})
    assert branches(plan.second) == {"c#0": ("device",)}
    assert (plan.spread, plan.buckets_at("out_b"), plan.buckets_at("out_c")) == ((BUCKETS, BUCKETS), BUCKETS, BUCKETS)


def test_one_node_may_be_cut_by_two_keys_at_once() -> None:
    first = window("a", "s", "device")
    projects = keyed_anew("x", "a"), keyed_anew("y", "a", "lane")
    plan = compiled(first, *projects, window("b", "x", "device"), window("c", "y", "lane"), out("b"), out("c"))
    assert names(plan) == ({"a"}, {"b", "c", "out_b", "out_c"})
    assert branches(plan.second) == {"b#0": ("device",), "c#0": ("lane",)}
    assert plan.second is not None
    assert list(plan.second.inputs) == ["a"]
    assert plan.second.inputs["a"].lanes == ("0", "1", "2", "3")


def test_a_node_without_a_key_is_one_bucket_after_many() -> None:
    plan = compiled(BY_BOTH, window("b", "a"), out("b"))
    assert plan.spread == (BUCKETS, 1)
    assert names(plan) == ({"a"}, {"b", "out_b"})


def test_what_would_need_a_third_stage_is_one_bucket_in_the_second() -> None:
    nodes = (keyed_anew("x", "a"), window("b", "x", "device"), keyed_anew("y", "b"), window("c", "y", "device"))
    plan = compiled(BY_BOTH, *nodes, out("c"))
    assert names(plan) == ({"a"}, {"b", "c", "out_c"})
    assert plan.spread == (BUCKETS, 1)


def test_rows_of_the_feed_that_the_second_stage_reads_pass_through_the_first_spread_as_it_wants_them() -> None:
    join = {"id": "j", "kind": "semi_join", "left": "x", "right": "s", "keys": ["device"]}
    plan = compiled(window("a", "s", "device"), keyed_anew("x", "a"), join, out("j"))
    assert names(plan) == ({"a"}, {"j", "out_j"})
    assert branches(plan.second) == {"j#0": ("device",), "j#1": ("device",)}
    assert {branch.id: branch.keys for branch in plan.inputs["s"].branches} == {"a#0": ("device",), "j#1": ("device",)}


@pytest.mark.parametrize(("late", "shape"), [(Late.KEEP, "point"), (Late.DROP, "interval")])
def test_a_row_whose_outcome_is_open_does_not_cross(late: Late, shape: str) -> None:
    """The first window refuses some rows that the second, which reads the same input, may take."""
    top = {"id": "t", "kind": "top_k", "input": "u", "window": {"kind": "tumbling", "size": 10}, "by": "v", "k": 1}
    nodes = (
        {"id": "d", "kind": "project", "input": "s", "columns": [{"name": "v", "of": "v"}]},
        {"id": "e", "kind": "project", "input": "a", "columns": [{"name": "v", "of": "v"}]},
        {"id": "u", "kind": "union", "inputs": ["d", "e"]},
    )
    assert compiled(BY_BOTH, *nodes, top, out("t")).spread == (BUCKETS, 1)
    assert compiled(BY_BOTH, *nodes, top, out("t"), late=late, shape=shape).spread == (1, 0)


def test_a_plan_without_keys_stays_as_it_is() -> None:
    assert compiled(window("a", "s"), window("b", "a"), out("b")).spread == (1, 0)


@pytest.mark.parametrize("stages", [1, 2])
def test_what_has_no_key_is_in_the_first_of_many_buckets(stages: int) -> None:
    plan = compiled(BY_BOTH, window("b", "s"), out("a"), out("b"), stages=stages)
    assert (plan.spread, names(plan)[1]) == ((BUCKETS, 0), set())
    assert {branch.id: branch.keys for branch in plan.inputs["s"].branches} == {"a#0": ("device", "lane"), "b#0": ()}


def test_a_carrier_of_one_stage_runs_in_one_bucket_what_is_cut_elsewhere() -> None:
    assert compiled(BY_BOTH, window("b", "a"), out("b"), stages=1).spread == (1, 0)


FIELDS = {"device": String(), "v": Long()}
CUT = CutPlan("a", ("0", "1"), (Branch("b#0", (), FIELDS, FIELDS, keys=("device",)),))


def flows(devices: list[str], flags: list[int], ids: list[str]) -> Flows:
    starts = np.arange(len(devices), dtype=np.int64)
    columns = {"device": pa.array(devices), "v": pa.array(starts)}
    source = pa.nulls(len(devices), pa.string())
    return Flows(starts, starts + 5, columns, flag=np.array(flags, np.int8), id=pa.array(ids), source=source)


def test_a_row_that_is_replaced_elsewhere_is_retracted_where_it_was() -> None:
    """Only then does a bucket remove the row: the bucket of its successor has no row of that id."""
    devices = [f"d{number}" for number in range(20)]
    places = bucket_of([pa.array(devices)], 20, 2)
    here, there = devices[int(np.argmin(places))], devices[int(np.argmax(places))]
    moved = flows([here, there, here, here], [OLD, WHOLE, OLD, WHOLE], ["p", "p", "q", "q"])
    sent = sent_on(SecondStage({"a": CUT}, (), 2), 1, {"a": NodeOutput(moved, (7,), 9)}, {"a": 7})
    buckets = {
        (row["device"], row["@flag"], row["@id"]): each.bucket
        for each in sent
        if each.kind == "events"
        for row in from_bytes(each.chunk).to_pylist()
    }
    assert buckets == {
        (here, GONE, "1|p"): 0,
        (there, WHOLE, "1|p"): 1,
        (here, OLD, "1|q"): 0,
        (here, WHOLE, "1|q"): 0,
    }
    ctis_sent = [(each.bucket, ctis_of_chunk(each.chunk)) for each in sent if each.kind == "ctis"]
    assert [(bucket, [each.tolist() for each in ctis], at) for bucket, (ctis, at) in ctis_sent] == [
        (0, [[7]], 9),
        (1, [[7]], 9),
    ]
    assert {(each.input, each.lane, each.cti) for each in sent} == {("a", "1", 7)}


def test_a_bucket_without_ctis_delays_the_second_stage() -> None:
    plan = compiled(BY_BOTH, window("b", "a", "lane"), window("c", "a", "device"), out("b"), out("c"))
    assert plan.second is not None
    operators = BucketOperators(plan.second, 0, DictState())

    def output_ctis(lane: str, cti: int) -> list[int]:
        envelope = Envelope(0, "a", lane, 0, cti, "ctis", ctis_to_chunk([np.array([cti])], 0))
        outputs = operators.turn(1, [envelope])
        return [cti for each in outputs for cti in ctis_of_chunk(each.chunk)[0][0]]

    assert [output_ctis(lane, 50) for lane in "012"] == [[], [], []]
    assert output_ctis("3", 30) == [30]
    assert output_ctis("3", 90) == [50]
