"""Printing of graphs in the style in which people write."""

from typing import Any

import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy

CARS = {"id": "cars", "kind": "input", "stream": "cars"}
OWNERS = {"id": "owners", "kind": "input", "stream": "owners"}


def graph(*nodes: dict[str, Any], name: str = "out") -> QueryGraph:
    return QueryGraph.model_validate({"version": 1, "name": name, "nodes": list(nodes)})


def node(kind: str, node_id: str = "x", **fields: Any) -> dict[str, Any]:
    read = {} if kind in ("union", "join", "anti_join", "semi_join", "asof_join") else {"input": "cars"}
    return {"id": node_id, "kind": kind} | read | fields


def out(of: str, **fields: Any) -> dict[str, Any]:
    return {"id": "out", "kind": "output", "input": of} | fields


def printed(*nodes: dict[str, Any], name: str = "out", **settings: Any) -> str:
    """Return the text of a graph, after the check that it is read back unchanged."""
    of = graph(*nodes, name=name)
    text = print_sql(of, **settings)
    assert parse_sql(text).faults == ()
    assert parse_sql(text).graph == of
    return text


def step(made: dict[str, Any]) -> str:
    """Return the text between the parentheses of the step `x` that reads the stream `cars`."""
    text = printed(CARS, made, name="query")
    assert text.startswith("WITH x AS (")
    assert text.endswith(");\n")
    return text.removeprefix("WITH x AS (").removesuffix(");\n")


def window(spec: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return node("window", window=spec, aggregates=[{"name": "n", "function": "count"}], **fields)


def test_the_example_of_the_definition() -> None:
    speeding = (
        CARS,
        node("filter", "fast", where="speed > 120"),
        {
            **node("window", "per_plate", input="fast", group_by=["plate"], grace="0s"),
            "window": {"kind": "hopping", "size": "5m", "hop": "1m"},
            "aggregates": [
                {"name": "n", "function": "count"},
                {"name": "avg_speed", "function": "avg", "of": "speed"},
            ],
        },
        out("per_plate"),
    )
    assert (
        printed(*speeding, name="speeding")
        == """QUERY speeding;

WITH
  fast AS (SELECT STREAM * FROM cars WHERE speed > 120),
  per_plate AS (
    SELECT STREAM plate, COUNT(*) AS n, AVG(speed) AS avg_speed
    FROM fast
    WINDOW BY HOP 5m,1m GRACE BY 0s
    GROUP BY plate
  )
INSERT INTO out SELECT STREAM * FROM per_plate;
"""
    )


def test_nodes_with_derived_ids_are_in_one_select() -> None:
    nodes = (
        CARS,
        node("filter", "out_where", where="speed > 120"),
        {
            **node("window", "out_window", input="out_where", group_by=["plate"], grace="30s"),
            "window": {"kind": "tumbling", "size": "5m"},
            "aggregates": [{"name": "top_speeds", "function": "maxk_unique", "of": "speed", "k": 3}],
        },
        node("filter", "out_having", input="out_window", where="top_speeds is not null"),
        out("out_having", timestamp="point_at_end"),
    )
    assert (
        printed(*nodes)
        == """INSERT INTO out TIMESTAMP BY point_at_end
SELECT STREAM plate, MAXK_UNIQUE(speed, 3) AS top_speeds
FROM cars
WHERE speed > 120
WINDOW BY TUMBLE 5m GRACE BY 30s
GROUP BY plate
HAVING top_speeds is not null;
"""
    )


@pytest.mark.parametrize(
    "select",
    [
        "SELECT STREAM COUNT(*) * 2 AS twice, k\nFROM cars\nWINDOW BY SNAPSHOT\nGROUP BY k\nHAVING COUNT(*) > 1",
        "SELECT STREAM SUM(n)/COUNT(*) AS mean\nFROM cars\nWHERE n > 1\nWINDOW BY COUNT 3 GRACE BY 1m\nGROUP BY `to`",
        "SELECT STREAM plate AS p, MAX(n) AS most\nFROM cars\nWINDOW BY COUNT 3\nGROUP BY plate\nHAVING AVG(n) > 1",
        "SELECT STREAM plate, speed * 2 AS s\nFROM cars\nWINDOW BY TUMBLE 5m\nGROUP BY plate, lane\nTOP 3 BY speed",
        "SELECT STREAM plate AS p\nFROM cars\nJOIN owners USING (plate)\nLEFT JOIN b USING () ON n > w\nWHERE n > 1",
    ],
)
def test_columns_computed_from_aggregates_are_in_their_select(select: str) -> None:
    graph = parse_sql(f"INSERT INTO out {select}").graph
    assert graph is not None
    assert print_sql(graph) == f"INSERT INTO out\n{select};\n"


def test_a_short_statement_is_on_one_line() -> None:
    nodes = (CARS, node("filter", "out_where", where="speed > 120"), out("out_where"))
    assert printed(*nodes) == "INSERT INTO out SELECT STREAM * FROM cars WHERE speed > 120;\n"
    nodes = (CARS, node("filter", "fast", where="n > 1"), out("fast"))
    expected = "WITH fast AS (SELECT STREAM * FROM cars WHERE n > 1) INSERT INTO out SELECT STREAM * FROM fast;\n"
    assert printed(*nodes) == expected


def test_many_columns_are_one_per_line() -> None:
    columns = [{"name": f"column_{number}", "of": f"a_long_name_of_a_field_{number} + 1"} for number in range(3)]
    assert (
        printed(CARS, node("project", "out_select", columns=columns), out("out_select"))
        == """INSERT INTO out
SELECT STREAM
  a_long_name_of_a_field_0 + 1 AS column_0,
  a_long_name_of_a_field_1 + 1 AS column_1,
  a_long_name_of_a_field_2 + 1 AS column_2
FROM cars;
"""
    )


def test_branches_of_a_union_are_on_separate_lines() -> None:
    nodes = (
        CARS,
        node("filter", "out_1_where", where="speed > 120 and plate like 'B%'"),
        OWNERS,
        node("shift", "out_2_shift", input="owners", by="-5m"),
        {"id": "out_union", "kind": "union", "inputs": ["out_1_where", "out_2_shift", "owners"]},
        out("out_union"),
    )
    assert (
        printed(*nodes)
        == """INSERT INTO out
SELECT STREAM *
FROM cars
WHERE speed > 120 and plate like 'B%'
UNION ALL
SHIFT owners BY -5m
UNION ALL
SELECT STREAM *
FROM owners;
"""
    )


def test_inputs_that_are_read_in_another_order_are_steps() -> None:
    nodes = (CARS, OWNERS, node("join", left="owners", right="cars", keys=["plate"]))
    assert (
        printed(*nodes, name="query")
        == """WITH
  cars AS (STREAM cars),
  x AS (SELECT STREAM * FROM owners JOIN cars USING (plate));
"""
    )
    assert printed(CARS, name="query") == "WITH cars AS (STREAM cars);\n"


def test_an_input_with_an_id_of_its_own_has_an_alias() -> None:
    fast = {"id": "fast", "kind": "input", "stream": "cars"}
    slow = {"id": "slow", "kind": "input", "stream": "cars"}
    both = node("join", left="fast", right="slow", keys=["plate"])
    text = printed(fast, slow, both, out("x"), {"id": "raw", "kind": "output", "input": "fast"})
    assert "SELECT STREAM * FROM cars AS fast JOIN cars AS slow USING (plate)" in text
    assert text.endswith("INSERT INTO raw SELECT STREAM * FROM NODE fast;\n")


def test_a_missing_node_is_printed_as_a_node() -> None:
    assert printed(out("nowhere")) == "INSERT INTO out SELECT STREAM * FROM NODE nowhere;\n"
    assert printed(out("out")) == "INSERT INTO out SELECT STREAM * FROM out;\n"


def test_equal_ids_are_each_printed() -> None:
    text = printed(CARS, CARS, node("filter", "cars", where="n > 1"), name="query")
    assert (
        text
        == """WITH
  cars AS (STREAM cars),
  cars AS (STREAM cars),
  cars AS (SELECT STREAM * FROM cars WHERE n > 1);
"""
    )


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (node("shift", by="-1tick"), "SHIFT cars BY -1tick"),
        (node("extend", by=300), "EXTEND cars BY 300"),
        (node("extend", by="PT5M"), "EXTEND cars BY 'PT5M'"),
        (node("shift", by=" 10 s"), "SHIFT cars BY ' 10 s'"),
        (node("set_duration", duration="1h"), "SET DURATION cars TO 1h"),
        (node("set_duration", expression="n * 2"), "SET DURATION cars TO n * 2"),
        (node("set_duration", expression="5"), "SET DURATION cars TO EXPRESSION '5'"),
        (node("set_duration"), "SET DURATION cars"),
        (node("set_duration", duration=1, expression="n"), "SET DURATION cars TO 1 TO n"),
        (node("point_at_end"), "POINT AT END cars"),
        (node("to_intervals"), "TO INTERVALS cars"),
        (node("order_edges"), "ORDER EDGES cars"),
        (node("clip", by="x", keys=["plate", "from"]), "CLIP cars BY x ON plate, `from`"),
        (
            node("filter", where="speed>1 /* fast */ or n = 1"),
            "SELECT STREAM * FROM cars WHERE speed>1 /* fast */ or n = 1",
        ),
        (node("project", columns=[{"name": "n", "of": "n"}]), "SELECT STREAM n FROM cars"),
        (node("project", columns=[{"name": "from", "of": "`from`"}]), "SELECT STREAM `from` AS `from` FROM cars"),
        (node("project", columns=[{"name": "a", "of": "b.c"}]), "SELECT STREAM b.c AS a FROM cars"),
    ],
)
def test_steps_of_one_node(made: dict[str, Any], text: str) -> None:
    assert step(made) == text


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"kind": "join", "keys": ["k"]}, "JOIN x USING (k)"),
        ({"kind": "join", "keys": ["k", "to"], "where": "v < w"}, "JOIN x USING (k, `to`) WHERE v < w"),
        ({"kind": "join"}, "JOIN x USING ()"),
        ({"kind": "join", "keys": ["k"], "type": "left_outer"}, "LEFT JOIN x USING (k)"),
        ({"kind": "join", "where": "v < w", "type": "left_outer"}, "LEFT JOIN x USING () ON v < w"),
        ({"kind": "anti_join", "keys": ["k"], "where": "v < w"}, "LEFT ANTI JOIN x USING (k) ON v < w"),
        ({"kind": "semi_join", "keys": ["k"]}, "LEFT SEMI JOIN x USING (k)"),
        ({"kind": "asof_join", "keys": ["k"]}, "ASOF JOIN x USING (k)"),
        ({"kind": "asof_join", "keys": ["k"], "type": "left_outer"}, "LEFT ASOF JOIN x USING (k)"),
    ],
)
def test_joins(fields: dict[str, Any], text: str) -> None:
    made = {"id": "x", "left": "cars", "right": "x"} | fields
    assert step(made) == f"SELECT STREAM * FROM cars {text}"


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (window({"kind": "tumbling", "size": "5m"}), "TUMBLE 5m"),
        (window({"kind": "tumbling", "size": "5m", "offset": "0s"}), "TUMBLE 5m ALIGN 0s"),
        (window({"kind": "hopping", "size": 10, "hop": 5, "offset": -1}, grace=0), "HOP 10,5 ALIGN -1 GRACE BY 0"),
        (window({"kind": "session", "gap": "1m", "max": "1h"}), "SESSION 1m MAX 1h"),
        (window({"kind": "session", "gap": "1m"}, grace="5s"), "SESSION 1m GRACE BY 5s"),
        (window({"kind": "snapshot"}), "SNAPSHOT"),
        (window({"kind": "count", "n": 3}), "COUNT 3"),
        (window({"kind": "time_interval", "duration": "10s"}), "TIMEINTERVAL 10s"),
        (
            window({"kind": "time_interval", "duration": "10s", "period": "5s", "offset": "1s", "discard_age": "15s"}),
            "TIMEINTERVAL 10s,5s,1s DISCARD 15s",
        ),
        (
            window({"kind": "time_interval", "duration": "10s", "offset": "1s", "discard_age": "15s"}),
            "TIMEINTERVAL 10s DISCARD 15s ALIGN 1s",
        ),
        (window({"kind": "count", "n": 3}, emit="on_complete"), "COUNT 3 EMIT ON COMPLETE"),
        (window({"kind": "count", "n": 3}, emit="running", retract=True), "COUNT 3 EMIT RUNNING RETRACT"),
        (window({"kind": "count", "n": 3}, empty="default", empty_gap="1h"), "COUNT 3 EMPTY DEFAULT GAP 1h"),
        (window({"kind": "count", "n": 3}, empty_groups=[]), "COUNT 3 EMPTY SKIP GROUPS ()"),
    ],
)
def test_windows(made: dict[str, Any], text: str) -> None:
    assert step(made) == f"SELECT STREAM COUNT(*) AS n FROM cars WINDOW BY {text}"


def test_known_groups() -> None:
    groups = [{"k": "it's", "from": None}, {"n": -1, "b": True}, {}]
    text = printed(CARS, window({"kind": "snapshot"}, empty="default", empty_groups=groups), name="query")
    assert "\n    EMPTY DEFAULT GROUPS ((k => 'it\\'s', `from` => NULL), (n => -1, b => TRUE), ())\n" in text


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"function": "count"}, "COUNT(*)"),
        ({"function": "count", "of": "n"}, "COUNT(n)"),
        ({"function": "count", "of": "*"}, "COUNT(EXPRESSION '*')"),
        ({"function": "sum"}, "SUM()"),
        ({"function": "sum", "of": "a, b"}, "SUM(EXPRESSION 'a, b')"),
        ({"function": "topk", "of": "n", "k": 3}, "TOPK(n, 3)"),
        ({"function": "topk", "of": "n"}, "TOPK(n)"),
        ({"function": "topk", "k": 3}, "TOPK(K => 3)"),
        ({"function": "sum", "of": "n", "k": 3}, "SUM(n, K => 3)"),
        ({"function": "percentile_cont", "of": "n", "fraction": 0.5}, "PERCENTILE_CONT(n, 0.5)"),
        ({"function": "percentile_cont", "of": "n", "fraction": 1e-7}, "PERCENTILE_CONT(n, 1e-07)"),
        ({"function": "avg", "of": "n", "fraction": 1, "k": 2}, "AVG(n, K => 2, FRACTION => 1.0)"),
        ({"function": "count", "filter": "n > 1"}, "COUNT(*) FILTER (WHERE n > 1)"),
        ({"function": "max", "of": "k => n"}, "MAX(EXPRESSION 'k => n')"),
    ],
)
def test_aggregates(fields: dict[str, Any], text: str) -> None:
    made = node("window", window={"kind": "snapshot"}, aggregates=[{"name": "n"} | fields])
    assert step(made) == f"SELECT STREAM {text} AS n FROM cars WINDOW BY SNAPSHOT"


def test_settings_come_before_their_query() -> None:
    settings = AdvanceTimeSettings.model_validate(
        {
            "generate": {"every": 10, "delay": "5s", "basis": "max", "final": True},
            "late": "keep",
            "late_end": "close_at_cti",
            "over": "plate",
            "idle_after": "1m",
            "idle": "advance",
        }
    )
    preset = AdvanceTimeSettings(preset="watermark(5s)", max_ahead="1h")
    text = print_sql(
        graph(CARS, OWNERS, node("join", left="cars", right="owners", keys=["plate"]), out("x"), name="joined"),
        advance={"cars": settings, "owners": preset},
        event_times={
            "cars": EventTimeBy(path="_value.`from`.at", unit="ms"),
            "owners": EventTimeBy(path="a b", zone="Z"),
        },
    )
    assert (
        text
        == """QUERY joined;

ADVANCE TIME cars EVERY 10 DELAY 5s BASIS MAX FINAL
  LATE KEEP LATE END CLOSE_AT_CTI
  OVER plate
  IDLE AFTER 1m IDLE ADVANCE;

ADVANCE TIME owners PRESET watermark(5s) MAX AHEAD 1h;

WITH
  x AS (
    SELECT STREAM *
    FROM cars EVENTTIME BY _value.`from`.at UNIT ms
    JOIN owners EVENTTIME BY 'a b' ZONE 'Z' USING (plate)
  )
INSERT INTO out SELECT STREAM * FROM x;
"""
    )
    read = parse_sql(text)
    assert read.advance == {"cars": settings, "owners": preset}
    assert read.event_times["cars"].path == "_value.`from`.at"


def test_settings_of_other_nodes_than_inputs_are_left_out() -> None:
    assert (
        print_sql(graph(CARS, name="query"), advance={"owners": AdvanceTimeSettings()})
        == "WITH cars AS (STREAM cars);\n"
    )


@pytest.mark.parametrize("preset", ['A"', "A'", "A`", "watermark(", "A /*", "A--", 'A("x")', "final"])
def test_a_preset_in_another_form_is_quoted(preset: str) -> None:
    counting = parse_sql("SELECT * FROM cars").graph
    assert counting is not None
    settings = {"cars": AdvanceTimeSettings(preset=preset)}
    assert parse_sql(print_sql(counting, advance=settings)).advance == settings
