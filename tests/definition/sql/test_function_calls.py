"""Calls of functions keep their text, and their words are no clauses of a query."""

import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.graphs import print_sql
from tests.functions.calls import CALLS


def graph_of(text: str) -> QueryGraph:
    script = parse_sql(text)
    assert script.faults == (), (text, script.faults)
    assert script.graph is not None
    return script.graph


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_read_back_unchanged_wherever_it_is(call: str) -> None:
    text = (
        f"INSERT INTO out SELECT STREAM {call} AS found, upper(s) AS s FROM cars WHERE {call} IS NOT NULL;\n"
        f"INSERT INTO sums SELECT STREAM s, MAX({call}) AS m, COUNT(*) FILTER (WHERE {call} IS NULL) AS n FROM cars "
        "WINDOW BY TUMBLE 5m GROUP BY s;\n"
        f"INSERT INTO pairs SELECT STREAM * FROM cars LEFT JOIN trucks ON cars.s = trucks.s WHERE {call} IS NULL;\n"
    )
    graph = graph_of(text)
    assert text.lower().count(call.lower()) == 5
    assert graph.model_dump_json().count(call.replace("\\", "\\\\").replace('"', '\\"')) == 5
    assert graph_of(print_sql(graph)) == graph
