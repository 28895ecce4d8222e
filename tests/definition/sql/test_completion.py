"""Completions at the cursor, which `|` marks in the texts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.expressions.functions import FUNCTIONS
from streaming.definition.presets import PRESETS
from streaming.definition.sql.check import check_sql
from streaming.definition.sql.completion.complete import Completions, OfferedItem, complete_sql
from streaming.definition.sql.grammar.words import KEYWORDS
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from tests.definition.sql.drawn.counts import TEXTS_DRAWN
from tests.definition.sql.drawn.texts import WRITTEN, mistaken

WATERMARK = AdvanceTimeSettings(preset="watermark(5s)")
STREAMS = {
    "cars": StreamDefinition(
        fields={
            "plate": "string",
            "speed": "double",
            "seen_at": "timestamp",
            "end": "long",
            "place": "struct<lat: double, road: struct<name: string>>",
        }
    ),
    "owners": StreamDefinition(fields={"plate": "string", "speed": "long", "owner": "string"}),
    "order": StreamDefinition(fields={"n": "long"}),
}


def complete(marked: str) -> Completions:
    at = marked.index("|")
    return complete_sql(marked.replace("|", "", 1), at, STREAMS)


def items(marked: str, *kinds: str) -> list[OfferedItem]:
    return [item for item in complete(marked).items if not kinds or item.kind in kinds]


def labels(marked: str, *kinds: str) -> list[str]:
    return [item.label for item in items(marked, *kinds)]


def inserted(marked: str, *kinds: str) -> list[str]:
    return [item.insert for item in items(marked, *kinds)]


# The word under the cursor


@pytest.mark.parametrize(
    ("marked", "word"),
    [
        ("SELECT STREAM sp|eed FROM cars", "speed"),
        ("SELECT STREAM speed| FROM cars", "speed"),
        ("SELECT STREAM |speed FROM cars", "speed"),
        ("SELECT STREAM | FROM cars", ""),
        ("SELECT STREAM place.l|at FROM cars", "lat"),
        ("SELECT STREAM 'é', sp| FROM cars", "sp"),
    ],
)
def test_the_word_under_the_cursor_is_replaced(marked: str, word: str) -> None:
    found = complete(marked)
    assert marked.replace("|", "", 1)[found.start : found.end] == word


def test_items_that_start_with_the_typed_letters_come_first_then_those_that_contain_them() -> None:
    assert labels("SELECT STREAM * FROM cars WHERE s|")[:2] == ["speed", "seen_at"]
    assert labels("SELECT STREAM * FROM cars WHERE ee|") == ["speed", "seen_at", "degrees", "dayofweek"]
    assert labels("SELECT STREAM * FROM cars WHERE _with|") == ["starts_with", "ends_with", "st_within"]


def test_a_misspelt_word_gets_similar_items() -> None:
    assert labels("SELECT STREAM * FROM cars WHERE spedd|") == ["speed"]
    assert labels("SELECT STREAM * FROM ownres|") == ["owners"]


@pytest.mark.parametrize(
    "marked",
    [
        "SELECT STREAM 'a | b' FROM cars",
        "SELECT STREAM 'a |",
        'SELECT STREAM "a |',
        "SELECT STREAM a -- b |",
        "SELECT STREAM /* | */ a FROM cars",
        "SELECT STREAM /* /* */ | */ a FROM cars",
        "SELECT STREAM /* |",
        "SELECT STREAM `a |` FROM cars",
        "SELECT STREAM 12| FROM cars",
        "SELECT STREAM 'it\\'s |' FROM cars",
    ],
)
def test_inside_texts_comments_and_numbers_nothing_is_offered(marked: str) -> None:
    assert complete(marked).items == ()


@pytest.mark.parametrize(
    "marked",
    [
        "SELECT STREAM 'a' + | FROM cars",
        "SELECT STREAM a /* b */ + | FROM cars",
        "SELECT STREAM a -- b\n + | FROM cars",
        "SELECT STREAM 'open\n, | FROM cars",
    ],
)
def test_after_texts_and_comments_fields_are_offered(marked: str) -> None:
    assert "speed" in labels(marked, "field")


# Statements


def test_a_text_starts_with_a_statement() -> None:
    assert labels("|")[:4] == ["SELECT STREAM", "INSERT INTO", "WITH", "ADVANCE TIME"]
    assert labels("SELECT STREAM * FROM cars; |") == labels("|")
    assert labels("INSERT INTO out |")[:2] == ["SELECT STREAM", "TIMESTAMP BY"]
    assert labels("INSERT INTO out TIMESTAMP BY |") == ["lifetime", "point_at_end", "latest_input"]


def test_a_step_holds_a_body() -> None:
    assert labels("WITH fast |") == ["AS"]
    assert labels("WITH fast AS (|)")[0] == "SELECT STREAM"
    assert "INSERT INTO" not in labels("WITH fast AS (|)")
    assert labels("WITH fast AS (SELECT STREAM * FROM cars) |")[0] == "INSERT INTO"


def test_nothing_is_offered_for_new_names() -> None:
    for marked in ("WITH |", "INSERT INTO |", "SELECT STREAM speed AS |", "SELECT STREAM * FROM cars AS |", "QUERY |"):
        assert complete(marked).items == ()


# Sources


@pytest.mark.parametrize(
    "before", ["SELECT STREAM * FROM", "SELECT STREAM * FROM cars LEFT JOIN", "SHIFT", "CLIP cars BY"]
)
def test_streams_and_steps_are_sources(before: str) -> None:
    text = f"WITH fast AS (SELECT STREAM * FROM cars) INSERT INTO out {before} |"
    assert inserted(text, "node", "stream") == ["fast", "cars", "owners", "`order`"]
    assert "plate string, speed double" in items(text, "stream")[0].help


def test_after_stream_and_node_only_streams_and_nodes_are_offered() -> None:
    assert labels("SELECT STREAM * FROM STREAM |") == ["cars", "owners", "order"]
    assert labels("WITH fast AS (SELECT STREAM * FROM cars) INSERT INTO o SELECT STREAM * FROM NODE |", "stream") == []


def test_after_a_source_come_joins_and_missing_clauses() -> None:
    found = labels("SELECT STREAM * FROM cars | WHERE speed > 1")
    assert {"AS", "EVENTTIME BY", "WINDOW BY", "GROUP BY", "EMIT", "UNION ALL"} <= set(found)
    assert "WHERE" not in found
    assert "JOIN" in labels("SELECT STREAM * FROM cars |")
    assert labels("SELECT STREAM * FROM cars LEFT |")[:2] == ["JOIN", "ANTI JOIN"]


def test_operators_take_a_source_and_then_their_words() -> None:
    assert labels("SHIFT cars |") == ["BY"]
    assert labels("SET DURATION cars |") == ["TO"]
    assert "speed" in labels("SET DURATION cars TO |", "field")
    assert labels("CLIP cars BY owners |") == ["ON"]
    assert labels("POINT AT END |", "stream") == ["cars", "owners", "order"]


# Expressions


@pytest.mark.parametrize(
    "marked",
    [
        "SELECT STREAM | FROM cars",
        "SELECT STREAM speed, | FROM cars",
        "SELECT STREAM * FROM cars WHERE |",
        "SELECT STREAM * FROM cars WHERE speed > 1 AND (| ",
        "SELECT STREAM * FROM cars WHERE abs(|) > 1",
        "SELECT STREAM * FROM cars TOP 3 BY |",
        "SELECT STREAM COUNT(*) FILTER (WHERE |) FROM cars",
        "INSERT INTO o SELECT STREAM * FROM owners; SELECT STREAM | FROM cars; SELECT STREAM",
    ],
)
def test_fields_of_the_sources_come_first_with_their_types(marked: str) -> None:
    found = items(marked, "field")
    assert [item.label for item in found] == ["plate", "speed", "seen_at", "end", "place"]
    assert [item.detail for item in found][:3] == ["string", "double", "timestamp"]
    assert complete(marked).items[-1].kind == "keyword"


def test_functions_have_signature_and_help() -> None:
    found = {item.label: item for item in items("SELECT STREAM * FROM cars WHERE |", "function")}
    assert list(found) == list(FUNCTIONS)
    assert (found["floor"].detail, found["floor"].help) == (FUNCTIONS["floor"].signature, FUNCTIONS["floor"].help)
    assert found["floor"].insert == "floor("


def test_aggregates_are_offered_only_in_a_select_list_and_not_nested() -> None:
    assert labels("SELECT STREAM | FROM cars", "aggregate") == [name.upper() for name in AGGREGATES]
    assert labels("SELECT STREAM round(| FROM cars", "aggregate") != []
    for marked in (
        "SELECT STREAM * FROM cars WHERE |",
        "SELECT STREAM SUM(|) FROM cars",
        "SELECT STREAM COUNT(*) FILTER (WHERE |) FROM cars",
        "SELECT STREAM * FROM cars TOP 3 BY |",
    ):
        assert items(marked, "aggregate") == []


def test_the_filter_of_an_aggregate() -> None:
    assert labels("SELECT STREAM COUNT(*) | FROM cars")[0] == "FILTER"
    assert labels("SELECT STREAM COUNT(*) FILTER (|) FROM cars") == ["WHERE"]


def test_after_a_value_come_operators_and_clauses() -> None:
    found = labels("SELECT STREAM * FROM cars WHERE speed |")
    assert found[:2] == ["AND", "OR"]
    assert "GROUP BY" in found
    assert items("SELECT STREAM * FROM cars WHERE speed |", "field", "function") == []
    assert labels("SELECT STREAM speed | FROM cars")[-2:] == ["AS", "FROM"]
    assert "GROUP BY" not in labels("SELECT STREAM * FROM cars WHERE (speed |")


def test_a_cast_continues_with_a_type() -> None:
    assert labels("SELECT STREAM CAST(speed | FROM cars")[0] == "AS"
    assert labels("SELECT STREAM CAST(speed AS |) FROM cars") == [
        *("long", "double", "string", "boolean", "timestamp", "decimal")
    ]


def test_fields_that_both_sides_have_are_offered_with_their_source() -> None:
    found = labels("SELECT STREAM | FROM cars AS c JOIN owners AS o USING (plate)", "field")
    assert found == ["seen_at", "end", "place", "owner", "c.plate", "c.speed", "o.plate", "o.speed"]


def test_names_that_are_keywords_are_inserted_in_backticks() -> None:
    assert "`order`" in inserted("SELECT STREAM * FROM |", "stream")


@pytest.mark.parametrize("word", sorted(KEYWORDS))
def test_the_inserted_text_for_a_field_of_any_name_reads_that_field(word: str) -> None:
    streams = {"s": StreamDefinition(fields={word.lower(): "long", "x": "long"}, advance=WATERMARK)}
    text = "INSERT INTO o SELECT STREAM x FROM s WHERE  > 1"
    (item,) = [
        each
        for each in complete_sql(text, text.index(" >"), streams).items
        if (each.kind, each.label) == ("field", word.lower())
    ]
    written = text.replace(" > 1", f"{item.insert} > 1")
    assert check_sql(written, streams).faults == ()


def test_after_a_point_come_the_fields_of_a_struct_or_a_source() -> None:
    assert labels("SELECT STREAM * FROM cars WHERE place.|") == ["lat", "road"]
    assert labels("SELECT STREAM * FROM cars AS c WHERE c.place.road.|") == ["name"]
    assert labels("SELECT STREAM c.| FROM cars AS c JOIN owners AS o USING (plate)")[:2] == ["plate", "speed"]
    assert labels("SELECT STREAM * FROM cars WHERE _value.pl|") == ["plate", "place"]
    assert complete("SELECT STREAM * FROM cars WHERE speed.|").items == ()


def test_fields_of_steps_and_of_queries_in_parentheses_are_offered() -> None:
    step = "WITH fast AS (SELECT STREAM plate, speed * 2 AS twice FROM cars) INSERT INTO out SELECT STREAM | FROM fast"
    assert [(item.label, item.detail) for item in items(step, "field")] == [("plate", "string"), ("twice", "double")]
    inner = "SELECT STREAM | FROM (SELECT STREAM speed AS v FROM cars) AS q"
    assert labels(inner, "field") == ["v"]
    assert "speed" in labels("SELECT STREAM v FROM (SELECT STREAM | FROM cars) AS q", "field")


def test_a_text_with_errors_elsewhere_is_completed_anyway() -> None:
    broken = (
        "SELEC nothing FRM; WITH a AS (SELECT STREAM plate AS p FROM cars) INSERT INTO o SELECT STREAM p +, | FROM a; ("
    )
    assert labels(broken, "field") == ["p"]


# Joins


def test_on_offers_the_keys_that_both_sides_share() -> None:
    assert inserted("SELECT STREAM * FROM cars AS c JOIN owners ON |")[0] == "c.plate = owners.plate"
    assert not [text for text in inserted("SELECT STREAM * FROM cars JOIN owners ON |") if "speed = " in text]
    assert labels("SELECT STREAM * FROM cars JOIN owners USING (|)") == ["plate"]


# Windows


def test_the_kinds_of_windows_are_offered_with_their_form() -> None:
    found = items("SELECT STREAM COUNT(*) AS n FROM cars WINDOW BY |")
    assert [(item.label, item.detail) for item in found] == [
        ("HOP", "HOP size,hop"),
        ("TUMBLE", "TUMBLE size"),
        ("CALENDAR", "CALENDAR unit [ZONE 'zone']"),
        ("SESSION", "SESSION gap [MAX length]"),
        ("SNAPSHOT", "SNAPSHOT"),
        ("COUNT", "COUNT n"),
        ("TIMEINTERVAL", "TIMEINTERVAL duration[,period[,offset]] [DISCARD age]"),
    ]


def test_after_a_window_come_its_options_and_a_grace() -> None:
    assert labels("SELECT STREAM COUNT(*) AS n FROM cars WINDOW BY HOP 5m,1m |")[:2] == ["ALIGN", "GRACE BY"]
    assert labels("SELECT STREAM COUNT(*) AS n FROM cars WINDOW BY SESSION 5m |")[0] == "MAX"
    assert labels("SELECT STREAM COUNT(*) AS n FROM cars WINDOW BY TIMEINTERVAL 5m |")[0] == "DISCARD"
    assert complete("SELECT STREAM COUNT(*) AS n FROM cars WINDOW BY HOP |").items == ()


def test_groups_are_fields_that_are_not_listed_yet() -> None:
    assert labels("SELECT STREAM COUNT(*) AS n FROM cars GROUP BY plate, |", "field") == [
        *("speed", "seen_at", "end", "place")
    ]


def test_having_offers_the_results_and_the_groups() -> None:
    items_of_list = "plate AS p, COUNT(*) FILTER (WHERE speed > 1) AS n, SUM(speed) * 2 AS twice"
    text = f"SELECT STREAM {items_of_list} FROM cars WINDOW BY TUMBLE 5m GROUP BY plate HAVING |"
    assert labels(text, "field") == ["n", "plate"]
    assert "COUNT" in labels(text, "aggregate")
    assert labels(f"{text.replace('|', 'SUM(|)')}", "field")[:2] == ["plate", "speed"]
    assert labels(text.replace("|", "n > 1 |"))[:2] == ["AND", "OR"]


def test_emit_and_empty() -> None:
    before = "SELECT STREAM COUNT(*) AS n FROM cars WINDOW BY TUMBLE 5m"
    assert labels(f"{before} EMIT |") == ["FINAL", "ON COMPLETE", "RUNNING"]
    assert labels(f"{before} EMIT ON |") == ["COMPLETE"]
    assert labels(f"{before} EMPTY |") == ["SKIP", "DEFAULT"]
    assert labels(f"{before} EMPTY DEFAULT |") == ["GAP"]
    assert "GROUPS" in labels(f"{before} EMPTY DEFAULT GAP 1h |")


def test_event_times_are_fields_and_facets() -> None:
    assert inserted("SELECT STREAM * FROM cars EVENTTIME BY |")[-3:] == ["_key.", "_value.", "_meta."]
    assert labels("SELECT STREAM * FROM cars EVENTTIME BY seen_at |")[:3] == ["UNIT", "PATTERN", "ZONE"]
    units = ["s", "ms", "us", "ns", "iso", "pattern", "excel"]
    assert labels("SELECT STREAM * FROM cars EVENTTIME BY seen_at UNIT |") == units


# ADVANCE TIME


def test_advance_time_takes_an_input_then_settings_with_their_values() -> None:
    text = "INSERT INTO o SELECT STREAM * FROM owners; ADVANCE TIME"
    assert labels(f"{text} |", "node", "stream") == ["owners", "cars", "order"]
    assert labels(f"{text} owners |")[:4] == ["EVERY", "DELAY", "LATE", "PRESET"]
    assert labels(f"{text} owners LATE |") == ["DROP", "ADJUST", "SHIFT", "KEEP", "END"]
    assert labels(f"{text} owners LATE END |") == ["LEAVE_OPEN", "CLOSE_AT_CTI"]
    assert labels(f"{text} owners BASIS |") == ["LAST", "MAX"]
    assert labels(f"{text} owners FUTURE |") == ["ACCEPT", "HOLD", "DROP"]
    assert labels(f"{text} owners IMPORT FROM |", "node", "stream") == ["owners", "cars", "order"]
    assert complete(f"{text} owners EVERY |").items == ()
    assert "EVERY" not in labels(f"{text} owners EVERY 10 |")


def test_a_word_with_several_meanings_has_the_help_of_its_place() -> None:
    late = {item.label: item.help for item in items("ADVANCE TIME cars LATE |")}
    assert late["SHIFT"] == "Late events are moved to the CTI."
    assert late["DROP"] == "Late events are dropped."
    future = {item.label: item.help for item in items("ADVANCE TIME cars FUTURE |")}
    assert future["DROP"] != late["DROP"]
    (operator,) = (item for item in items("|") if item.label == "SHIFT")
    assert operator.help == "Moves both ends of every lifetime."


def test_a_setting_that_is_set_is_not_offered_again_but_one_that_starts_like_it_is() -> None:
    text = "ADVANCE TIME cars EVERY 10 LATE DROP IDLE leave_out"
    found = labels(f"{text} |")
    assert {"LATE END", "IDLE AFTER", "MAX AHEAD"} <= set(found)
    assert not {"EVERY", "LATE", "IDLE", "PRESET"} & set(found)


def test_presets_are_offered_with_their_form() -> None:
    found = items("ADVANCE TIME cars PRESET |")
    assert [(item.label, item.detail) for item in found] == [(name, each.form(name)) for name, each in PRESETS.items()]
    assert all(item.help for item in found)


def test_a_clock_for_each_value_is_an_expression_over_the_input() -> None:
    assert labels("ADVANCE TIME cars OVER |", "field") == ["plate", "speed", "seen_at", "end", "place"]
    assert labels("ADVANCE TIME cars OVER place.|") == ["lat", "road"]


# Any text


@settings(max_examples=TEXTS_DRAWN)
@given(text=st.one_of(mistaken(), st.text(max_size=40), st.sampled_from(WRITTEN)), data=st.data())
def test_any_text_and_place_is_completed(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(-2, len(text) + 2))
    found = complete_sql(text, at, STREAMS)
    assert 0 <= found.start <= found.end <= len(text) or found.items == ()
    assert len(set(found.items)) == len(found.items)
    assert all(item.label and item.insert for item in found.items)


@pytest.mark.parametrize("text", WRITTEN)
def test_every_place_of_usual_texts_is_completed(text: str) -> None:
    for at in range(len(text) + 1):
        found = complete_sql(text, at, STREAMS)
        assert found.start <= at <= found.end
