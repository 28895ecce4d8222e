"""WITH, sources in parentheses, and the meaning of a name: a node of the text, else a stream."""

import pytest

from streaming.definition.sql.parse import parse_sql
from tests.definition.sql.reading.read import fault, graph, ids, marked, node, nodes

EXAMPLE = """QUERY speeding;
WITH
  fast AS (SELECT STREAM * FROM cars WHERE speed > 120),
  per_plate AS (
    SELECT STREAM plate, COUNT(*) AS n, AVG(speed) AS avg_speed
    FROM fast WINDOW BY HOP 5m,1m GRACE BY 0s GROUP BY plate EMIT FINAL)
INSERT INTO out SELECT STREAM * FROM per_plate;"""


def test_the_example_of_the_definition_is_its_graph() -> None:
    assert graph(EXAMPLE).raw["name"] == "speeding"
    assert nodes(EXAMPLE) == [
        {"kind": "input", "id": "cars", "stream": "cars"},
        {"kind": "filter", "id": "fast", "input": "cars", "where": "speed > 120"},
        {
            "kind": "window",
            "id": "per_plate",
            "input": "fast",
            "group_by": ["plate"],
            "window": {"kind": "hopping", "size": "5m", "hop": "1m"},
            "grace": "0s",
            "aggregates": [
                {"name": "n", "function": "count"},
                {"name": "avg_speed", "function": "avg", "of": "speed"},
            ],
        },
        {"kind": "output", "id": "out", "input": "per_plate"},
    ]


def test_the_last_node_of_a_step_has_its_name() -> None:
    text = "WITH s AS (SELECT a AS b FROM x JOIN y USING (k) WHERE c) SELECT * FROM s"
    assert ids(text) == ["x", "y", "s_join", "s", "out"]


def test_steps_may_be_read_earlier_in_the_text_and_by_other_statements() -> None:
    text = "SELECT * FROM late WHERE a; WITH late AS (SELECT * FROM cars WHERE b);"
    assert nodes(text)[0] == {"kind": "filter", "id": "out_where", "input": "late", "where": "a"}
    assert ids(text) == ["out_where", "out", "cars", "late"]


def test_inputs_come_before_the_nodes_of_the_statement_that_mentions_them_first() -> None:
    text = "INSERT INTO a SELECT * FROM x WHERE p; INSERT INTO b SELECT * FROM y JOIN x USING (k)"
    assert ids(text) == ["x", "a_where", "a", "y", "b_join", "b"]


def test_a_stream_mentioned_twice_is_one_input() -> None:
    assert ids("INSERT INTO a SELECT * FROM x; INSERT INTO b SELECT * FROM STREAM x") == ["x", "a", "b"]


def test_a_step_may_be_an_input() -> None:
    text = "WITH c AS (STREAM cars) SELECT * FROM c"
    assert nodes(text)[0] == {"kind": "input", "id": "c", "stream": "cars"}
    assert ids("WITH cars AS (STREAM cars) SELECT * FROM STREAM cars") == ["cars", "out"]
    assert ids("WITH c AS (SELECT * FROM STREAM cars) SELECT * FROM c") == ["c", "out"]


def test_derived_nodes_and_targets_are_nodes_too() -> None:
    text = "INSERT INTO a SELECT * FROM x WHERE p; INSERT INTO b SELECT * FROM a_where; INSERT INTO c SELECT * FROM a"
    assert node(text, "b")["input"] == "a_where"
    assert node(text, "c")["input"] == "a"
    assert ids(text) == ["x", "a_where", "a", "b", "c"]


def test_stream_is_always_a_stream_and_node_always_a_node() -> None:
    text = "WITH x AS (SELECT * FROM STREAM x AS y WHERE p) INSERT INTO a SELECT * FROM NODE nowhere"
    assert ids(text) == ["y", "x", "a"]
    assert node(text, "a")["input"] == "nowhere"


def test_streams_may_be_named_node_and_stream() -> None:
    assert ids("SELECT * FROM node WHERE p") == ["node", "out_where", "out"]
    assert ids("SELECT * FROM stream AS s") == ["s", "out"]


def test_a_source_in_parentheses_has_the_id_of_its_alias_else_a_derived_one() -> None:
    text = "SELECT * FROM (SELECT * FROM x WHERE p) AS q JOIN (SHIFT y BY 5m) USING (k) JOIN z USING (k)"
    assert ids(text) == ["z", "x", "q", "y", "out_from", "out_join", "out_join_2", "out"]
    twice = "SELECT * FROM (SHIFT x BY 1m) JOIN (SHIFT x BY 2m) USING (k)"
    assert ids(twice) == ["x", "out_from", "out_from_2", "out_join", "out"]
    inside = "SELECT * FROM (SELECT a AS b FROM x WHERE p) AS q WHERE q.b"
    assert ids(inside) == ["x", "q_where", "q", "out_where", "out"]


def test_parentheses_that_add_nothing_add_no_node() -> None:
    assert ids("SELECT * FROM (SELECT * FROM (SELECT * FROM x)) AS q WHERE q.a") == ["x", "out_where", "out"]
    assert ids("SELECT * FROM (STREAM x) WHERE a") == ["x", "out_where", "out"]
    assert ids("SELECT * FROM (STREAM x) AS q") == ["q", "out"]
    assert ids("WITH s AS (SELECT * FROM (SELECT * FROM x WHERE p) AS q) SELECT * FROM s") == ["x", "s", "out"]


def test_equal_ids_are_for_check_to_report() -> None:
    assert ids("WITH a AS (SHIFT x BY 1m), a AS (SHIFT x BY 2m)") == ["x", "a", "a"]


def test_a_step_that_adds_nothing_is_reported() -> None:
    words, remedy = fault("WITH a AS (SELECT * FROM b) SELECT * FROM a")
    assert words == "SELECT * FROM b"
    assert remedy.startswith("Read b directly instead of this step")


def test_an_unreadable_step_is_not_reported_as_an_unknown_stream() -> None:
    script = parse_sql("WITH a AS (nonsense) SELECT * FROM a WHERE x")
    assert [fault.message for fault in script.faults] == ["A query is missing: found `nonsense` instead."]
    assert script.raw["nodes"] == [
        {"id": "a"},
        {"id": "out_where", "kind": "filter", "where": "x", "input": "a"},
        {"id": "out", "kind": "output", "input": "out_where"},
    ]


@pytest.mark.parametrize(
    ("text", "words", "remedy"),
    [
        ("WITH a (SHIFT b BY 1m) SELECT * FROM a", "(", "Write name AS (SELECT ...)."),
        ("WITH a AS SHIFT b BY 1m SELECT * FROM a", "SHIFT", "Write name AS (SELECT ...)."),
        ("WITH a AS (SHIFT b BY 1m), SELECT * FROM a", ",", "Remove it."),
        ("WITH a AS (SELECT * FROM b WHERE (c) SELECT * FROM a", "(", "Write ) at the end of its query."),
        ("WITH RECURSIVE a AS (SHIFT b BY 1m) SELECT * FROM a", "RECURSIVE", "Remove RECURSIVE."),
        ("INSERT SELECT * FROM a", "INSERT", "Write INSERT INTO target SELECT ..."),
        ("INSERT INTO SELECT * FROM a", "SELECT", "Write INSERT INTO and a name for the results."),
        ("INSERT INTO a TIMESTAMP BY lifetim SELECT * FROM b", "lifetim", "Did you mean LIFETIME?"),
        (
            "INSERT INTO a (b, c) SELECT * FROM b",
            "(b, c)",
            "Remove it, and name the fields in the SELECT list with AS.",
        ),
        ("INSERT INTO a SELECT * FROM b INSERT INTO c SELECT * FROM b", "INSERT", "Write ; before it."),
        ("SELECT * FROM a; SELECT * FROM b", "SELECT", "Write INSERT INTO and a name before this query."),
        ("QUERY a; QUERY b; SELECT * FROM c", "b", "Leave one QUERY statement out."),
        ("QUERY; SELECT * FROM c", "QUERY", "Write QUERY and a name."),
        ("SELECT * FROM a)", ")", "Remove it, or add the opening parenthesis."),
        ("SELECT * FROM (SELECT * FROM a WHERE b", "(", "Write ) at the end of its query."),
    ],
)
def test_a_mistake_is_reported_with_a_remedy(text: str, words: str, remedy: str) -> None:
    assert marked(text)[0] == (words, remedy)
