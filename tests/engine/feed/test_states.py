"""The state of feeds between batches, including older versions."""

import json
from typing import Any

import pytest

from streaming.definition.payload.type_text import parse_fields
from streaming.definition.streams.stream import StreamDefinition
from streaming.engine.columns.flows import Flows
from streaming.engine.columns.ipc import from_bytes
from streaming.engine.exchange.cti_chunk import ctis_of_chunk
from streaming.engine.feed.coupled_lanes import CoupledFeed
from streaming.engine.feed.judging.tally import LaneMemory, Tally, load, save
from streaming.engine.feed.lane_feed import LaneFeed
from streaming.planning.plan import Branch, InputPlan, QueryPlan
from streaming.temporal.clock import LaneClockState
from streaming.temporal.events import Cti, Event, edge_end, edge_start, point
from streaming.temporal.open_edges import OpenEdge, payload_key
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime, Generate, Late
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick, Ticks
from streaming.wire.rows.arrived import Arrived
from streaming.wire.rows.arrived_rows import JudgedRow, arrived_of

FIELDS = {"k": "string", "v": "long"}
EVERY_EVENT = Generate(delay=Ticks(0), every_count=1)


def plan(advance: AdvanceTime | None = None, *, shape: str = "point", **more: Any) -> QueryPlan:
    fields = parse_fields(FIELDS)
    stream = StreamDefinition.model_validate({"shape": shape, "fields": FIELDS, "lanes": ["a", "b"]})
    only = InputPlan("s", stream, fields, advance or AdvanceTime(), ("a", "b"), (Branch("out", (), fields, fields),))
    return QueryPlan({"s": only}, (), {}, 1, **more)


def chunk(shape: str, *elements: Event | Cti, first_position: int = 0) -> Arrived:
    stream = StreamDefinition.model_validate({"shape": shape, "fields": FIELDS})
    rows = [JudgedRow(first_position + number, each, "raw") for number, each in enumerate(elements)]
    return arrived_of(rows, stream)


@pytest.mark.parametrize("version", [2, 4])
def test_a_state_of_another_version_is_refused(version: int) -> None:
    with pytest.raises(ValueError, match=f"has version {version}, this program reads version 3"):
        load(json.dumps({"version": version}).encode())


def test_a_lane_remembers_all_of_its_clock() -> None:
    edges = (OpenEdge(Tick(3), payload_key({"k": "é"}), None, 7), OpenEdge(Tick(3), "{}", Tick(4), 9))
    clock = LaneClockState(Tick(1), Tick(2), Tick(3), 4, Tick(5), 6, edges, Tick(8))
    memory = LaneMemory(clock, 11, Tally({"on_time": 1}, {"future": 2}))
    assert load(save(memory)) == memory


def test_an_edge_that_ends_batches_later_has_the_id_and_the_adjusted_start_of_its_start() -> None:
    of = plan(AdvanceTime(late=Late.ADJUST), shape="edge")
    first = LaneFeed(of, "s", "a", None)
    first.take(chunk("edge", Cti(Tick(10)), edge_start(5, {"k": "x", "v": 1}), first_position=40))
    second = LaneFeed(of, "s", "a", first.finish(end=False).state)
    second.take(chunk("edge", edge_end(5, 30, {"k": "x", "v": 1}), first_position=42))
    (sent,) = [each for each in second.finish(end=False).envelopes if each.kind == "events"]
    flows = Flows.of_table(from_bytes(sent.chunk).replace_schema_metadata(None))
    assert (flows.start.tolist(), flows.end.tolist(), flows.ids.to_pylist()) == ([10], [30], ["s/a/41"])


def test_lanes_that_have_to_be_fed_together_are_not_fed_alone() -> None:
    with pytest.raises(ValueError, match="fed together"):
        LaneFeed(plan(together=True), "s", "a", None)


def fed(of: QueryPlan, state: bytes | None, lanes: list[str], *chunks: tuple[str, Arrived]) -> tuple[bytes, int | None]:
    """Return the state after a batch of the input s, and its CTI."""
    feed = CoupledFeed(of, state, {"s": lanes})
    for lane, each in chunks:
        feed.take("s", lane, each)
    turn = feed.finish(())
    return turn.state, turn.counts["s", lanes[0]].cti


def test_a_lane_that_is_first_seen_later_begins_at_the_cti_of_its_input() -> None:
    of = plan(AdvanceTime(EVERY_EVENT), together=True)
    state, at = fed(of, None, ["a"], ("a", chunk("point", point(10, {}))))
    assert at == 10
    late = CoupledFeed(of, state, {"s": ["a", "b"]})
    late.take("s", "b", chunk("point", point(9, {}), point(12, {})))
    turn = late.finish(())
    assert turn.counts["s", "b"].outcomes == {Outcome.DROPPED_LATE: 1, Outcome.ON_TIME: 1}
    assert turn.counts["s", "b"].reasons == {Reason.BEFORE_CTI: 1}


def test_lanes_of_the_first_batch_delay_their_input_until_each_has_a_cti() -> None:
    of = plan(AdvanceTime(EVERY_EVENT), together=True)
    state, at = fed(of, None, ["a", "b"], ("a", chunk("point", point(10, {}))))
    assert at is None
    assert fed(of, state, ["a", "b"], ("b", chunk("point", point(7, {}))))[1] == 7


def test_a_state_of_another_version_of_the_whole_feed_is_refused() -> None:
    with pytest.raises(ValueError, match="reads version 2"):
        CoupledFeed(plan(together=True), b'{"version":9,"inputs":{}}', {})


def test_the_same_rows_give_the_same_bytes() -> None:
    of = plan(AdvanceTime(EVERY_EVENT, idle_after=Ticks(5)), together=True)
    rows = chunk("point", point(10, {"k": "x"}), point(8, {"k": "y"}))
    turns = []
    for _ in range(2):
        feed = CoupledFeed(of, None, {"s": ["a", "b"]})
        feed.beat(100)
        feed.take("s", "b", rows)
        feed.beat(200, "s")
        turn = feed.finish(["s"])
        turns.append((turn.envelopes, turn.state, turn.late.to_pylist()))
    assert turns[0] == turns[1]


def test_a_batch_that_only_ends_inputs_imports_nothing_before() -> None:
    fields = parse_fields(FIELDS)
    stream = StreamDefinition.model_validate({"fields": FIELDS, "lanes": ["a"]})
    branch = (Branch("out", (), fields, fields),)
    settings = {"a": AdvanceTime(), "b": AdvanceTime(import_from="a"), "c": AdvanceTime(import_from="b")}
    inputs = {name: InputPlan(name, stream, fields, each, ("a",), branch) for name, each in settings.items()}
    of = QueryPlan(inputs, (), {}, 1, together=True)
    lanes = {name: ["a"] for name in settings}
    feed = CoupledFeed(of, None, lanes)
    feed.take("a", "a", chunk("point", Cti(Tick(10))))
    state = feed.finish(()).state
    ending = CoupledFeed(of, state, lanes).finish(list(settings))
    ctis = {each.input: ctis_of_chunk(each.chunk)[0][0].tolist() for each in ending.envelopes}
    assert ctis == {name: [INFINITY] for name in settings}
    assert {each.cti for each in ending.envelopes} == {INFINITY}


def test_a_feed_that_has_seen_nothing_has_a_small_state() -> None:
    assert json.loads(save(LaneMemory()))["clock"] == {}
    assert load(None) == LaneMemory()
    assert load(None).horizon == NO_CTI
