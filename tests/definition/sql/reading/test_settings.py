"""ADVANCE TIME and EVENTTIME BY: the settings of a text outside the graph."""

import pytest

from streaming.definition.sql.parse import parse_sql
from tests.definition.sql.reading.read import graph, marked


def advance(settings: str) -> dict[str, object]:
    """Return the settings of the input `cars` that are set."""
    script = graph(f"SELECT * FROM cars; ADVANCE TIME cars {settings};")
    assert list(script.advance) == ["cars"]
    return script.advance["cars"].model_dump(mode="json", exclude_unset=True)


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("", {}),
        ("PRESET watermark(5s)", {"preset": "watermark(5s)"}),
        ("PRESET lenses", {"preset": "lenses"}),
        ("PRESET azure(5s, 1m, drop) IDLE AFTER 3s", {"preset": "azure(5s, 1m, drop)", "idle_after": "3s"}),
        ("PRESET 'any (text'", {"preset": "any (text"}),
        ("EVERY 10", {"generate": {"every": 10}}),
        ("EVERY 5s DELAY -1tick", {"generate": {"every": "5s", "delay": "-1tick"}}),
        ("EVERY 5s BASIS max FINAL", {"generate": {"every": "5s", "basis": "max", "final": True}}),
        ("IMPORT FROM prices", {"import_from": "prices"}),
        ("LATE DROP", {"late": "drop"}),
        ("late adjust", {"late": "adjust"}),
        ("LATE SHIFT", {"late": "shift"}),
        ("LATE KEEP", {"late": "keep"}),
        ("LATE DROP LATE END close_at_cti", {"late": "drop", "late_end": "close_at_cti"}),
        ("LATE END LEAVE_OPEN", {"late_end": "leave_open"}),
        ("OVER plate", {"over": "plate"}),
        ("OVER upper(_value.plate) LATE DROP", {"over": "upper(plate)", "late": "drop"}),
        ("OVER late LATE DROP", {"over": "late", "late": "drop"}),
        ("OVER EXPRESSION 'a late drop'", {"over": "a late drop"}),
        ("IDLE AFTER 30s IDLE leave_out", {"idle_after": "30s", "idle": "leave_out"}),
        ("IDLE ADVANCE", {"idle": "advance"}),
        ("MAX AHEAD 5m FUTURE hold", {"max_ahead": "5m", "future": "hold"}),
        ("FUTURE ACCEPT", {"future": "accept"}),
        ("FUTURE drop", {"future": "drop"}),
        ("EVERY 10, DELAY 5s, LATE DROP", {"generate": {"every": 10, "delay": "5s"}, "late": "drop"}),
    ],
)  # fmt: skip
def test_every_setting_is_read(text: str, settings: dict[str, object]) -> None:
    assert advance(text) == settings


def test_an_input_is_named_by_its_id_or_by_its_stream() -> None:
    text = "SELECT * FROM cars AS c; ADVANCE TIME {} EVERY 1 LATE DROP"
    assert list(graph(text.format("c")).advance) == ["c"]
    assert list(graph(text.format("cars")).advance) == ["c"]


def test_settings_may_come_before_the_query() -> None:
    script = graph("ADVANCE TIME cars EVERY 1 LATE DROP; SELECT * FROM cars")
    assert list(script.advance) == ["cars"]


@pytest.mark.parametrize(
    ("settings", "words", "remedy"),
    [
        ("EVRY 5", "EVRY", "Did you mean EVERY?"),
        ("LATE DORP", "DORP", "Did you mean DROP?"),
        ("EVERY", "EVERY", "Write for example 5m"),
        ("DELAY 5s", "5s", "Add EVERY, the interval of CTIs, such as EVERY 10 or EVERY 5s."),
        ("LATE DROP LATE KEEP", "LATE KEEP", "Leave one of them out."),
        ("OVER", "OVER", "Write OVER and a field."),
        ("PRESET", "PRESET", "Write for example PRESET watermark(5s)."),
        ("WATERMARK 5s", "WATERMARK 5s", "Write one of PRESET, EVERY"),
        ("IMPORT prices", "prices", "Write IMPORT FROM input."),
        ("IDLE 5s", "5s", "Write one of LEAVE_OUT, ADVANCE."),
        ("MAX 5s", "5s", "Write MAX AHEAD 5m."),
        ("EVERY 5s SELECT * FROM x", "SELECT", "Write ; before it."),
    ],
)
def test_a_mistake_is_reported_with_a_remedy(settings: str, words: str, remedy: str) -> None:
    found = marked(f"INSERT INTO a SELECT * FROM cars; ADVANCE TIME cars {settings}")[0]
    assert found[0] == words
    assert found[1].startswith(remedy)


def test_unknown_and_ambiguous_inputs_are_reported() -> None:
    assert marked("SELECT * FROM cars; ADVANCE TIME car EVERY 1") == [("car", "Did you mean 'cars'?")]
    twice = "SELECT * FROM cars AS a JOIN cars AS b USING (k); ADVANCE TIME cars EVERY 1"
    assert marked(twice) == [("cars", "Write the id of one of them.")]
    again = "SELECT * FROM cars; ADVANCE TIME cars EVERY 1; ADVANCE TIME cars EVERY 2"
    assert marked(again) == [("cars", "Leave one of the statements out.")]
    assert marked("SELECT * FROM cars; ADVANCE cars EVERY 1") == [
        ("ADVANCE", "Write ADVANCE TIME stream and its settings.")
    ]


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ("started_at", {"path": "started_at", "unit": "iso", "zone": "UTC"}),
        ("_value.started_at", {"path": "_value.started_at", "unit": "iso", "zone": "UTC"}),
        ("_key.details.started_at", {"path": "_key.details.started_at", "unit": "iso", "zone": "UTC"}),
        ("_meta.timestamp UNIT ms", {"path": "_meta.timestamp", "unit": "ms", "zone": "UTC"}),
        ("`a b`.c ZONE 'Europe/Berlin'", {"path": "`a b`.c", "unit": "iso", "zone": "Europe/Berlin"}),
        ("'a-b' ZONE 'CET' UNIT NS", {"path": "a-b", "unit": "ns", "zone": "CET"}),
        ("'cars.ts'", {"path": "cars.ts", "unit": "iso", "zone": "UTC"}),
        (
            "seen PATTERN 'dd.MM.yyyy' ZONE 'CET'",
            {"path": "seen", "unit": "pattern", "pattern": "dd.MM.yyyy", "zone": "CET"},
        ),
        ("serial UNIT excel", {"path": "serial", "unit": "excel", "zone": "UTC"}),
    ],
)
@pytest.mark.parametrize(
    "form",
    [
        "SELECT * FROM cars EVENTTIME BY {} WHERE x",
        "SELECT * FROM cars WHERE x EVENTTIME BY {}",
        "SELECT * FROM a JOIN cars EVENTTIME BY {} ON a.k = cars.k",
        "STREAM cars EVENTTIME BY {}",
        "WITH cars AS (STREAM s EVENTTIME BY {})",
        "WITH cars AS (STREAM s) SELECT * FROM NODE cars EVENTTIME BY {}",
        "CLIP cars EVENTTIME BY {} BY x ON k",
    ],
)
def test_event_time_comes_after_its_source(text: str, by: dict[str, str], form: str) -> None:
    script = graph(form.format(text))
    assert {name: by.model_dump() for name, by in script.event_times.items()} == {"cars": by}


def test_after_several_sources_event_time_names_its_source() -> None:
    script = graph("SELECT * FROM a JOIN b ON a.k = b.k EVENTTIME BY b.ts")
    assert {name: by.path for name, by in script.event_times.items()} == {"b": "ts"}
    assert marked("SELECT * FROM a JOIN b ON a.k = b.k EVENTTIME BY ts") == [
        ("EVENTTIME BY ts", "Write it directly after its source.")
    ]


@pytest.mark.parametrize(
    ("text", "words", "remedy"),
    [
        ("SELECT * FROM a EVENTTIME BY", "BY", "Write the path of a field"),
        ("SELECT * FROM a EVENTTIME ts", "EVENTTIME", "Write EVENTTIME BY."),
        ("SELECT * FROM a EVENTTIME BY b.", ".", "Write the path of a field"),
        ("SELECT * FROM a EVENTTIME BY cast(b as long)", "cast(b as long)", "Write the path of a field"),
        ("SELECT * FROM a EVENTTIME BY b UNIT minutes", "minutes", "Write s, ms, us, ns or excel for numbers"),
        ("SELECT * FROM a EVENTTIME BY b PATTERN x", "x", "Write the format of the time in quotation marks"),
        ("SELECT * FROM a EVENTTIME BY b ZONE CET", "CET", "Write the name of a zone in quotation marks"),
        ("SELECT * FROM a EVENTTIME BY b UNIT s UNIT ms", "UNIT", "Leave one of them out."),
        ("SELECT * FROM a EVENTTIME BY b WHERE x EVENTTIME BY c", "EVENTTIME BY c", "Leave one of them out."),
        ("SELECT * FROM a EVENTTIME BY b JOIN STREAM a EVENTTIME BY c USING (k)", "EVENTTIME BY c", "Leave one of"),
        ("WITH x AS (SHIFT a BY 1m) SELECT * FROM x EVENTTIME BY b", "EVENTTIME BY b", "Write it after the stream"),
    ],
)
def test_mistakes_of_event_time_are_reported(text: str, words: str, remedy: str) -> None:
    found = marked(text)[0]
    assert found[0] == words
    assert found[1].startswith(remedy)


def test_settings_have_places() -> None:
    text = "SELECT * FROM cars EVENTTIME BY a.b UNIT ms; ADVANCE TIME cars EVERY 10 DELAY 5s LATE DROP OVER x + yy"
    script = parse_sql(text)
    for path, words in {
        "advance": "ADVANCE TIME cars EVERY 10 DELAY 5s LATE DROP OVER x + yy",
        "advance.generate": "10 DELAY 5s",
        "advance.generate.every": "10",
        "advance.generate.delay": "5s",
        "advance.late": "DROP",
        "advance.over": "x + yy",
        "advance.idle_after": "ADVANCE TIME cars EVERY 10 DELAY 5s LATE DROP OVER x + yy",
        "event_time": "EVENTTIME BY a.b UNIT ms",
        "event_time.path": "a.b",
        "event_time.unit": "ms",
        "event_time.zone": "EVENTTIME BY a.b UNIT ms",
    }.items():
        span = script.places.span_of("cars", path)
        assert span is not None
        assert text[span.start : span.end] == words, path
    span = script.places.span_of("cars", "advance.over", 4)
    assert span is not None
    assert text[span.start : span.end] == "yy"


@pytest.mark.parametrize("text", ["FROM cars AS c EVENTTIME BY c.ts", "FROM cars AS c WHERE x EVENTTIME BY cars.ts"])
def test_the_name_of_the_source_may_qualify_its_time(text: str) -> None:
    assert graph(f"SELECT * {text}").event_times["c"].path == "ts"


def test_a_quoted_path_is_used_unchanged() -> None:
    assert graph("SELECT * FROM cars EVENTTIME BY 'cars.ts'").event_times["cars"].path == "cars.ts"
