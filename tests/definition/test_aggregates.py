"""Aggregates: their result types, and every fault of their arguments."""

from typing import Any, get_args

import pytest

from streaming.definition.aggregate_functions import AGGREGATES, aggregate_type
from streaming.definition.checks.aggregates import check_aggregate
from streaming.definition.faults import FaultCode, Severity
from streaming.definition.graph import Aggregate, AggregateFunction
from streaming.definition.payload.types import (
    BOOLEAN,
    DOUBLE,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    Array,
    DecimalOf,
    Struct,
    Type,
)

PRICE = DecimalOf(10, 2)
PAIR = Struct((("a", LONG), ("b", STRING)))


def test_the_registry_has_exactly_the_aggregates_of_the_graph() -> None:
    assert list(AGGREGATES) == list(get_args(AggregateFunction))


@pytest.mark.parametrize("entry", AGGREGATES.values(), ids=lambda entry: entry.name)
def test_a_signature_names_its_aggregate_and_its_parameter(entry: Any) -> None:
    assert entry.signature.startswith(f"{entry.name}(")
    assert ("k)" in entry.signature) == (entry.parameter == "k")
    assert ("fraction)" in entry.signature) == (entry.parameter == "fraction")
    assert entry.help.endswith(".")


@pytest.mark.parametrize(
    ("function", "of", "result"),
    [
        ("count", None, LONG),
        ("count", Array(LONG), LONG),
        ("count", NULL, LONG),
        ("sum", LONG, LONG),
        ("sum", DOUBLE, DOUBLE),
        ("sum", PRICE, DecimalOf(20, 2)),
        ("sum", DecimalOf(35, 2), DecimalOf(38, 2)),
        ("avg", LONG, DOUBLE),
        ("avg", PRICE, DecimalOf(14, 6)),
        ("avg", DecimalOf(38, 37), DecimalOf(38, 38)),
        ("min", STRING, STRING),
        ("max", TIMESTAMP, TIMESTAMP),
        ("min", BOOLEAN, BOOLEAN),
        ("stddev", LONG, DOUBLE),
        ("stddev_pop", PRICE, DOUBLE),
        ("variance", DOUBLE, DOUBLE),
        ("variance_pop", PRICE, DOUBLE),
        ("first", PAIR, PAIR),
        ("last", Array(STRING), Array(STRING)),
        ("count_distinct", STRING, LONG),
        ("approx_count_distinct", TIMESTAMP, LONG),
        ("percentile_disc", TIMESTAMP, TIMESTAMP),
        ("percentile_cont", PRICE, DOUBLE),
        ("approx_percentile", LONG, LONG),
        ("collect", PAIR, Array(PAIR)),
        ("collect_distinct", STRING, Array(STRING)),
        ("topk", STRING, Array(STRING)),
        ("maxk", PRICE, Array(PRICE)),
        ("mink_unique", BOOLEAN, Array(BOOLEAN)),
        ("time_weighted_avg", LONG, DOUBLE),
        ("time_weighted_avg", PRICE, DecimalOf(14, 6)),
        ("time_weighted_sum", LONG, DOUBLE),
        ("time_weighted_sum", PRICE, DecimalOf(30, 2)),
    ],
)
def test_aggregates_have_the_documented_result_types(function: str, of: Type | None, result: Type) -> None:
    assert aggregate_type(function, of) == result


ORDERED = {"min", "max", "count_distinct", "approx_count_distinct", "percentile_disc", "approx_percentile"}
ORDERED |= {"collect_distinct", "topk", "maxk", "mink", "maxk_unique", "mink_unique"}
ANY = {"count", "first", "last", "collect"}


@pytest.mark.parametrize("function", sorted(AGGREGATES))
def test_arrays_have_no_order_texts_arent_numbers_and_null_has_no_type(function: str) -> None:
    assert (aggregate_type(function, Array(LONG)) is not None) == (function in ANY)
    assert (aggregate_type(function, STRING) is not None) == (function in ANY | ORDERED)
    assert (aggregate_type(function, NULL) is not None) == (function == "count")
    assert (aggregate_type(function, None) is not None) == (function == "count")


def faults(values: Type | None, /, **fields: Any) -> list[tuple[FaultCode, str | None, str]]:
    """Return code, field and remedy of each fault of the aggregate `x`."""
    aggregate = Aggregate.model_validate({"name": "x"} | fields)
    found = check_aggregate(aggregate, values, "aggregates[0]", "w")[1]
    assert all(fault.node == "w" and fault.severity is Severity.ERROR and "'x'" in fault.message for fault in found)
    return [(fault.code, fault.field, fault.remedy) for fault in found]


def test_a_valid_aggregate_has_a_type_and_no_fault() -> None:
    aggregate = Aggregate.model_validate({"name": "x", "function": "maxk", "of": "v", "k": 3})
    assert check_aggregate(aggregate, LONG, "aggregates[0]", "w") == (Array(LONG), ())


def test_only_count_needs_no_values() -> None:
    assert faults(None, function="count") == []
    remedy = "Add 'of' with a field or an expression."
    assert faults(None, function="first") == [(FaultCode.MISSING_ARGUMENT, "aggregates[0].of", remedy)]


@pytest.mark.parametrize(
    ("function", "of", "remedy"),
    [
        ("stddev", STRING, "Use a number."),
        ("time_weighted_avg", TIMESTAMP, "Use a number."),
        ("collect_distinct", PAIR, "Use a number, a text, a boolean or a timestamp."),
        ("last", NULL, "Use a field or an expression that is not always null."),
    ],
)
def test_values_of_a_wrong_type_are_refused_with_the_types_that_fit(function: str, of: Type, remedy: str) -> None:
    assert faults(of, function=function, of="v") == [(FaultCode.TYPE_MISMATCH, "aggregates[0].of", remedy)]


def test_a_faulty_expression_of_values_is_not_reported_again() -> None:
    assert faults(None, function="sum", of="nowhere") == []


@pytest.mark.parametrize("function", sorted(AGGREGATES))
def test_k_and_fraction_are_required_or_refused(function: str) -> None:
    parameter = AGGREGATES[function].parameter
    for name, value in (("k", 2), ("fraction", 0.5)):
        others = {} if parameter in (None, name) else {parameter: 2 if parameter == "k" else 0.5}
        bare = [(code, field) for code, field, _ in faults(LONG, function=function, of="v", **others)]
        given = [(code, field) for code, field, _ in faults(LONG, function=function, of="v", **others, **{name: value})]
        needs = parameter == name
        assert bare == ([(FaultCode.MISSING_ARGUMENT, f"aggregates[0].{name}")] if needs else [])
        assert given == ([] if needs else [(FaultCode.BAD_SHAPE, f"aggregates[0].{name}")])


def test_all_faults_of_an_aggregate_are_reported_at_once() -> None:
    codes = [code for code, _, _ in faults(PAIR, function="percentile_cont", of="v", k=3)]
    assert codes == [FaultCode.TYPE_MISMATCH, FaultCode.BAD_SHAPE, FaultCode.MISSING_ARGUMENT]
