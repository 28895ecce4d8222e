"""Places in a text: of nodes, fields, characters of expressions, statements with their comments."""

import pytest

from streaming.definition.checks.check import check
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.script import Script
from streaming.definition.streams.stream import StreamDefinition
from tests.definition.sql.reading.read import graph

TEXT = """-- about the query
QUERY q; -- behind it
/* about the steps */
WITH
  -- about fast
  fast AS (SELECT STREAM * FROM cars AS c JOIN limits ON c.k = limits.k AND c.j = limits.j AND c.x > limits.y WHERE z),
  seen AS (STREAM cars EVENTTIME BY ts),
  per AS (SELECT STREAM plate, COUNT(*) AS n, MAXK(c.speed * 2, 3) FILTER (WHERE c.far) AS m
    FROM seen AS c WINDOW BY HOP 5m,1m ALIGN 1s GRACE BY 30s GROUP BY plate HAVING n > 3
    EMIT RUNNING RETRACT EMPTY DEFAULT GAP 1h GROUPS ((plate => 'AB')))
-- about the insert
INSERT INTO out TIMESTAMP BY point_at_end SELECT STREAM plate, upper(m) AS top FROM per;

INSERT INTO later SHIFT fast BY 5m;
"""


def marked(script: Script, node: str, field: str | None = None, at: int | None = None) -> str:
    span = script.places.span_of(node, field, at)
    assert span is not None
    return script.text[span.start : span.end]


@pytest.mark.parametrize(
    ("node", "field", "words"),
    [
        ("c", None, "cars AS c"),
        ("c", "stream", "cars"),
        ("c", "id", "c"),
        ("limits", "stream", "limits"),
        ("fast", "id", "fast"),
        ("fast", "left", "cars AS c"),
        ("fast", "right", "limits"),
        ("fast", "keys", "ON c.k = limits.k AND c.j = limits.j AND c.x > limits.y"),
        ("fast", "keys[1]", "c.j = limits.j"),
        ("seen", "stream", "cars"),
        ("seen", "event_time", "EVENTTIME BY ts"),
        ("seen", "event_time.path", "ts"),
        ("per_window", None, "WINDOW BY HOP 5m,1m ALIGN 1s GRACE BY 30s"),
        ("per_window", "input", "seen AS c"),
        ("per_window", "window", "HOP 5m,1m ALIGN 1s"),
        ("per_window", "window.kind", "HOP"),
        ("per_window", "window.size", "5m"),
        ("per_window", "window.hop", "1m"),
        ("per_window", "window.offset", "1s"),
        ("per_window", "window.period", "HOP 5m,1m ALIGN 1s"),
        ("per_window", "grace", "30s"),
        ("per_window", "group_by", "GROUP BY plate"),
        ("per_window", "group_by[0]", "plate"),
        ("per_window", "emit", "RUNNING"),
        ("per_window", "retract", "RETRACT"),
        ("per_window", "empty", "DEFAULT"),
        ("per_window", "empty_gap", "1h"),
        ("per_window", "empty_groups", "GROUPS ((plate => 'AB'))"),
        ("per_window", "empty_groups[0]", "(plate => 'AB')"),
        ("per_window", "empty_groups[0].plate", "'AB'"),
        ("per_window", "aggregates[0]", "COUNT(*)"),
        ("per_window", "aggregates[0].function", "COUNT"),
        ("per_window", "aggregates[0].name", "n"),
        ("per_window", "aggregates[0].of", "COUNT(*)"),
        ("per_window", "aggregates[1].of", "c.speed * 2"),
        ("per_window", "aggregates[1].filter", "c.far"),
        ("per_window", "aggregates[1].k", "3"),
        ("per", "where", "n > 3"),
        ("per", None, "HAVING n > 3"),
        ("out_select", None, "plate, upper(m) AS top"),
        ("out_select", "columns", "plate, upper(m) AS top"),
        ("out_select", "columns[1]", "upper(m) AS top"),
        ("out_select", "columns[1].of", "upper(m)"),
        ("out_select", "columns[1].name", "top"),
        ("out", None, "out"),
        ("out", "timestamp", "point_at_end"),
        ("later_shift", "by", "5m"),
        ("later_shift", "input", "fast"),
        ("later_shift", "nothing.of[3].this", "SHIFT fast BY 5m"),
    ],
)
def test_every_field_has_its_place(node: str, field: str | None, words: str) -> None:
    assert marked(parse_sql(TEXT), node, field) == words


def test_unknown_nodes_and_the_graph_as_a_whole_have_no_place() -> None:
    script = parse_sql(TEXT)
    assert script.places.span_of("nobody", "where") is None
    assert script.places.span_of(None, None) is None
    assert script.places.span_of(None, "name") is not None


@pytest.mark.parametrize(
    ("where", "at_word", "words"),
    [
        ("speed > 120", "120", "120"),
        ("cars.speed > limit", "limit", "limit"),
        ("cars.speed > limit", "speed", "speed"),
        ("_value.a + cars._value.b > c", "b", "b"),
        ("a > /* \U0001f600 */ bb", "bb", "bb"),
        ("details.speed > 1", "details", "details.speed"),
        ("upper('x''') <=> y", "<=>", "<=>"),
        ("a = 'some text'", "'some", "'some text'"),
        (r"EXPRESSION 'a = \'b\' and cars.dd'", "cars", "cars.dd"),
    ],
)
def test_a_character_of_an_expression_has_the_place_of_its_word(where: str, at_word: str, words: str) -> None:
    script = graph(f"-- \U0001f600\nSELECT * FROM cars WHERE {where}")
    found = script.raw["nodes"][1]["where"]  # type: ignore[index]
    assert marked(script, "out_where", "where", found.index(at_word)) == words


def test_the_end_of_an_expression_is_its_last_word() -> None:
    script = graph("SELECT * FROM cars WHERE cars.speed > WINDOW BY TUMBLE 5m".replace("WINDOW BY TUMBLE 5m", ""))
    assert marked(script, "out_where", "where", len("speed >")) == ">"


def test_faults_of_check_mark_their_words() -> None:
    text = "SELECT c.plat AS p FROM cars AS c WHERE c.speed > c.limt AND c.speed + 1"
    script = graph(text)
    streams = {"cars": StreamDefinition(fields={"plate": "string", "speed": "long", "limit": "long"})}
    found = [
        marked(script, fault.node, fault.field, fault.at)
        for fault in check(script.raw, streams).faults
        if fault.node is not None
    ]
    assert "limt" in found
    assert "plat" in found


def statements(text: str) -> list[tuple[str, str]]:
    """Return each statement, and the comments that belong to it."""
    script = parse_sql(text)
    return [
        (text[each.span.start : each.span.end], text[each.commented.start : each.span.start].strip())
        for each in script.statements
    ]


def test_statements_have_spans_with_their_comments() -> None:
    found = statements(TEXT)
    assert [text[:6] + text[-1] for text, _ in found] == ["QUERY ;", "WITH\n ;", "INSERT;"]
    assert [comment for _, comment in found] == ["-- about the query", "/* about the steps */", ""]


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        ("SHIFT a BY 1m; -- one\n-- two\nSHIFT b BY 1m", ["", "-- two"]),
        ("SHIFT a BY 1m; /* one */ /* two */\nSHIFT b BY 1m", ["", "/* two */"]),
        ("SHIFT a BY 1m;\n\n-- two\n\n/* three /* 3 */ */ SHIFT b BY 1m", ["", "-- two\n\n/* three /* 3 */ */"]),
        ("SHIFT a BY 1m; /* two */ SHIFT b BY 1m", ["", ""]),
        ("-- one\nSHIFT a BY 1m", ["-- one"]),
        ("SHIFT a BY 1m;SHIFT b BY 1m", ["", ""]),
    ],
)
def test_a_comment_belongs_to_the_next_statement_unless_it_is_on_the_line_of_the_previous_one(
    text: str, comments: list[str]
) -> None:
    assert [comment for _, comment in statements(text)] == comments


def test_statements_and_steps_list_their_nodes() -> None:
    script = parse_sql(TEXT + "ADVANCE TIME limits EVERY 1 LATE DROP")
    assert [each.kind for each in script.statements] == ["query", "insert", "insert", "advance"]
    steps = (("c", "limits", "fast"), ("seen",), ("per_window", "per"))
    assert tuple(made for _, made in script.statements[1].steps) == steps
    assert script.statements[1].nodes == (*steps[0], *steps[1], *steps[2], "out_select", "out")
    assert script.statements[3].input == "limits"
    span = script.statements[1].steps[1][0]
    assert script.text[span.start : span.end] == "seen AS (STREAM cars EVENTTIME BY ts)"
    alone = parse_sql("WITH a AS (STREAM b)").statements
    assert [(each.kind, each.nodes) for each in alone] == [("steps", ("a",))]
