"""The checker on rows for windows without events (T21)."""

from typing import Any

import pytest

from streaming.definition.faults import Severity
from tests.definition.checks.graphs import around, checked, fault_places, faults, only, window

HOPPING = {"kind": "hopping", "size": "5m", "hop": "1m"}
INTERVAL = {"kind": "time_interval", "duration": "5m"}


def filled(**fields: Any) -> dict[str, Any]:
    return around(window(empty="default", empty_gap="1h") | fields)


def grouped(*groups: Any, **fields: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {"group_by": ["plate", "n"], "empty_groups": list(groups)}
    return filled(**(plain | {"aggregates": [{"name": "c", "function": "count"}]} | fields))


@pytest.mark.parametrize("spec", [{"kind": "tumbling", "size": "5m"}, HOPPING, INTERVAL])
def test_empty_fixed_windows_may_produce_rows(spec: dict[str, Any]) -> None:
    assert faults(filled(window=spec)) == ()


@pytest.mark.parametrize("spec", [{"kind": "session", "gap": "5m"}, {"kind": "snapshot"}, {"kind": "count", "n": 2}])
def test_windows_that_events_create_are_never_empty(spec: dict[str, Any]) -> None:
    assert only(filled(window=spec)) == ("bad_empty", "w", "empty")


def test_a_run_of_empty_windows_has_a_bound() -> None:
    assert only(filled(empty_gap=None)) == ("missing_argument", "w", "empty_gap")


@pytest.mark.parametrize("gap", [0, "-1s", "P9999999D"])
def test_the_bound_is_above_zero_and_not_too_long(gap: int | str) -> None:
    assert only(filled(empty_gap=gap)) == ("bad_duration", "w", "empty_gap")


def test_groups_are_listed_each_with_all_its_fields() -> None:
    assert faults(grouped({"plate": "a", "n": 1}, {"n": 1, "plate": "b"}, {"plate": None, "n": 1})) == ()


def test_a_timestamp_in_a_group_is_ticks_or_text() -> None:
    raw = grouped({"at": "2026-01-31T12:00:00Z"}, {"at": 5}, group_by=["at"])
    assert faults(raw) == ()


@pytest.mark.parametrize("groups", [None, []])
def test_groups_that_are_not_listed(groups: list[Any] | None) -> None:
    assert only(grouped(empty_groups=groups)) == ("missing_argument", "w", "empty_groups")


def test_listed_groups_without_group_by() -> None:
    assert only(filled(empty_groups=[{"plate": "a"}])) == ("bad_empty", "w", "empty_groups")


@pytest.mark.parametrize("group", [{}, {"plate": "a"}, {"plate": "a", "n": 1, "speed": 1}])
def test_a_group_has_exactly_the_fields_of_group_by(group: dict[str, Any]) -> None:
    assert only(grouped({"plate": "z", "n": 0}, group)) == ("bad_empty", "w", "empty_groups[1]")


@pytest.mark.parametrize(
    ("group", "field"),
    [({"plate": 1, "n": 1}, "plate"), ({"plate": "a", "n": "1"}, "n"), ({"plate": "a", "n": 2**63}, "n")],
)
def test_a_group_has_values_that_fit_their_types(group: dict[str, Any], field: str) -> None:
    assert only(grouped(group)) == ("bad_empty", "w", f"empty_groups[0].{field}")


def test_a_group_is_listed_once() -> None:
    assert only(grouped({"plate": "a", "n": 1}, {"n": 1, "plate": "a"})) == ("bad_empty", "w", "empty_groups[1]")


def test_two_forms_of_one_time_are_one_group() -> None:
    raw = grouped({"at": "1970-01-01T00:00:00Z"}, {"at": 0}, group_by=["at"])
    assert only(raw) == ("bad_empty", "w", "empty_groups[1]")


def test_an_unknown_group_field_causes_no_fault_of_the_groups() -> None:
    assert fault_places(grouped({"nope": "a"}, group_by=["nope"])) == [("unknown_field", "w", "group_by[0]")]


@pytest.mark.parametrize(("field", "value"), [("empty_gap", "1h"), ("empty_groups", [{"plate": "a"}])])
def test_settings_of_skipped_empty_windows_are_a_warning(field: str, value: Any) -> None:
    raw = around(window(**{field: value}))
    assert only(raw) == ("no_effect", "w", field)
    assert checked(raw).faults[0].severity is Severity.WARNING
