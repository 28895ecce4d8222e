"""The parts of a text that are kept when its graph is edited."""

from typing import Any

from streaming.definition.graph import QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.rewriting.texts import rewrite_sql
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy

TEXT = """-- The fast ones, by plate.
QUERY speeding;

ADVANCE TIME cars EVERY 10 DELAY 5s LATE DROP;  -- as agreed

/* what is fast */
WITH
  fast AS (SELECT STREAM *  FROM cars WHERE speed > 120), -- above the limit
  -- five minutes
  per_plate AS (
    SELECT STREAM plate, COUNT(*) AS n  -- how often
    FROM fast   WINDOW BY TUMBLE 5m   GROUP BY plate
  )
-- written out
INSERT INTO out SELECT STREAM * FROM per_plate; -- that is all

-- And the raw ones.
insert into raw select stream * from cars where speed > 0
"""


def edited(text: str, change: dict[str, dict[str, Any] | None], *new: dict[str, Any], **more: Any) -> str:
    """Return the text after setting fields of the nodes in `change` (None: remove the node) and adding `new` nodes."""
    graph = parse_sql(text).graph
    assert graph is not None
    nodes = [node.model_dump(mode="json") for node in graph.nodes]
    nodes = [node | (change.get(node["id"]) or {}) for node in nodes if change.get(node["id"], {}) is not None]
    wanted = QueryGraph.model_validate({"version": 1, "name": more.pop("name", graph.name), "nodes": [*nodes, *new]})
    rewritten = rewrite_sql(text, wanted, **more)
    assert parse_sql(rewritten).graph == wanted
    return rewritten


def test_the_text_has_no_faults() -> None:
    assert parse_sql(TEXT).faults == ()


def test_a_changed_step_is_printed_again_and_all_else_stays() -> None:
    expected = TEXT.replace(
        "SELECT STREAM *  FROM cars WHERE speed > 120", "SELECT STREAM * FROM cars WHERE speed > 130"
    )
    assert edited(TEXT, {"fast": {"where": "speed > 130"}}) == expected


def test_comments_inside_a_changed_step_move_before_it() -> None:
    text = edited(TEXT, {"per_plate": {"grace": "1m"}})
    start, end = TEXT.index("  -- five minutes"), TEXT.index("\n-- written out")
    assert text.startswith(TEXT[:start])
    assert text.endswith(TEXT[end:])
    assert (
        text[start : text.index("\n-- written out")]
        == """  -- five minutes
  -- how often
  per_plate AS (
    SELECT STREAM plate, COUNT(*) AS n
    FROM fast
    WINDOW BY TUMBLE 5m GRACE BY 1m
    GROUP BY plate
  )"""
    )


def test_a_changed_insert_keeps_its_steps_and_its_comments() -> None:
    text = edited(TEXT, {"out": {"timestamp": "point_at_end"}})
    old = "INSERT INTO out SELECT STREAM * FROM per_plate;"
    assert text == TEXT.replace(old, "INSERT INTO out TIMESTAMP BY point_at_end SELECT STREAM * FROM per_plate;")


def test_a_changed_statement_is_printed_in_its_place() -> None:
    text = edited(TEXT, {"raw_where": {"where": "speed >= 0"}})
    old = "insert into raw select stream * from cars where speed > 0"
    assert text == TEXT.replace(old, "INSERT INTO raw SELECT STREAM * FROM cars WHERE speed >= 0;")


def test_a_renamed_output_stays_after_its_steps() -> None:
    text = edited(TEXT, {"out": {"id": "alerts"}})
    assert text == TEXT.replace("INSERT INTO out", "INSERT INTO alerts")


def test_a_quoted_text_that_resembles_a_comment_is_not_one() -> None:
    text = "WITH a AS (SHIFT s BY 5m), b AS (SELECT STREAM * FROM a WHERE n = '--');"
    assert edited(text, {"a": {"by": "6m"}}) == text.replace("5m", "6m")


def test_a_removed_step_goes_with_its_comments() -> None:
    text = edited(TEXT, {"per_plate": None, "out": {"input": "fast"}})
    assert "five minutes" not in text
    assert "how often" not in text
    assert "fast AS (SELECT STREAM *  FROM cars WHERE speed > 120) -- above the limit\n" in text
    assert "-- written out\nINSERT INTO out SELECT STREAM * FROM fast; -- that is all\n" in text


def test_a_removed_statement_goes_with_its_comments() -> None:
    text = edited(TEXT, {"raw": None, "raw_where": None})
    assert text == TEXT[: TEXT.index("\n\n-- And the raw ones.")] + "\n"


def test_a_new_step_is_added_before_its_reader() -> None:
    new = {"id": "shifted", "kind": "shift", "input": "fast", "by": "5m"}
    graph = parse_sql(TEXT).graph
    assert graph is not None
    nodes = [node.model_dump(mode="json") for node in graph.nodes]
    at = [node["id"] for node in nodes].index("per_plate")
    nodes[at]["input"] = "shifted"
    nodes.insert(at, new)
    wanted = QueryGraph.model_validate({"version": 1, "name": graph.name, "nodes": nodes})
    text = rewrite_sql(TEXT, wanted)
    assert parse_sql(text).graph == wanted
    assert ", -- above the limit\n  shifted AS (SHIFT fast BY 5m),\n  -- five minutes\n" in text


def test_a_new_output_is_added_at_the_end() -> None:
    text = edited(TEXT, {}, {"id": "more", "kind": "output", "input": "fast"})
    assert text == TEXT.rstrip() + ";\n\nINSERT INTO more SELECT STREAM * FROM fast;\n"


def test_a_new_name_is_written_at_the_place_of_the_old_one() -> None:
    assert edited(TEXT, {}, name="racing") == TEXT.replace("QUERY speeding", "QUERY racing")
    short = "-- all\nINSERT INTO out SELECT STREAM * FROM cars"
    assert edited(short, {}, name="racing") == f"QUERY racing;\n\n{short}"


def test_changed_settings_are_printed_in_their_place() -> None:
    settings = AdvanceTimeSettings(preset="watermark(5s)")
    text = edited(TEXT, {}, advance={"cars": settings})
    assert text == TEXT.replace("EVERY 10 DELAY 5s LATE DROP", "PRESET watermark(5s)")
    assert parse_sql(text).advance == {"cars": settings}


def test_removed_settings_go_with_their_comments() -> None:
    text = edited(TEXT, {}, advance={})
    assert text == TEXT.replace("ADVANCE TIME cars EVERY 10 DELAY 5s LATE DROP;  -- as agreed\n\n", "")


def test_new_settings_come_after_the_existing_ones() -> None:
    text = "ADVANCE TIME a PRESET lenses; -- for now\nSELECT STREAM * FROM a UNION ALL SELECT STREAM * FROM b;"
    lenses = AdvanceTimeSettings(preset="lenses")
    assert edited(text, {}, advance={"a": lenses, "b": lenses}) == text.replace(
        "-- for now", "-- for now\nADVANCE TIME b PRESET lenses;"
    )
    short = "SELECT STREAM * FROM a"
    assert edited(short, {}, advance={"a": lenses}) == "SELECT STREAM * FROM a;\n\nADVANCE TIME a PRESET lenses;"


def test_a_changed_event_time_prints_the_statement_of_the_input() -> None:
    text = edited(
        "-- all\nINSERT INTO out SELECT STREAM *\nFROM cars;\n", {}, event_times={"cars": EventTimeBy(path="at")}
    )
    assert text == "-- all\nINSERT INTO out SELECT STREAM * FROM cars EVENTTIME BY at;\n"


def test_settings_of_a_removed_input_are_removed() -> None:
    settings = "ADVANCE TIME b PRESET lenses;\nADVANCE TIME a PRESET lenses;\n"
    text = f"{settings}SELECT STREAM * FROM a;\nINSERT INTO o SELECT STREAM * FROM b;"
    assert edited(text, {"b": None, "o": None}) == "ADVANCE TIME a PRESET lenses;\nSELECT STREAM * FROM a;"


def test_comments_of_merged_statements_are_all_kept() -> None:
    text = (
        "-- first\nWITH a AS (SELECT STREAM * FROM s WHERE n > 1);\n-- second\nINSERT INTO out SELECT STREAM * FROM a;"
    )
    graph = QueryGraph.model_validate(
        {
            "version": 1,
            "name": "out",
            "nodes": [
                {"id": "s", "kind": "input", "stream": "s"},
                {"id": "a", "kind": "filter", "input": "s", "where": "n > 2"},
                {"id": "out", "kind": "output", "input": "s"},
            ],
        }
    )
    written = rewrite_sql(text, graph)
    assert parse_sql(written).graph == graph
    assert "-- first" in written
    assert "-- second" in written


def test_an_unreadable_text_is_replaced_by_a_printed_one() -> None:
    graph = parse_sql("SELECT STREAM * FROM cars").graph
    assert graph is not None
    assert rewrite_sql("SELECT STRAEM * FORM", graph) == "INSERT INTO out SELECT STREAM * FROM cars;\n"
