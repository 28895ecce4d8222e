"""WINDOW BY, aggregates, GROUP BY, HAVING, TOP, EMIT, RETRACT, EMPTY."""

import pytest

from tests.definition.sql.reading.read import fault, ids, marked, node, nodes


def window_of(clause: str) -> dict[str, object]:
    return node(f"SELECT COUNT(*) AS n FROM cars WINDOW BY {clause}", "out_window")


@pytest.mark.parametrize(
    ("clause", "window"),
    [
        ("HOP 5m,1m", {"kind": "hopping", "size": "5m", "hop": "1m"}),
        ("HOP 5m, 1m ALIGN -1s", {"kind": "hopping", "size": "5m", "hop": "1m", "offset": "-1s"}),
        ("TUMBLE 5m", {"kind": "tumbling", "size": "5m"}),
        ("TUMBLE 10", {"kind": "tumbling", "size": 10}),
        ("TUMBLE -10", {"kind": "tumbling", "size": -10}),
        ("TUMBLE 'PT5M' ALIGN 1tick", {"kind": "tumbling", "size": "PT5M", "offset": "1tick"}),
        ("SESSION 30s", {"kind": "session", "gap": "30s"}),
        ("SESSION 30s MAX 1h", {"kind": "session", "gap": "30s", "max": "1h"}),
        ("SNAPSHOT", {"kind": "snapshot"}),
        ("COUNT 10", {"kind": "count", "n": 10}),
        ("TIMEINTERVAL 5m", {"kind": "time_interval", "duration": "5m"}),
        ("TIMEINTERVAL 5m,1m", {"kind": "time_interval", "duration": "5m", "period": "1m"}),
        (
            "TIMEINTERVAL 5m,1m,10s DISCARD 1h",
            {"kind": "time_interval", "duration": "5m", "period": "1m", "offset": "10s", "discard_age": "1h"},
        ),
        (
            "timeinterval 5d DISCARD 1h ALIGN 10s",
            {"kind": "time_interval", "duration": "5d", "offset": "10s", "discard_age": "1h"},
        ),
    ],
)
def test_every_window_has_its_fields(clause: str, window: dict[str, object]) -> None:
    assert window_of(clause)["window"] == window
    assert "grace" not in window_of(clause)


@pytest.mark.parametrize("clause", ["HOP 5m,1m", "TUMBLE 5m", "SESSION 5m MAX 1h", "SNAPSHOT", "TIMEINTERVAL 5m,1m"])
@pytest.mark.parametrize("comma", ["", ",", " ,"])
def test_grace_follows_with_or_without_a_comma(clause: str, comma: str) -> None:
    assert window_of(f"{clause}{comma} GRACE BY 2h")["grace"] == "2h"


def test_clauses_may_be_in_any_order() -> None:
    text = "SELECT plate, COUNT(*) AS n FROM cars "
    clauses = [
        "WHERE x",
        "WINDOW BY TUMBLE 5m",
        "GRACE BY 1s",
        "GROUP BY plate",
        "HAVING n > 1",
        "EMIT RUNNING",
        "RETRACT",
    ]
    assert nodes(text + " ".join(clauses)) == nodes(text + " ".join(reversed(clauses)))


@pytest.mark.parametrize(
    ("clauses", "fields"),
    [
        ("EMIT FINAL", {}),
        ("EMIT ON COMPLETE", {"emit": "on_complete"}),
        ("EMIT on_complete", {"emit": "on_complete"}),
        ("EMIT RUNNING RETRACT", {"emit": "running", "retract": True}),
        ("EMPTY SKIP", {}),
        ("EMPTY DEFAULT", {"empty": "default"}),
        ("EMPTY DEFAULT GAP 1h", {"empty": "default", "empty_gap": "1h"}),
        (
            "EMPTY DEFAULT GAP 1h GROUPS ((a => 'x', b => -1), (a => TRUE, b => null), ())",
            {
                "empty": "default",
                "empty_gap": "1h",
                "empty_groups": [{"a": "x", "b": -1}, {"a": True, "b": None}, {}],
            },
        ),
        ("EMPTY SKIP GROUPS ()", {"empty_groups": []}),
    ],
)
def test_emission_and_rows_for_empty_windows(clauses: str, fields: dict[str, object]) -> None:
    found = window_of(f"TUMBLE 5m {clauses}")
    rest = {key: value for key, value in found.items() if key not in ("kind", "input", "window", "aggregates")}
    assert rest == fields


@pytest.mark.parametrize(
    ("call", "aggregate"),
    [
        ("COUNT(*)", {"function": "count"}),
        ("count()", {"function": "count"}),
        ("COUNT(x)", {"function": "count", "of": "x"}),
        ("AVG(cars.speed * 2)", {"function": "avg", "of": "speed * 2"}),
        ("MAXK_UNIQUE(speed, 3)", {"function": "maxk_unique", "of": "speed", "k": 3}),
        ("TOPK(speed, K => 3)", {"function": "topk", "of": "speed", "k": 3}),
        ("PERCENTILE_CONT(speed, 0.5)", {"function": "percentile_cont", "of": "speed", "fraction": 0.5}),
        ("COUNT(*, K => 2, FRACTION => 1e-05)", {"function": "count", "k": 2, "fraction": 1e-05}),
        ("COUNT(K => 2)", {"function": "count", "k": 2}),
        ("SUM(x) FILTER (WHERE cars.y > 1)", {"function": "sum", "of": "x", "filter": "y > 1"}),
        ("SUM(greatest(a, b), k=>1)", {"function": "sum", "of": "greatest(a, b)", "k": 1}),
        ("SUM(EXPRESSION 'a, b')", {"function": "sum", "of": "a, b"}),
    ],
)
def test_every_aggregate_has_its_fields(call: str, aggregate: dict[str, object]) -> None:
    text = f"SELECT {call} AS n FROM cars WINDOW BY TUMBLE 5m"
    assert node(text, "out_window")["aggregates"] == [{"name": "n", **aggregate}]


def test_groups_and_then_aggregates_need_no_projection() -> None:
    text = "SELECT a, cars.b, COUNT(*), AVG(speed), MAX(d.e) FROM cars WINDOW BY TUMBLE 5m GROUP BY a, cars.b"
    found = node(text, "out_window")
    assert found["group_by"] == ["a", "b"]
    names = [each["name"] for each in found["aggregates"]]  # type: ignore[attr-defined]
    assert names == ["count", "avg_speed", "max_e"]
    assert ids(text) == ["cars", "out_window", "out"]


@pytest.mark.parametrize(
    ("items", "columns"),
    [
        ("COUNT(*) AS n, a", [("n", "n"), ("a", "a")]),
        ("a AS b, COUNT(*) AS n", [("b", "a"), ("n", "n")]),
        ("COUNT(*) AS n", [("n", "n")]),
        ("COUNT(*) * 2 AS n", [("n", "n * 2")]),
        ("a, SUM(x) / SUM(y) AS r", [("a", "a"), ("r", "r_1 / r_2")]),
        ("upper(a) AS u, -COUNT(*)/*c*/ + cars.a AS n", [("u", "upper(a)"), ("n", "-n/*c*/ + a")]),
    ],
)
def test_any_other_list_is_computed_from_the_rows_of_the_window(items: str, columns: list[tuple[str, str]]) -> None:
    text = f"SELECT {items} FROM cars WINDOW BY TUMBLE 5m GROUP BY a"
    assert ids(text) == ["cars", "out_window", "out_post", "out"]
    found = node(text, "out_post")["columns"]
    assert [(each["name"], each["of"]) for each in found] == columns  # type: ignore[attr-defined]


def test_having_filters_the_rows_of_the_window() -> None:
    text = "SELECT a, COUNT(*) AS n FROM cars WINDOW BY TUMBLE 5m GROUP BY a HAVING n > 3 AND count(*) < 9"
    assert node(text, "out_having") == {"kind": "filter", "input": "out_window", "where": "n > 3 AND n < 9"}
    assert ids(text) == ["cars", "out_window", "out_having", "out"]


def test_aggregates_only_in_having_do_not_leave_the_query() -> None:
    text = "SELECT a, COUNT(*) AS n FROM cars WINDOW BY TUMBLE 5m GROUP BY a HAVING MAX(x) > 3"
    assert ids(text) == ["cars", "out_window", "out_having", "out_post", "out"]
    names = [each["name"] for each in node(text, "out_window")["aggregates"]]  # type: ignore[attr-defined]
    assert names == ["n", "having"]
    assert node(text, "out_having")["where"] == "having > 3"


def test_having_does_not_confuse_a_column_with_the_aggregate_inside_it() -> None:
    words, remedy = fault("SELECT COUNT(*) * 2 AS n FROM cars WINDOW BY TUMBLE 5m HAVING n > 3")
    assert (words, remedy) == ("n", "Write the expression itself, with its aggregates.")


def test_top_ranks_the_events_of_windows() -> None:
    text = "SELECT * FROM cars WINDOW BY TUMBLE 5m GROUP BY lane TOP 3 BY cars.speed * 2"
    assert node(text, "out_top") == {
        "kind": "top_k",
        "input": "cars",
        "window": {"kind": "tumbling", "size": "5m"},
        "group_by": ["lane"],
        "by": "speed * 2",
        "k": 3,
    }
    assert ids(text.replace("*", "plate", 1)) == ["cars", "out_top", "out_select", "out"]


@pytest.mark.parametrize(
    ("text", "words", "remedy"),
    [
        ("SELECT COUNT(*) FROM a", "COUNT(*)", "Add WINDOW BY, such as WINDOW BY TUMBLE 5m."),
        ("SELECT a FROM a WINDOW BY TUMBLE 5m GROUP BY a", "WINDOW BY TUMBLE 5m", "Add one to the SELECT list"),
        ("SELECT * FROM a WINDOW BY TUMBLE 5m", "*", "List the fields of GROUP BY and the aggregates"),
        ("SELECT b, COUNT(*) FROM a WINDOW BY TUMBLE 5m GROUP BY c", "b", "Add it to GROUP BY"),
        ("SELECT COUNT(*) FROM a WINDOW BY TUMBLE 5m GROUP BY upper(b)", "upper(b)", "Compute it in an earlier step"),
        ("SELECT COUNT(*) FROM a WINDOW BY TUMBLE 5m GROUP BY b.c", "b.c", "Give it a name in an earlier step"),
        ("SELECT MAX(a + b) FROM a WINDOW BY TUMBLE 5m", "MAX(a + b)", "Give it a name with AS"),
        ("SELECT COUNT(DISTINCT b) AS n FROM a WINDOW BY TUMBLE 5m", "DISTINCT", "Write COUNT_DISTINCT(value)."),
        ("SELECT AVG(b, 3) AS n FROM a WINDOW BY TUMBLE 5m", "3", "Write AVG(value)."),
        ("SELECT MAXK(b, 0) AS n FROM a WINDOW BY TUMBLE 5m", "0", "Write a whole number from 1 to 10000."),
        ("SELECT COLLECT_LIST(b) AS n FROM a WINDOW BY TUMBLE 5m", "COLLECT_LIST", "Write COLLECT(value)."),
        ("SELECT * FROM a TOP 3 BY b", "TOP 3 BY b", "Add WINDOW BY"),
        ("SELECT * FROM a WINDOW BY TUMBLE 5m TOP 3 BY b EMIT RUNNING", "EMIT RUNNING", "Leave it out"),
        ("SELECT * FROM a EMIT FINAL", "EMIT FINAL", "Add WINDOW BY"),
        ("SELECT * FROM a HAVING b", "HAVING b", "Write WHERE."),
        ("SELECT COUNT(*) FROM a WINDOW BY HOP 5m", "5m", "Write both, such as HOP 5m,1m"),
        ("SELECT COUNT(*) FROM a WINDOW BY HOP 5m 1m", "1m", "Separate the size and the hop with a comma: HOP 5m,1m."),
        ("SELECT COUNT(*) FROM a WINDOW BY 5m", "5m", "Write HOP 5m,1m, TUMBLE 5m"),
        ("SELECT COUNT(*) FROM a WINDOWBY TUMBLE 5m", "WINDOWBY", "Did you mean WINDOW BY?"),
        ("SELECT COUNT(*) FROM a WINDOW TUMBLE 5m", "WINDOW", "Write WINDOW BY."),
        ("SELECT COUNT(* AS n FROM a WINDOW BY TUMBLE 5m", "(", "Write ) after the last argument."),
        ("SELECT MEDIAN(b) AS n FROM a WINDOW BY TUMBLE 5m", "MEDIAN", "Write PERCENTILE_CONT(value, 0.95)."),
        ("SELECT * FROM a EMIT", "EMIT", "Write one of FINAL, ON COMPLETE, RUNNING."),
        ("SELECT COUNT(*) FROM a WINDOW BY TUMBLE 5m,1m", "1m", "For windows that overlap, write HOP 5m,1m."),
        ("SELECT COUNT(*) FROM a WINDOW BY TUMBLE 5min", "5min", "Write 5m."),
        ("SELECT COUNT(*) FROM a WINDOW BY TUMBLE 5 MINUTES", "5 MINUTES", "Write 5m."),
        ("SELECT COUNT(*) FROM a WINDOW BY TUMBLE 5M", "5M", "Write 5m."),
        ("SELECT COUNT(*) FROM a WINDOW BY TUMBLE 5x", "5x", "Write for example 5m"),
        ("SELECT COUNT(*) FROM a WINDOW BY TUMBLE", "TUMBLE", "Write for example 5m"),
        ("SELECT COUNT(*) FROM a WINDOW BY SNAPSHOT ALIGN 5m", "ALIGN", "Leave it out"),
        ("SELECT COUNT(*) FROM a WINDOW BY TUMBLE 5m DISCARD 5m", "DISCARD", "Write GRACE BY instead."),
        ("SELECT COUNT(*) FROM a WINDOW BY TUMBLE 5m GRACE BY 1s GRACE BY 2s", "GRACE BY 2s", "Leave one of them out."),
        ("SELECT COUNT(*) FROM a WINDOW BY COUNT 0", "0", "Write a whole number from 1 to 10000."),
        ("SELECT COUNT(*) FROM a WINDOW BY TUMBLE 5m EMPTY DEFAULT GROUPS (1)", "1", "Write for example GROUPS"),
    ],
)
def test_a_mistake_is_reported_with_a_remedy(text: str, words: str, remedy: str) -> None:
    found = fault(text)
    assert found[0] == words
    assert found[1].startswith(remedy)


@pytest.mark.parametrize(
    ("clause", "written"),
    [
        ("GROUP BY TUMBLE(ts, INTERVAL '5' MINUTE)", "TUMBLE 5m"),
        ("GROUP BY window(ts, '5 minutes')", "TUMBLE 5m"),
        ("GROUP BY window(ts, '10 minutes', '5 minutes')", "HOP 10m,5m"),
        ("GROUP BY HOP(ts, INTERVAL '1' MINUTE, INTERVAL '5' MINUTE)", "HOP 5m,1m"),
        ("GROUP BY TumblingWindow(minute, 5)", "TUMBLE 5m"),
        ("GROUP BY session_window(ts, '30 seconds')", "SESSION 30s"),
        ("WINDOW BY TUMBLE(INTERVAL 5 MINUTES)", "TUMBLE 5m"),
        ("WINDOW BY TUMBLE(x)", "TUMBLE 5m"),
    ],
)
def test_windows_of_other_systems_are_reported_with_the_clause_to_write(clause: str, written: str) -> None:
    words, remedy = marked(f"SELECT COUNT(*) AS n FROM cars {clause}")[0]
    assert words == clause[len("GROUP BY ") :].strip().removeprefix("Y ")
    assert remedy.startswith(f"Write WINDOW BY {written}, and set the field of the time with EVENTTIME BY")


def test_an_item_over_the_name_of_a_computed_item_is_reported() -> None:
    # the window has COUNT(*) by the name `n`, so `q` would silently be one less than it says
    (words, remedy) = fault("SELECT STREAM COUNT(*) + 1 AS n, n * 2 AS q FROM cars WINDOW BY TUMBLE 5m")
    assert (words, "later step" in remedy) == ("n", True)


def test_an_item_over_the_name_of_a_plain_aggregate_is_read() -> None:
    text = "SELECT STREAM COUNT(*) AS n, n * 2 AS q, SUM(n) + 1 AS s FROM cars WINDOW BY TUMBLE 5m"
    assert nodes(text)[2]["columns"] == [
        {"name": "n", "of": "n"},
        {"name": "q", "of": "n * 2"},
        {"name": "s", "of": "s + 1"},
    ]


@pytest.mark.parametrize("items", ["upper(plate) AS plate, lane", "lane AS plate, plate AS lane"])
def test_having_over_a_group_with_the_name_of_another_item_is_reported(items: str) -> None:
    # Spark reads the item, others the field
    text = f"SELECT STREAM {items}, COUNT(*) AS n FROM cars WINDOW BY TUMBLE 5m GROUP BY plate, lane HAVING plate = 'X'"
    (words, remedy) = fault(text)
    assert (words, remedy) == ("plate", "Give the item another name with AS.")
