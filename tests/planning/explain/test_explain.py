"""Explained stages, state, clocks and faults of small graphs."""

from typing import Any

import pytest

from streaming.definition.faults import FaultCode
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.planning.explain import Explanation, InvalidDefinition, explain
from streaming.planning.explain.model import ExplainedNode
from tests.definition.checks.graphs import CARS, OUT, OWNERS, STREAMS, around, graph, join, joined, node, top_k, window

KEEP = {"late": "keep", "generate": {"every": 1}}


def explained(raw: Any, **advance: Any) -> Explanation:
    settings = {name: AdvanceTimeSettings.model_validate(each) for name, each in advance.items()}
    return explain(QueryGraph.model_validate(raw), STREAMS, settings)


def of(explanation: Explanation, name: str = "w") -> ExplainedNode:
    return next(each for each in explanation.nodes if each.id == name)


def parts(explanation: Explanation) -> list[tuple[list[str] | None, list[str]]]:
    """Return the keys and nodes of the stages between feed and sink."""
    return [(part.keys, part.nodes) for stage in explanation.stages[1:-1] for part in stage.parts]


def bounds(explanation: Explanation, name: str = "w") -> list[str]:
    return [kept.bounded_by for kept in of(explanation, name).state]


def test_a_graph_with_errors_raises_them() -> None:
    with pytest.raises(InvalidDefinition) as refused:
        explained(around(node("filter", where="sped > 1")))
    assert [fault.code for fault in refused.value.faults] == [FaultCode.UNKNOWN_FIELD]


def test_errors_of_settings_name_their_input() -> None:
    with pytest.raises(InvalidDefinition) as refused:
        explained(around(window()), cars={"preset": "watermrk(5s)"})
    assert [(fault.node, fault.field) for fault in refused.value.faults] == [("cars", "advance.preset")]


def test_late_events_that_a_join_cannot_accept_are_errors_too() -> None:
    with pytest.raises(InvalidDefinition) as refused:
        explained(joined(join("anti_join")), owners=KEEP)
    assert [fault.code for fault in refused.value.faults] == [FaultCode.LATE_KEEP_REFUSED]


def test_windows_by_the_same_key_share_a_stage_even_if_the_key_is_renamed() -> None:
    first = window(group_by=["plate"]) | {"id": "a"}
    renamed = node("project", columns=[{"name": "p", "of": "plate"}, {"name": "n", "of": "n"}], input="a") | {"id": "b"}
    second = window(group_by=["p"], input="b")
    assert parts(explained(graph(CARS, first, renamed, second, OUT))) == [(["plate"], ["a", "b", "w"])]


def test_a_computed_key_needs_another_exchange() -> None:
    first = window(group_by=["plate"]) | {"id": "a"}
    changed = node("project", columns=[{"name": "plate", "of": "upper(plate)"}], input="a") | {"id": "b"}
    second = window(group_by=["plate"], input="b")
    explanation = explained(graph(CARS, first, changed, second, OUT))
    assert parts(explanation) == [(["plate"], ["a", "b"]), (["plate"], ["w"])]


def test_a_window_over_all_groups_is_one_bucket_after_the_buckets_of_the_groups() -> None:
    explanation = explained(graph(CARS, window(group_by=["plate"]) | {"id": "a"}, window(input="a"), OUT))
    assert parts(explanation) == [(["plate"], ["a"]), ([], ["w"])]
    assert explanation.stages[2].dedicated.startswith("1 bucket:")
    assert explanation.stages[2].lanes == "the buckets of stage 1"


def test_a_join_and_a_window_by_the_same_key_share_a_stage() -> None:
    per_plate = window(group_by=["plate"]) | {"id": "a"}
    explanation = explained(graph(CARS, OWNERS, per_plate, join(left="a"), OUT))
    assert parts(explanation) == [(["plate"], ["a", "w"])]


def test_a_union_uses_the_key_that_the_next_node_needs() -> None:
    union = {"id": "u", "kind": "union", "inputs": ["cars", "cars"]}
    assert parts(explained(graph(CARS, union, window(input="u", group_by=["plate"]), OUT))) == [(["plate"], ["u", "w"])]
    assert parts(explained(graph(CARS, union, OUT | {"input": "u"}))) == [(None, ["u"])]


def test_the_feed_aggregates_for_windows_that_can_be_merged_but_not_for_edges() -> None:
    assert explained(around(window())).stages[0].folds == ["w"]
    collect = [{"name": "all", "function": "collect", "of": "speed"}]
    assert explained(around(window(aggregates=collect))).stages[0].folds == []
    assert explained(around(window(window={"kind": "snapshot"}))).stages[0].folds == []
    assert explained(around(top_k())).stages[0].folds == []
    assert explained(around(window(), stream="edges")).stages[0].folds == []


def test_a_window_is_freed_by_the_cti_that_passes_its_end_and_its_grace() -> None:
    explanation = explained(around(window(grace="30s")), cars=KEEP)
    (kept,) = of(explanation).state
    assert kept.until == "window end + 30s <= c for all windows over it"
    assert kept.formula == "1 group x slices of 5m after c - 5m30s"
    assert kept.bounded_by == "cti"


def test_an_aggregate_that_needs_every_value_stores_events() -> None:
    every = [{"name": "all", "function": "collect", "of": "speed"}, {"name": "n", "function": "count"}]
    (kept,) = of(explained(around(window(aggregates=every)))).state
    assert kept.what == "events: `all` need every value"


def test_an_as_of_join_keeps_one_right_event_for_each_key() -> None:
    raw = graph(
        CARS, OWNERS, {"id": "w", "kind": "asof_join", "left": "cars", "right": "owners", "keys": ["plate"]}, OUT
    )
    assert bounds(explained(raw)) == ["cti", "keys"]
    assert of(explained(raw)).state[1].formula.startswith("1 for each key ever seen")


def test_kept_late_events_make_the_other_side_of_a_join_unbounded() -> None:
    explanation = explained(joined(join()), cars=KEEP)
    (warned,) = [fault for fault in explanation.warnings if fault.code is FaultCode.UNBOUNDED_STATE]
    assert bounds(explanation) == ["cti", "nothing"]
    assert of(explanation).state[1].what == "events of `owners`"
    assert of(explanation).state[1].until == f"never. {warned.message}"


def test_a_self_join_names_the_unbounded_side() -> None:
    renamed = node("project", columns=[{"name": "plate", "of": "plate"}, {"name": "s", "of": "speed"}]) | {"id": "p"}
    explanation = explained(graph(CARS, renamed, join(right="p"), OUT), cars=KEEP)
    assert bounds(explanation) == ["nothing", "nothing"]


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ({"kind": "session", "gap": "5m"}, ["pause"]),
        ({"kind": "session", "gap": "5m", "max": "1h"}, ["cti"]),
        ({"kind": "snapshot"}, ["cti"]),
        ({"kind": "count", "n": 3}, ["next_event"]),
        ({"kind": "count", "n": 1}, ["cti"]),
        ({"kind": "tumbling", "size": "5m"}, ["cti"]),
    ],
)
def test_windows_name_their_bounds(spec: dict[str, Any], found: list[str]) -> None:
    assert bounds(explained(around(window(window=spec)))) == found
    assert bounds(explained(around(window(window=spec), stream="edges"))) == [*found, "open_edges"]


def test_rows_that_may_be_replaced_are_state() -> None:
    assert len(of(explained(around(window(emit="running")))).state) == 2


def test_the_clock_names_its_source_and_its_delay() -> None:
    clock = of(explained(around(window()), cars={"preset": "watermark(5s)"}), "cars").clock
    assert clock is not None
    assert clock.advances == ["After every event, a CTI at the largest start so far - 5s (preset `watermark(5s)`)."]
    assert clock.behind == 5_000_000


@pytest.mark.parametrize(
    ("generate", "behind"),
    [
        ({"every": 1, "delay": "-1tick"}, -1),
        ({"every": 10, "delay": "5s"}, None),
        ({"every": "10s", "delay": "5s"}, 14_999_999),
    ],
)
def test_a_clock_that_counts_events_has_no_bound_in_time(generate: dict[str, Any], behind: int | None) -> None:
    clock = of(explained(around(window()), cars={"generate": generate, "late": "drop"}), "cars").clock
    assert clock is not None
    assert clock.behind == behind


def test_imports_and_the_slowest_of_several_inputs_are_named() -> None:
    explanation = explained(
        joined(join()), cars={"preset": "watermark(5s)"}, owners={"import_from": "cars", "late": "drop"}
    )
    clock = of(explanation, "owners").clock
    assert clock is not None
    assert clock.imports == "cars"
    assert clock.advances == ["The CTIs of `cars` are copied at the end of each micro-batch (T26)."]
    assert explanation.summary[0].endswith("when the smallest CTI of `cars` and `owners` is after t.")


def test_the_summary_says_when_a_row_is_emitted_in_ctis_and_in_events() -> None:
    explanation = explained(around(window(grace="30s")), cars={"preset": "watermark(5s)"})
    assert explanation.summary == [
        "A row of `out` that starts at t is emitted, at the latest, when the CTI of `cars` reaches t + 5m30s. "
        "Its clock reaches that with an event 5m35s after t on each lane."
    ]
    assert explanation.paths[0].at_most == 329_999_999
    assert explanation.paths[0].behind_events == 334_999_999


def test_an_input_that_only_its_adapter_advances_is_named() -> None:
    assert explained(around(window())).summary[-1].startswith("Only CTIs of its adapter advance `cars`")


def test_lanes_are_those_listed_or_those_of_the_adapter() -> None:
    listed = STREAMS["cars"].model_copy(update={"lanes": ["a", "b"]})
    explanation = explain(QueryGraph.model_validate(around(window())), {"cars": listed}, {})
    assert explanation.stages[0].lanes == "cars: `a` and `b`"
    assert explained(around(window())).stages[0].lanes == "cars: the lanes of the adapter"


def test_an_explanation_includes_the_warnings_of_the_checks() -> None:
    gaps = window(window={"kind": "hopping", "size": "1m", "hop": "5m"})
    assert [fault.code for fault in explained(around(gaps)).warnings] == [FaultCode.GAPS_BETWEEN_WINDOWS]


def test_an_explanation_goes_through_json_unchanged() -> None:
    explanation = explained(joined(join()), cars=KEEP)
    assert Explanation.model_validate_json(explanation.model_dump_json()) == explanation


def test_with_many_paths_only_the_slowest_to_each_output_is_listed() -> None:
    inputs = [CARS | {"id": f"c{number}"} for number in range(100)]
    union = {"id": "w", "kind": "union", "inputs": [each["id"] for each in inputs]}
    outputs = [OUT | {"id": f"o{number}"} for number in range(399)]
    explanation = explained(graph(*inputs, union, *outputs))
    assert len(explanation.paths) == 399
    assert explanation.summary[0].endswith("when the smallest CTI of its 100 inputs is after t.")
    assert len(explanation.model_dump_json()) < 2_000_000


def test_streams_that_no_input_reads_are_ignored() -> None:
    unread = {**STREAMS, "other": StreamDefinition(fields={"a": "long"})}
    assert explain(QueryGraph.model_validate(around(window())), unread, {}) == explained(around(window()))
