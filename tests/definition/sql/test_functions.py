"""FUNCTION: read, printed, rewritten and completed (T59)."""

import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.graphs import print_sql
from tests.definition.sql.reading.read import fault
from tests.definition.sql.test_completion import complete

TEXT = """FUNCTION celsius(f double) RETURNS double AS (f - 32) * 5 / 9;
FUNCTION hot(f double, at decimal(10,2)) RETURNS boolean AS celsius(f) > 30 and at > 1;

INSERT INTO out SELECT STREAM celsius(speed) AS c FROM cars WHERE hot(speed, 2.0BD);
"""


def graph_of(text: str) -> QueryGraph:
    graph = parse_sql(text).graph
    assert graph is not None
    return graph


def test_functions_are_read_in_order_with_types_in_their_canonical_form() -> None:
    text = TEXT.replace("f double)", "f DOUBLE )").replace("decimal(10,2)", "Decimal( 10, 2 )")
    assert [each.model_dump(mode="json") for each in graph_of(text).functions] == [
        {
            "name": "celsius",
            "arguments": [{"name": "f", "type": "double"}],
            "returns": "double",
            "as": "(f - 32) * 5 / 9",
        },
        {
            "name": "hot",
            "arguments": [{"name": "f", "type": "double"}, {"name": "at", "type": "decimal(10,2)"}],
            "returns": "boolean",
            "as": "celsius(f) > 30 and at > 1",
        },
    ]


def test_functions_are_printed_before_the_statements_that_call_them() -> None:
    assert print_sql(graph_of(TEXT)) == TEXT


def test_a_function_needs_no_arguments() -> None:
    assert graph_of(f"FUNCTION four() RETURNS long AS 4; {TEXT}").functions[0].arguments == []


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("FUNCTION f(x long) RETURNS long", "long"),
        ("FUNCTION f(x long) RETURNS long AS", "AS"),
        ("FUNCTION f(x long) AS x", "AS"),
        ("FUNCTION f(x lung) RETURNS long AS x", "lung"),
        ("FUNCTION f(x) RETURNS long AS x", ")"),
        ("FUNCTION f RETURNS long AS 1", "RETURNS"),
        ("FUNCTION (x long) RETURNS long AS x", "("),
    ],
)
def test_a_mistake_is_marked(statement: str, words: str) -> None:
    assert fault(f"{statement}; INSERT INTO out SELECT STREAM * FROM cars")[0] == words


def test_own_functions_are_offered_with_their_signature() -> None:
    found = complete(TEXT.replace("hot(speed, 2.0BD)", "h|")).items
    assert [(item.label, item.detail) for item in found if item.kind == "function"][:1] == [
        ("hot", "hot(f double, at decimal(10,2)) -> boolean")
    ]
