"""SELECT: its list, names, filters, qualifiers, and the extent of expressions."""

import pytest

from tests.definition.sql.reading.read import fault, graph, ids, marked, node, nodes


def test_a_query_is_its_inputs_its_operators_and_an_output_in_this_order() -> None:
    assert nodes("INSERT INTO alerts SELECT STREAM plate, speed * 2 AS twice FROM cars WHERE speed > 120;") == [
        {"kind": "input", "id": "cars", "stream": "cars"},
        {"kind": "filter", "id": "alerts_where", "input": "cars", "where": "speed > 120"},
        {
            "kind": "project",
            "id": "alerts_select",
            "input": "alerts_where",
            "columns": [{"name": "plate", "of": "plate"}, {"name": "twice", "of": "speed * 2"}],
        },
        {"kind": "output", "id": "alerts", "input": "alerts_select"},
    ]


@pytest.mark.parametrize("text", ["SELECT STREAM * FROM cars", "select * from cars;", "Select\nStream\t*\nFrom cars ;"])
def test_keywords_are_of_any_case_and_stream_and_the_last_semicolon_may_be_missing(text: str) -> None:
    assert ids(text) == ["cars", "out"]


def test_a_query_without_a_target_goes_to_out() -> None:
    assert graph("SELECT * FROM cars").raw["name"] == "out"


def test_the_graph_has_the_name_of_query_else_of_its_first_output() -> None:
    assert graph("QUERY speeding; INSERT INTO a SELECT * FROM cars").raw["name"] == "speeding"
    assert graph("INSERT INTO a SELECT * FROM cars; INSERT INTO b SELECT * FROM cars").raw["name"] == "a"
    assert graph("WITH a AS (STREAM cars)").raw["name"] == "query"


def test_an_output_sets_the_times_of_results() -> None:
    text = "INSERT INTO a TIMESTAMP BY point_at_end SELECT * FROM cars"
    assert node(text, "a") == {"kind": "output", "input": "cars", "timestamp": "point_at_end"}
    assert node(text.replace("point_at_end", "LIFETIME"), "a") == {"kind": "output", "input": "cars"}
    assert node(text.replace("point_at_end", "latest_input"), "a")["timestamp"] == "latest_input"


def test_names_that_are_keywords_need_backticks() -> None:
    assert ids("INSERT INTO `select` SELECT * FROM `from` AS `where`") == ["where", "select"]


def test_as_is_optional_before_names() -> None:
    items = "c.plate AS p, upper(c.model) AS m, COUNT(*) AS n"
    long = f"SELECT {items} FROM cars AS c WINDOW BY TUMBLE 5m GROUP BY plate, model"
    short = long.replace("AS ", "")
    assert nodes(short) == nodes(long)


def test_a_word_that_is_nearly_a_clause_is_not_an_alias() -> None:
    assert [word for word, _ in marked("SELECT * FROM cars WHRE a > 1")] == ["WHRE"]


def test_an_alias_is_the_id_of_the_input() -> None:
    text = "SELECT * FROM cars AS c WHERE c.speed > 1 AND cars.speed < 9"
    assert nodes(text)[:2] == [
        {"kind": "input", "id": "c", "stream": "cars"},
        {"kind": "filter", "id": "out_where", "input": "c", "where": "speed > 1 AND speed < 9"},
    ]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("cars.speed > 1", "speed > 1"),
        ("_value.speed > 1", "speed > 1"),
        ("cars._value.speed > 1", "speed > 1"),
        ("cars.details.speed > 1", "details.speed > 1"),
        ("details.cars.speed > 1", "details.cars.speed > 1"),
        ("`cars`.speed > 1", "`cars`.speed > 1"),
        ("cars . speed > 1", "speed > 1"),
        ("Cars.speed > 1", "Cars.speed > 1"),
        ("_key.speed > 1", "_key.speed > 1"),
        ("upper(cars.plate) = 'cars.plate'", "upper(plate) = 'cars.plate'"),
    ],
)
def test_the_name_of_the_source_and_the_value_facet_are_removed(written: str, meant: str) -> None:
    assert node(f"SELECT * FROM cars WHERE {written}", "out_where")["where"] == meant


@pytest.mark.parametrize(
    "expression",
    [
        "speed  >  /* fast */ 120",
        "speed > 1 -- fast\n and lane = 2",
        "case when window = 1 then top else group end = empty",
        "(a in (1, 2)) and x between 1 and 2",
        "retract = limit",
        "left = inner",
        "`from` > 'a; b' || \"where\"",
        "a.from = b.where",
        "not a is not null",
        "speed > > 120",
        "speed >",
        "(speed > 120",
        "a b c",
        "x = timestamp '2026-01-01T00:00:00Z'",
        "\u00e4 = '\U0001f600'",
    ],
)
def test_an_expression_is_cut_out_as_written_even_if_invalid(expression: str) -> None:
    text = f"SELECT * FROM cars WHERE {expression} ;"
    assert node(text, "out_where")["where"] == expression


@pytest.mark.parametrize("clause", ["WINDOW BY TUMBLE 5m", "GROUP BY a", "EMIT FINAL", "RETRACT", "EMPTY SKIP"])
def test_a_clause_ends_the_expression_before_it(clause: str) -> None:
    text = f"SELECT STREAM a, COUNT(*) AS n FROM cars WHERE a > 1 {clause}"
    rest = [each for each in ("WINDOW BY TUMBLE 5m", "GROUP BY a") if each != clause]
    assert node(" ".join([text, *rest]), "out_where")["where"] == "a > 1"


def test_expression_quotes_a_text_that_sql_cannot_contain() -> None:
    text = r"SELECT EXPRESSION 'a from \'b\' \\' AS x FROM cars WHERE EXPRESSION ' cars.x ; '"
    assert node(text, "out_where")["where"] == " cars.x ; "
    assert node(text, "out_select")["columns"] == [{"name": "x", "of": "a from 'b' \\"}]


def test_a_field_gives_an_item_its_name() -> None:
    text = "SELECT cars.plate, details.speed, `group`, _value.lane FROM cars"
    assert [each["name"] for each in node(text, "out_select")["columns"]] == ["plate", "speed", "group", "lane"]  # type: ignore[attr-defined]


def test_leading_commas_are_read() -> None:
    assert ids("SELECT STREAM\n    a\n  , b AS c\nFROM cars\n;") == ["cars", "out_select", "out"]


def test_fields_may_be_named_stream_and_all() -> None:
    text = "SELECT stream, all, `distinct` FROM cars"
    assert [each["name"] for each in node(text, "out_select")["columns"]] == ["stream", "all", "distinct"]  # type: ignore[attr-defined]


def test_each_item_without_a_name_is_reported() -> None:
    assert marked("SELECT upper(a), b + 1, c FROM cars") == [
        ("upper(a)", "Give it a name with AS, such as AS total."),
        ("b + 1", "Give it a name with AS, such as AS total."),
    ]


def test_a_star_must_be_alone() -> None:
    assert fault("SELECT *, a FROM cars") == (
        "*, a",
        "List each field, or write * alone, or with functions that have OVER.",
    )


@pytest.mark.parametrize(
    ("text", "words", "remedy"),
    [
        ("SELECT a AS b.c FROM cars", "b.c", "Write only the name: c."),
        ("SELECT a.*, b FROM a", "a.*", "List the fields of the source, or write * alone for all fields."),
        ("SELECT a AS b c FROM cars", "c", "Write FROM and the name of a stream or a step."),
        ("SELECT a, FROM cars", ",", "Remove it."),
        ("SELECT * FORM cars", "FORM", "Did you mean FROM?"),
        ("SELECT * FROM cars WHER a > 1", "WHER", "Did you mean WHERE?"),
        ("SELCT * FROM cars", "SELCT", "Did you mean SELECT?"),
        ("SELECT * FROM cars WHERE", "WHERE", "Write a condition, for example WHERE speed > 120."),
        ("SELECT * FROM cars WHERE a WHERE b", "WHERE b", "Leave one of them out."),
        ("SELECT * FROM", "FROM", "Write the name of a stream or a step."),
    ],
)
def test_a_mistake_is_reported_once_with_a_remedy(text: str, words: str, remedy: str) -> None:
    assert fault(text) == (words, remedy)


def test_a_clause_after_a_mistake_is_read_anyway() -> None:
    text = "SELECT a, COUNT(*) AS n FROM cars WHERE x > 1 WINDW BY TUMBEL 5m GROUP BY a EMIT FNAL"
    assert marked(text) == [
        ("WINDW", "Did you mean WINDOW BY?"),
        ("TUMBEL", "Did you mean TUMBLE?"),
        ("FNAL", "Did you mean FINAL?"),
    ]
