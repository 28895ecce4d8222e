"""One input of the reference: the effects of arrivals, heartbeats, imports and substreams, whatever the query."""

import pickle
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.checks.advance import to_temporal
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.reference.feed import FedElement, InputFeed
from streaming.reference.flow import ElementId
from streaming.temporal.events import Cti, Event, edge_end, edge_start, point
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.rows.row_json import Element, MalformedRow


def feed(advance: dict[str, Any], *, lanes: Sequence[str] = ("a", "b"), **stream: Any) -> InputFeed:
    fields = {"k": "string", "v": "long"}
    definition = StreamDefinition.model_validate({"lanes": list(lanes), "fields": fields, **stream})
    return InputFeed("s", definition, to_temporal(AdvanceTimeSettings.model_validate(advance)))


def event(start: int, k: str | None = None, v: int | None = None) -> Event:
    return point(start, {"k": k, "v": v})


# T9, azure: the arrival moves the input before its event is judged


def test_an_arrival_that_moves_the_input_says_so_before_the_event() -> None:
    of = feed({"preset": "azure(5us, 20us, drop)"}, lanes=["a"])
    fed = of.take("a", event(100), Tick(110))
    assert (fed.cti_before, fed.cti) == (90, 95)
    assert fed.judged is not None
    assert fed.judged.cti_met == 90


def test_an_arrival_that_moves_one_lane_alone_does_not_move_the_input() -> None:
    of = feed({"preset": "azure(5us, 20us, drop)"})
    fed = of.take("a", event(100), Tick(110))
    assert (fed.cti_before, fed.cti, of.cti) == (None, None, NO_CTI)


def test_an_arrival_bound_may_move_the_input_though_its_event_is_dropped() -> None:
    of = feed({"preset": "azure(5us, 20us, drop)"}, lanes=["a"])
    fed = of.take("a", event(9), Tick(30))
    assert (fed.cti_before, fed.cti, fed.flow) == (10, None, None)


# T4: the largest finite time seen


def test_an_event_from_the_future_has_been_seen_when_it_is_held_and_not_when_it_is_dropped() -> None:
    for future, largest in (("hold", 9000), ("drop", 1000)):
        of = feed({"late": "drop", "max_ahead": "100us", "future": future}, lanes=["a"])
        of.take("a", event(1000), Tick(1000))
        of.take("a", event(9000), Tick(1000))
        assert of.horizon == largest


def test_the_end_of_an_edge_whose_start_was_dropped_has_been_seen() -> None:
    of = feed({"late": "drop"}, lanes=["a"], shape="edge")
    of.take("a", Cti(Tick(10)), None)
    of.take("a", edge_start(5, {}), None)
    assert of.take("a", edge_end(5, 100, {}), None).flow is None
    assert of.horizon == 100


def test_infinity_is_not_the_largest_time_seen() -> None:
    of = feed({"late": "drop"})
    of.take("a", event(7), None)
    assert of.finish() == INFINITY
    assert (of.horizon, of.cti) == (7, INFINITY)


def test_an_input_ends_once() -> None:
    of = feed({"late": "drop"})
    assert [of.finish(), of.finish()] == [INFINITY, None]


# T5, T14: lanes


def test_every_element_has_its_place_in_its_lane_be_it_a_cti() -> None:
    of = feed({"late": "drop"})
    elements = [("a", event(1)), ("a", Cti(Tick(1))), ("b", event(1)), ("a", MalformedRow(Reason.BAD_ROW))]
    found = [of.take(lane, element, None).element for lane, element in elements]
    assert found == [ElementId("s", "a", 0), ElementId("s", "a", 1), ElementId("s", "b", 0), ElementId("s", "a", 2)]


@pytest.mark.parametrize("lanes", [["a"], ["a", "b"], ["b", "a"]])
def test_the_first_lane_takes_rows_of_a_lane_that_is_not_listed(lanes: list[str]) -> None:
    fed = feed({"late": "drop"}, lanes=lanes).take("c", event(1), None)
    assert fed.element == ElementId("s", lanes[0], 0)
    assert fed.judged is not None
    assert (fed.judged.outcome, fed.judged.reason) == (Outcome.MALFORMED, Reason.BAD_ROW)


# T16: after all were idle, only the first that returns counts


def all_idle() -> InputFeed:
    """Return two lanes, a at 10 and b at 20, both silent for long."""
    of = feed({"late": "drop", "idle_after": "100us"})
    of.heartbeat(Tick(0))
    for lane, at in (("a", 10), ("b", 20)):
        of.take(lane, Cti(Tick(at)), None)
    assert (of.heartbeat(Tick(1_000)), of.cti) == (None, 10)
    return of


def test_a_malformed_row_brings_its_lane_back_and_moves_the_input() -> None:
    of = all_idle()
    assert (of.take("b", MalformedRow(Reason.BAD_ROW), None).cti, of.cti) == (20, 20)


def test_an_event_that_brings_its_lane_back_moves_the_input_after_it() -> None:
    fed = all_idle().take("b", event(25), None)
    assert (fed.cti_before, fed.cti) == (None, 20)


def test_a_key_is_silent_from_the_arrival_of_its_last_event_on() -> None:
    of = feed({"generate": {"every": 1}, "late": "drop", "over": "k", "idle_after": "100us"}, lanes=["a"])
    of.heartbeat(Tick(0))
    of.take("a", event(5, k="x"), Tick(50))
    of.take("a", event(20, k="y"), Tick(120))
    assert [of.heartbeat(Tick(at)) for at in (149, 150)] == [None, 20]


# T26


def test_an_import_moves_all_lanes_and_one_that_is_lower_none() -> None:
    of = feed({"late": "drop", "import_from": "fast"})
    assert of.import_cti(NO_CTI) is None
    assert of.import_cti(Tick(10)) == 10
    assert of.import_cti(Tick(9)) is None
    assert of.take("b", event(9), None).flow is None


# T15


def test_the_failure_of_an_expression_for_substreams_is_reported() -> None:
    of = feed({"late": "drop", "over": "10 / v"})
    assert of.take("a", event(1, v=0), None).failed == "division by zero"
    assert of.take("a", event(1, v=None), None).failed is None


@pytest.mark.parametrize(
    ("type_", "one", "other"),
    [
        ("array<long>", [1, 2], [1, 3]),
        ("array<long>", [1], []),
        ("struct<x: long, y: array<long>>", {"x": 1, "y": [2]}, {"x": 1, "y": [3]}),
        ("struct<x: long, y: array<long>>", {"x": 1, "y": [2]}, {"x": 2, "y": [2]}),
    ],
)
def test_keys_of_substreams_may_be_arrays_and_structs(type_: str, one: Any, other: Any) -> None:
    of = feed({"generate": {"every": 1}, "late": "drop", "over": "k"}, lanes=["a"], fields={"k": type_})
    keys = [(10, one), (20, other), (10, other), (10, one), (9, one)]
    found = [of.take("a", point(at, {"k": key}), None).judged for at, key in keys]
    assert [judged and judged.lateness for judged in found] == [None, None, 10, None, 1]


def test_every_failure_of_an_expression_for_substreams_is_reported() -> None:
    of = feed({"late": "drop", "over": "coalesce(10 / v, cast(k as long))"})
    why = "division by zero; 'x' is not the text of a long"
    assert of.take("a", event(1, k="x", v=0), None).failed == why


def test_malformed_rows_are_judged_by_their_lane_and_not_by_a_key() -> None:
    of = feed({"generate": {"every": 1}, "late": "drop", "over": "k"}, lanes=["a"])
    of.take("a", event(10, k="x"), None)
    judged = of.take("a", MalformedRow(Reason.BAD_PAYLOAD), None).judged
    assert judged is not None
    assert (judged.outcome, judged.cti_met) == (Outcome.MALFORMED, NO_CTI)


def test_a_lane_that_has_ended_ends_its_later_keys() -> None:
    of = feed({"late": "drop", "over": "k"})
    of.take("a", Cti(INFINITY), None)
    judged = of.take("a", event(10, k="new"), None).judged
    assert judged is not None
    assert judged.reason is Reason.AFTER_END


# Laws

STARTS = st.integers(0, 60)
KEYS = st.sampled_from(("x", "y", None))
EVENTS = st.builds(event, STARTS, KEYS)
EDGES = st.one_of(
    st.builds(lambda at, k: edge_start(at, {"k": k, "v": None}), st.integers(0, 5), KEYS),
    st.builds(
        lambda at, k, long: edge_end(at, at + long, {"k": k, "v": None}), st.integers(0, 5), KEYS, st.integers(1, 60)
    ),
)
CTIS = st.builds(lambda at: Cti(Tick(at)), st.one_of(STARTS, STARTS, st.just(INFINITY)))
ELEMENTS = st.one_of(EVENTS, EVENTS, EDGES, EDGES, CTIS, st.just(MalformedRow(Reason.BAD_ROW)))
TAKEN = st.tuples(st.sampled_from(("a", "b", "unlisted")), ELEMENTS, st.one_of(st.none(), STARTS))
STEPS = st.lists(
    st.one_of(
        TAKEN,
        TAKEN,
        st.tuples(st.just("heartbeat"), STARTS),
        st.tuples(st.just("import"), STARTS),
    ),
    max_size=30,
)
CLOCKS: list[dict[str, Any]] = [
    {"preset": "azure(3us, 10us, shift)"},
    {"preset": "spl_event_time(3us, 4us)"},
    {"generate": {"every": 2, "delay": 3}, "late": "drop"},
    {"late": "adjust"},
]
EXTRAS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "over": st.just("k"),
        "idle_after": st.integers(1, 20),
        "max_ahead": st.integers(1, 20),
        "future": st.sampled_from(("accept", "hold", "drop")),
    },
)
ADVANCES = st.builds(lambda clock, extra: clock | extra, st.sampled_from(CLOCKS), EXTRAS)
IDLE = st.sampled_from(("leave_out", "advance"))


def step(of: InputFeed, one: tuple[Any, ...]) -> FedElement | Tick | None:
    match one:
        case ("heartbeat", now):
            return of.heartbeat(Tick(now))
        case ("import", cti):
            return of.import_cti(Tick(cti))
        case (lane, element, arrival):
            return of.take(lane, element, arrival)
    raise AssertionError(one)


def with_idle(advance: dict[str, Any], idle: str) -> dict[str, Any]:
    return advance | ({"idle": idle} if "idle_after" in advance else {})


@given(ADVANCES, IDLE, st.booleans(), STEPS, st.integers(0, 30))
def test_a_feed_that_is_written_to_bytes_and_read_back_continues_seamlessly(
    advance: dict[str, Any], idle: str, implicit: bool, steps: list[tuple[Any, ...]], stop: int
) -> None:
    rowtime = "implicit" if implicit else "explicit"
    whole, first = (feed(with_idle(advance, idle), rowtime=rowtime) for _ in range(2))
    expected = [step(whole, one) for one in steps]
    found = [step(first, one) for one in steps[:stop]]
    second = pickle.loads(pickle.dumps(first))
    assert found + [step(second, one) for one in steps[stop:]] == expected


@given(ADVANCES, IDLE, STEPS)
def test_the_inputs_cti_only_rises_and_each_move_is_reported_once(
    advance: dict[str, Any], idle: str, steps: list[tuple[Any, ...]]
) -> None:
    of = feed(with_idle(advance, idle))
    reported = [NO_CTI]
    for one in steps:
        did = step(of, one)
        reported += [
            cti for cti in ((did.cti_before, did.cti) if isinstance(did, FedElement) else (did,)) if cti is not None
        ]
        assert reported[-1] == of.cti
    assert reported == sorted(set(reported))


@given(ADVANCES, IDLE, STEPS)
def test_no_element_but_a_kept_one_is_enqueued_before_the_inputs_cti(
    advance: dict[str, Any], idle: str, steps: list[tuple[Any, ...]]
) -> None:
    of = feed(with_idle(advance, idle))
    for one in steps:
        before = of.cti
        did = step(of, one)
        if isinstance(did, FedElement) and did.flow is not None and did.flow.late_at is None:
            sync = did.flow.end if did.flow.closes else did.flow.start
            assert sync >= max(before, NO_CTI if did.cti_before is None else did.cti_before)


@given(ADVANCES, STEPS)
def test_without_heartbeats_no_idle_rule_does_anything(advance: dict[str, Any], steps: list[tuple[Any, ...]]) -> None:
    silent = [one for one in steps if one[0] != "heartbeat"]
    plain = {key: value for key, value in advance.items() if key != "idle_after"}
    ruled, free = feed(advance), feed(plain)
    assert [step(ruled, one) for one in silent] == [step(free, one) for one in silent]


@given(st.lists(TAKEN, max_size=30), st.sampled_from(("drop", "adjust", "keep")))
def test_with_one_key_for_all_and_one_lane_substreams_change_nothing_of_what_events_become(
    steps: list[tuple[str, Element, int | None]], late: str
) -> None:
    advance = {"generate": {"every": 2, "delay": 3}, "late": late}
    keyed, plain = feed(advance | {"over": "v"}, lanes=["a"]), feed(advance, lanes=["a"])
    events = [
        (lane, element, arrival) for lane, element, arrival in steps if isinstance(element, Event) and lane == "a"
    ]
    for one in events:
        with_key, without = step(keyed, one), step(plain, one)
        assert with_key == without
        assert keyed.horizon == plain.horizon
