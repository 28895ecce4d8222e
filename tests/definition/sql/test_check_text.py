"""Faults of texts: all at once, each at its place, in the order of the text, with a remedy."""

from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import given, settings

from streaming.definition.faults import Fault, FaultCode, Severity, Span
from streaming.definition.sql.check import CheckedText, check_sql
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from tests.definition.sql.drawn.counts import TEXTS_DRAWN
from tests.definition.sql.drawn.texts import WRITTEN, mistaken

CAR = {"plate": "string", "speed": "double", "n": "long"}


def stream(**advance: Any) -> StreamDefinition:
    return StreamDefinition.model_validate({"fields": CAR, "advance": advance})


STREAMS = {
    "cars": stream(),
    "timed": stream(preset="watermark(5s)"),
    "kept": stream(generate={"every": 1}, late="keep"),
    "owners": StreamDefinition.model_validate(
        {"fields": {"plate": "string", "owner": "string"}, "advance": {"preset": "watermark(5s)"}}
    ),
}
COUNT = "INSERT INTO out SELECT STREAM COUNT(*) AS n FROM"


def checked(text: str, own: Collection[str] | None = ()) -> CheckedText:
    return check_sql(text, STREAMS, own_ctis=own)


def codes_at(text: str, own: Collection[str] | None = ()) -> list[tuple[str, str | None]]:
    """Return the codes, each with the words at its place."""
    return [(fault.code.value, at(text, fault)) for fault in checked(text, own).faults]


def at(text: str, fault: Fault) -> str | None:
    return None if fault.span is None else text[fault.span.start : fault.span.end]


def only(text: str) -> Fault:
    (fault,) = checked(text).faults
    return fault


def test_a_valid_text_has_no_fault_and_the_fields_of_every_node() -> None:
    found = checked("INSERT INTO out SELECT STREAM plate, speed * 2 AS twice FROM timed WHERE speed > 1;")
    assert found.faults == ()
    assert {name: str(of) for name, of in found.schemas["out"].items()} == {"plate": "string", "twice": "double"}
    assert found.script.graph is not None


@pytest.mark.parametrize(
    ("item", "message", "remedy"),
    [
        ("plat", "There is no field 'plat'.", "Did you mean 'plate'?"),
        ("sped AS v", "There is no field 'sped'.", "Did you mean 'speed'?"),
        ("zz AS q", "There is no field 'zz'.", "The fields are plate, speed, n."),
        (
            "speed AS v",
            "`speed` is neither in GROUP BY nor in an aggregate.",
            "Add it to GROUP BY, or use an aggregate such as LAST(speed) AS speed.",
        ),
    ],
)
def test_an_item_that_is_neither_a_group_nor_an_aggregate_is_reported_once(
    item: str, message: str, remedy: str
) -> None:
    text = f"INSERT INTO out SELECT STREAM {item}, COUNT(*) AS c FROM timed WINDOW BY TUMBLE 5m GROUP BY plate"
    fault = only(text)
    assert (at(text, fault), fault.message, fault.remedy) == (item, message, remedy)


def test_a_misspelt_item_after_a_join_is_reported_as_an_unknown_field() -> None:
    joined = "FROM timed AS t JOIN owners AS w ON t.plate = w.plate WINDOW BY TUMBLE 5m GROUP BY t.plate"
    fault = only(f"INSERT INTO out SELECT STREAM t.plate, t.sped, COUNT(*) AS c {joined}")
    assert (fault.message, fault.remedy) == ("There is no field 'sped'.", "Did you mean speed?")


def test_an_item_of_an_unknown_stream_is_reported_by_the_text_alone() -> None:
    text = "INSERT INTO out SELECT STREAM plate, COUNT(*) AS c FROM nobody WINDOW BY TUMBLE 5m GROUP BY lane"
    assert codes_at(text)[0] == ("bad_sql", "plate")
    assert ("unknown_field", "plate") not in codes_at(text)


# The places of the faults of a graph


def test_an_unknown_field_is_reported_at_its_word_with_the_nearest_name() -> None:
    text = "INSERT INTO out SELECT STREAM plate FROM timed AS t WHERE n > 1 AND t.sped > 2;"
    assert codes_at(text) == [("unknown_field", "sped")]
    assert only(text).remedy == "Did you mean speed?"


def test_a_field_that_only_another_source_has_is_reported() -> None:
    join = "INSERT INTO out SELECT STREAM * FROM timed JOIN owners USING (plate) WHERE {} > 'a';"
    assert codes_at(join.format("timed.owner")) == [("unknown_field", "owner")]
    assert codes_at(join.format("owners.owner")) == []
    assert codes_at(join.format("owners.owned")) == [("unknown_field", "owned")]


def test_a_union_of_equal_names_in_another_order_is_reported_if_sql_would_match_by_position() -> None:
    text = "INSERT INTO out SELECT STREAM {} FROM timed UNION ALL SELECT STREAM {} FROM timed WHERE speed > 1;"
    swapped = text.format("plate, plate AS again", "plate AS again, plate")
    assert codes_at(swapped) == [("fields_differ", "SELECT STREAM plate AS again, plate FROM timed WHERE speed > 1")]
    assert only(swapped).severity is Severity.WARNING
    assert (
        codes_at(text.format("plate, speed", "speed, plate")) == []
    )  # SQL would refuse it: only the names show the meaning
    assert codes_at(text.format("plate, speed", "plate, speed")) == []


@pytest.mark.parametrize(
    "text",
    [
        "WITH cars AS (SELECT * FROM cars WHERE n > 1) SELECT * FROM cars",
        "SELECT plate FROM (SELECT * FROM c WHERE n > 1) c",
    ],
)
def test_a_name_that_hides_the_stream_it_reads_is_reported_with_the_keyword_stream(text: str) -> None:
    (circle,) = (fault for fault in checked(text).faults if fault.code is FaultCode.CYCLE)
    assert "STREAM" in circle.remedy


def test_an_operator_whose_types_do_not_fit_is_reported_at_the_operator() -> None:
    assert codes_at("INSERT INTO out SELECT STREAM speed + plate AS x FROM timed;") == [("type_mismatch", "+")]


def test_a_hop_above_the_size_is_reported_at_the_hop() -> None:
    text = f"{COUNT} timed WINDOW BY HOP 1m,5m;"
    assert codes_at(text) == [("gaps_between_windows", "5m")]


def test_a_join_without_keys_is_reported_at_the_join_with_a_remedy() -> None:
    text = "INSERT INTO out SELECT STREAM * FROM timed SEMI JOIN owners;"
    assert codes_at(text) == [("join_without_keys", "SEMI JOIN owners")]
    assert "ON a.k = b.k" in only(text).remedy


def test_an_unknown_stream_is_reported_at_its_name() -> None:
    text = "INSERT INTO out SELECT STREAM * FROM tmied WHERE n > 1;"
    assert codes_at(text) == [("unknown_stream", "tmied")]
    assert only(text).remedy == "Did you mean 'timed'?"


def test_a_missing_output_is_reported_at_the_last_statement() -> None:
    text = "WITH fast AS (SELECT STREAM * FROM timed WHERE n > 1);"
    assert codes_at(text) == [("no_output", text)]


# The faults of time


def test_a_window_without_a_clock_is_reported_once_with_a_remedy() -> None:
    text = f"{COUNT} cars WINDOW BY TUMBLE 5m;"
    assert codes_at(text) == [("no_clock", "TUMBLE 5m")]
    assert only(text).remedy == "Write for example ADVANCE TIME cars EVERY 100 DELAY 10s LATE DROP;"
    assert codes_at(f"{text} ADVANCE TIME cars EVERY 100 DELAY 10s LATE DROP;") == []


def test_a_missing_clock_is_not_reported_if_nothing_waits_for_it_or_the_adapter_may_have_one() -> None:
    assert codes_at("INSERT INTO out SELECT STREAM * FROM cars WHERE n > 1;") == []
    assert codes_at(f"{COUNT} cars WINDOW BY TUMBLE 5m;", ("cars",)) == []
    assert codes_at(f"{COUNT} cars WINDOW BY TUMBLE 5m;", None) == []


def test_a_join_side_without_a_clock_is_reported_at_that_side() -> None:
    text = "INSERT INTO out SELECT STREAM * FROM owners JOIN cars USING (plate);"
    assert codes_at(text) == [("no_clock", "cars")]


def test_a_grace_without_effect_is_reported_at_the_grace() -> None:
    text = f"{COUNT} timed WINDOW BY TUMBLE 5m GRACE BY 30s;"
    assert codes_at(text) == [("no_effect", "30s")]
    assert "LATE KEEP" in only(text).remedy


def test_kept_late_events_without_a_grace_are_reported_at_the_window() -> None:
    text = f"{COUNT} kept WINDOW BY TUMBLE 5m;"
    assert codes_at(text) == [("keep_without_grace", "WINDOW BY TUMBLE 5m")]
    assert "GRACE BY 30s" in only(text).remedy
    assert codes_at(f"{COUNT} kept WINDOW BY TUMBLE 5m GRACE BY 30s;") == []


def test_a_negative_delay_is_reported_at_the_delay() -> None:
    text = f"{COUNT} cars WINDOW BY TUMBLE 5m; ADVANCE TIME cars EVERY 1 DELAY -1tick LATE DROP;"
    assert codes_at(text) == [("equal_times_late", "-1tick")]


def test_windows_that_are_not_aligned_are_reported_at_the_side_of_the_join() -> None:
    text = """WITH a AS (SELECT STREAM plate, COUNT(*) AS n FROM timed WINDOW BY TUMBLE 10m GROUP BY plate),
  b AS (SELECT STREAM plate, COUNT(*) AS m FROM timed WINDOW BY TUMBLE 10m ALIGN 5m GROUP BY plate)
INSERT INTO out SELECT STREAM * FROM a JOIN b USING (plate);"""
    assert codes_at(text) == [("windows_not_aligned", "b")]
    assert only(text).remedy == "Give both windows the same size, hop and ALIGN."


def test_settings_are_reported_at_their_values() -> None:
    text = f"{COUNT} cars WINDOW BY TUMBLE 5m; ADVANCE TIME cars EVERY 0s DELAY 1s OVER plte LATE DROP;"
    assert codes_at(text) == [("bad_advance_time", "0s"), ("unknown_field", "plte")]


def test_an_unknown_zone_is_reported_at_the_zone() -> None:
    text = "INSERT INTO out SELECT STREAM * FROM timed EVENTTIME BY n UNIT ms ZONE 'Mars/Olympus' WHERE n > 1;"
    assert codes_at(text) == [("bad_shape", "'Mars/Olympus'")]


# The owner of settings


def test_errors_of_the_streams_own_settings_are_warnings_because_a_binding_may_replace_them() -> None:
    text = "INSERT INTO out SELECT STREAM * FROM timed SEMI JOIN kept USING (plate)"
    assert [(fault.code, fault.severity) for fault in checked(text).faults] == [
        (FaultCode.LATE_KEEP_REFUSED, Severity.WARNING)
    ]
    written = f"{text}; ADVANCE TIME kept EVERY 1 LATE KEEP;"
    assert [(fault.severity, at(written, fault)) for fault in checked(written).faults] == [(Severity.ERROR, "KEEP")]


def test_the_settings_of_a_binding_replace_those_of_the_text() -> None:
    text = f"{COUNT} cars WINDOW BY TUMBLE 5m; ADVANCE TIME cars EVERY 1 DELAY -1tick LATE DROP;"
    binding = {"cars": AdvanceTimeSettings.model_validate({"preset": "watermark(5s)"})}
    assert check_sql(text, STREAMS, advance=binding, own_ctis=()).faults == ()


# All at once


def test_all_faults_are_reported_at_once_in_the_order_of_the_text() -> None:
    text = """INSERT INTO a SELECT STREAM sped FROM timed WHERE n > 'x';
INSERT INTO b SELECT STREAM COUNT(*) AS n FROM kept WINDOW BY HOP 1m,5m GROUP BY plte;
INSERT INTO c SELECT STREAM * FROM timed WHERE;
ADVANCE TIME timed EVERY 1 DELAY -1s LATE sometimes;"""
    assert codes_at(text) == [
        ("unknown_field", "sped"),
        ("type_mismatch", ">"),
        ("keep_without_grace", "WINDOW BY HOP 1m,5m"),
        ("gaps_between_windows", "5m"),
        ("unknown_field", "plte"),
        ("bad_sql", "WHERE"),
        ("equal_times_late", "-1s"),
        ("bad_sql", "sometimes"),
    ]


def test_parts_that_depend_on_an_unreadable_part_are_not_reported() -> None:
    text = "WITH fast AS (SELECT STREAM * FRM timed WHERE n > 1) INSERT INTO out SELECT STREAM sped FROM fast;"
    assert ("bad_sql", "FRM") in codes_at(text)
    assert {code for code, _ in codes_at(text)} <= {"bad_sql", "unknown_field"}
    assert codes_at("WITH a AS (SELECT STREAM * FROM timed WHERE ) INSERT INTO o SELECT STREAM * FROM a WHERE x;") == [
        ("bad_sql", "WHERE")
    ]


def test_an_empty_text_has_one_fault() -> None:
    assert [fault.code for fault in checked("").faults] == [FaultCode.BAD_SQL]


@pytest.mark.parametrize("text", WRITTEN)
def test_usual_texts_have_only_faults_with_places(text: str) -> None:
    for fault in checked(text).faults:
        assert fault.span is not None, fault


@settings(max_examples=TEXTS_DRAWN)
@given(mistaken())
def test_any_text_is_checked_and_every_fault_has_its_place_in_order(text: str) -> None:
    for own in (None, ()):
        faults = checked(text, own).faults
        spans = [fault.span for fault in faults if fault.span is not None]
        assert all(0 <= span.start <= span.end <= len(text) for span in spans)
        assert [span.start for span in spans] == sorted(span.start for span in spans)
        assert len({fault.model_dump_json() for fault in faults}) == len(faults)
        assert all(fault.message and fault.remedy for fault in faults)
        assert faults[: len(spans)] == tuple(fault for fault in faults if fault.span is not None)


def test_faults_next_to_a_query_without_a_target_have_their_own_places() -> None:
    text = "INSERT INTO out SELECT * FROM cars WHERE sped > 1; SELECT * FROM cars WHERE sp"
    cars = {"cars": StreamDefinition(fields={"speed": "double"})}
    found = [(each.code, each.span) for each in check_sql(text, cars).faults]
    marked = [(code, text[span.start : span.end]) for code, span in found if span is not None]
    assert marked == [
        (FaultCode.UNKNOWN_FIELD, "sped"),
        (FaultCode.BAD_SQL, "SELECT"),
        (FaultCode.UNKNOWN_FIELD, "sp"),
    ]
    assert found[2][1] == Span(start=text.rindex("sp"), end=len(text))
