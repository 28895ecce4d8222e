"""Joins: kinds, keys, conditions, chains, and the place of WHERE."""

import pytest

from streaming.definition.sql.parse import parse_sql
from tests.definition.sql.reading.read import fault, graph, ids, marked, node


@pytest.mark.parametrize(
    ("words", "kind", "outer"),
    [
        ("JOIN", "join", False),
        ("INNER JOIN", "join", False),
        ("LEFT JOIN", "join", True),
        ("LEFT OUTER JOIN", "join", True),
        ("ANTI JOIN", "anti_join", False),
        ("LEFT ANTI JOIN", "anti_join", False),
        ("SEMI JOIN", "semi_join", False),
        ("LEFT SEMI JOIN", "semi_join", False),
        ("ASOF JOIN", "asof_join", False),
        ("LEFT ASOF JOIN", "asof_join", True),
    ],
)
def test_every_join_has_its_kind(words: str, kind: str, outer: bool) -> None:
    found = node(f"SELECT * FROM cars AS a {words} limits AS b ON a.k = b.k", "out_join")
    expected: dict[str, object] = {"kind": kind, "left": "a", "right": "b", "keys": ["k"]}
    assert found == (expected | {"type": "left_outer"} if outer else expected)


@pytest.mark.parametrize(
    ("condition", "keys", "where"),
    [
        ("ON a.k = b.k", ["k"], None),
        ("ON b.k == a._value.k", ["k"], None),
        ("ON a.k = b.k AND a.j = b.j", ["k", "j"], None),
        ("ON a.j = b.j AND a.k = b.k", ["j", "k"], None),
        ("ON a.x > b.y", [], "x > y"),
        ("ON a.k = b.j", [], "k = j"),
        ("ON k = k", [], "k = k"),
        ("ON a.k = b.k AND a.x > b.y", ["k"], "x > y"),
        ("ON a.x > b.y and a.k = b.k and a.z", ["k"], "x > y AND z"),
        ("ON a.x > b.y /* c */ and a.z and a.k = b.k", ["k"], "x > y /* c */ and z"),
        ("ON a.k = b.k OR a.x", [], "k = k OR x"),
        ("ON a.k = b.k AND a.x BETWEEN 1 AND 2", ["k"], "x BETWEEN 1 AND 2"),
        ("ON a.k = b.k AND CASE WHEN a.x AND a.y THEN a.z END", ["k"], "CASE WHEN x AND y THEN z END"),
        ("ON (a.k = b.k AND a.x)", [], "(k = k AND x)"),
        ("ON `a`.k = b.k", [], "`a`.k = k"),
        ("USING (k, j)", ["k", "j"], None),
        ("USING (k) ON a.j = b.j", ["k"], "j = j"),
        ("USING (k) ON EXPRESSION 'a.j'", ["k"], "a.j"),
        ("", [], None),
    ],
)
def test_equal_fields_of_both_sides_are_keys_and_the_rest_is_a_condition(
    condition: str, keys: list[str], where: str | None
) -> None:
    found = node(f"SELECT * FROM cars AS a JOIN limits AS b {condition}", "out_join")
    assert (found.get("keys", []), found.get("where")) == (keys, where)


def test_where_after_an_inner_join_is_its_condition() -> None:
    text = "SELECT * FROM a JOIN b ON a.k = b.k WHERE a.x > b.y"
    assert node(text, "out_join")["where"] == "x > y"
    assert ids(text) == ["a", "b", "out_join", "out"]


def test_both_conditions_apply() -> None:
    text = "SELECT * FROM a JOIN b ON a.x OR b.y WHERE a.z OR b.z"
    assert node(text, "out_join")["where"] == "(x OR y) AND (z OR z)"


@pytest.mark.parametrize("words", ["LEFT JOIN", "ANTI JOIN", "SEMI JOIN", "ASOF JOIN"])
def test_where_after_other_joins_filters_their_rows(words: str) -> None:
    text = f"SELECT * FROM a {words} b ON a.k = b.k WHERE a.x"
    assert ids(text) == ["a", "b", "out_join", "out_where", "out"]
    assert "where" not in node(text, "out_join")


def test_a_chain_nests_to_the_left() -> None:
    text = "SELECT * FROM a JOIN b USING (k) LEFT JOIN c ON a.j = c.j AND b.x > c.x JOIN d USING (l) WHERE b.y"
    assert ids(text) == ["a", "b", "c", "d", "out_join", "out_join_2", "out_join_3", "out"]
    assert node(text, "out_join_2") == {
        "kind": "join",
        "left": "out_join",
        "right": "c",
        "keys": ["j"],
        "where": "x > x",
        "type": "left_outer",
    }
    assert node(text, "out_join_3")["where"] == "y"


def test_a_stream_joins_itself_under_two_names() -> None:
    assert ids("SELECT * FROM cars AS a JOIN cars AS b ON a.k = b.k") == ["a", "b", "out_join", "out"]


def test_an_as_of_join_has_no_condition_except_keys() -> None:
    words, remedy = fault("SELECT * FROM a ASOF JOIN b ON a.k = b.k AND a.x > b.x")
    assert words == "a.x > b.x"
    assert remedy == "Join on equal fields only, a.k = b.k, and filter with WHERE."


@pytest.mark.parametrize(
    ("join", "words", "remedy"),
    [
        ("RIGHT JOIN b ON a.k = b.k", "RIGHT JOIN", "Write LEFT JOIN and swap the sources."),
        ("FULL OUTER JOIN b USING (k)", "FULL OUTER JOIN", "Write LEFT JOIN, and UNION ALL with an ANTI JOIN"),
        ("CROSS JOIN b", "CROSS JOIN", "Write JOIN without a condition."),
        ("NATURAL JOIN b", "NATURAL JOIN", "Name the fields that both sides share: JOIN b USING (k)."),
        (", b", ",", "Write JOIN with the fields that both sides share: a JOIN b ON a.k = b.k."),
        ("JOIN b ON", "ON", "Write for example ON a.k = b.k."),
        ("JOIN b USING k", "k", "Write for example USING (plate)."),
        ("JOIN", "JOIN", "Write the name of a stream or a step."),
        ("WHERE x JOIN b USING (k)", "JOIN b USING (k)", "Move it directly after FROM."),
    ],
)
def test_other_joins_are_reported_with_a_remedy(join: str, words: str, remedy: str) -> None:
    found = marked(f"SELECT * FROM a {join}")
    assert found[0][0] == words
    assert found[0][1].startswith(remedy)


def test_places_of_a_combined_condition_are_in_both_parts() -> None:
    text = "SELECT * FROM a JOIN b ON a.x > b.yy WHERE a.zz = 1"
    script = parse_sql(text)
    where = node(text, "out_join")["where"]
    assert where == "(x > yy) AND (zz = 1)"
    for word in ("yy", "zz"):
        span = script.places.span_of("out_join", "where", str(where).index(word))
        assert span is not None
        assert text[span.start : span.end] == word


@pytest.mark.parametrize("kind", ["SEMI", "ANTI"])
@pytest.mark.parametrize(
    "rest",
    ["* FROM a {} JOIN b ON a.k = b.k WHERE b.x > 5", "a.k, b.x FROM a {} JOIN b ON a.k = b.k"],
)
def test_fields_of_the_right_side_of_a_semi_or_anti_join_are_reported(kind: str, rest: str) -> None:
    # without the error, `x` would be the x of `a`
    (words, remedy) = fault("SELECT STREAM " + rest.format(kind))
    assert words == "b.x"
    assert "ON" in remedy


def test_a_later_join_cannot_use_the_right_side_of_a_semi_join() -> None:
    assert fault("SELECT STREAM * FROM a SEMI JOIN b ON a.k = b.k JOIN c ON b.j = c.j")[0] == "b.j"


@pytest.mark.parametrize("kind", ["LEFT", "LEFT OUTER", "LEFT ASOF"])
@pytest.mark.parametrize(
    ("columns", "rest"),
    [("*", "WHERE b.k IS NULL"), ("k, b.k AS of_b", ""), ("COUNT(b.k) + MAX(y) AS n", "WINDOW BY TUMBLE 5m")],
)
def test_the_right_key_after_a_left_join_of_whole_sides_is_reported(kind: str, columns: str, rest: str) -> None:
    # in SQL it is NULL without a partner; in the graph there is one key, with the value of the left
    (words, remedy) = fault(f"SELECT STREAM {columns} FROM a {kind} JOIN b ON a.k = b.k {rest}")
    assert words == "b.k"
    assert "ANTI JOIN" in remedy


@pytest.mark.parametrize(
    "text",
    [
        "SELECT STREAM a.k, b.y FROM a LEFT JOIN b ON a.k = b.k AND b.k <> 'x' WHERE b.y IS NULL",
        "SELECT STREAM b.k FROM a JOIN b ON a.k = b.k LEFT JOIN c ON b.k = c.k",
        "SELECT STREAM a.x FROM a SEMI JOIN b ON a.k = b.k AND b.y > 1 WHERE a.x > 1",
    ],
)
def test_other_qualified_fields_around_joins_are_read(text: str) -> None:
    assert graph(text).graph is not None


def test_within_after_a_source_is_reported_and_not_an_alias() -> None:
    found = marked("SELECT STREAM * FROM a JOIN b WITHIN 5 MINUTES ON a.k = b.k")
    assert any(words.startswith("WITHIN 5 MINUTES") and "EXTEND" in remedy for words, remedy in found)
    assert node("SELECT STREAM * FROM a within", "within") == {"kind": "input", "stream": "a"}


@pytest.mark.parametrize("on", ["(a.k = b.k)", "((a.k = b.k) AND (b.j = a.j))", "(a.k = b.k AND a.j = b.j)"])
def test_keys_may_be_in_parentheses(on: str) -> None:
    found = node(f"SELECT * FROM cars AS a JOIN limits AS b ON {on}", "out_join")
    assert found["keys"] == (["k", "j"] if "j" in on else ["k"])
    assert "where" not in found


def test_keys_next_to_an_or_in_parentheses_are_a_condition() -> None:
    found = node("SELECT * FROM cars AS a JOIN limits AS b ON (a.k = b.k OR a.x = 1)", "out_join")
    assert "keys" not in found
    assert found["where"] == "(k = k OR x = 1)"
