"""The checker on windows and aggregates."""

import pytest

from streaming.definition.faults import FaultCode, Severity
from tests.definition.graphs import COUNT, around, checked, faults, only, window


def test_grouping_by_an_unknown_field() -> None:
    (fault,) = faults(around(window(group_by=["plat"])))
    assert (fault.code, fault.field, fault.remedy) == (FaultCode.UNKNOWN_FIELD, "group_by[0]", "Did you mean 'plate'?")


def test_grouping_by_an_array() -> None:
    assert only(around(window(group_by=["tags"]))) == ("type_mismatch", "w", "group_by[0]")


def test_an_aggregate_with_the_name_of_a_group() -> None:
    assert only(around(window(group_by=["n"]))) == ("duplicate_name", "w", "aggregates")


def test_two_aggregates_with_one_name() -> None:
    assert only(around(window(aggregates=[COUNT, COUNT]))) == ("duplicate_name", "w", "aggregates")


def test_an_aggregate_that_begins_with_pane() -> None:
    raw = around(window(aggregates=[COUNT | {"name": "pane_index"}]))
    assert only(raw) == ("reserved_name", "w", "aggregates")


@pytest.mark.parametrize("function", ["sum", "avg", "min", "max"])
def test_an_aggregate_without_of(function: str) -> None:
    raw = around(window(aggregates=[{"name": "a", "function": function}]))
    assert only(raw) == ("missing_argument", "w", "aggregates[0].of")


@pytest.mark.parametrize(
    ("function", "of"), [("sum", "plate"), ("avg", "at"), ("sum", "plate = 'a'"), ("min", "tags"), ("max", "null")]
)
def test_an_aggregate_over_a_type_that_it_does_not_take(function: str, of: str) -> None:
    raw = around(window(aggregates=[{"name": "a", "function": function, "of": of}]))
    assert only(raw) == ("type_mismatch", "w", "aggregates[0].of")


def test_a_filter_of_an_aggregate_must_be_boolean() -> None:
    raw = around(window(aggregates=[COUNT | {"filter": "speed"}]))
    assert only(raw) == ("type_mismatch", "w", "aggregates[0].filter")


@pytest.mark.parametrize("size", [0, "0s", "-5m", "P9999999D"])
def test_a_window_size_must_be_above_zero_and_within_all_of_time(size: int | str) -> None:
    raw = around(window(window={"kind": "tumbling", "size": size}))
    assert only(raw) == ("bad_window", "w", "window.size")


def test_a_hop_must_be_above_zero() -> None:
    raw = around(window(window={"kind": "hopping", "size": "5m", "hop": "0s"}))
    assert only(raw) == ("bad_window", "w", "window.hop")


def test_an_offset_may_be_negative_but_not_beyond_all_of_time() -> None:
    assert checked(around(window(window={"kind": "tumbling", "size": "5m", "offset": "-1m"}))).faults == ()
    raw = around(window(window={"kind": "tumbling", "size": "5m", "offset": "-P9999999D"}))
    assert only(raw) == ("bad_window", "w", "window.offset")


def test_a_hop_above_the_size_leaves_gaps_and_is_a_warning() -> None:
    raw = around(window(window={"kind": "hopping", "size": "5m", "hop": "10m"}))
    assert only(raw) == ("gaps_between_windows", "w", "window.hop")
    assert checked(raw).faults[0].severity is Severity.WARNING


def test_ten_thousand_windows_for_an_event_are_allowed_and_one_more_is_not() -> None:
    assert checked(around(window(window={"kind": "hopping", "size": 10_000, "hop": 1}))).faults == ()
    raw = around(window(window={"kind": "hopping", "size": 10_001, "hop": 1}))
    assert only(raw) == ("too_many_windows", "w", "window.hop")
    assert faults(raw)[0].remedy == "Make the hop at least 2us."
