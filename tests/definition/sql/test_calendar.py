"""WINDOW BY CALENDAR: read, printed, completed, and its errors."""

import pytest

from streaming.definition.sql.parse import parse_sql
from tests.definition.sql.reading.read import fault, node
from tests.definition.sql.test_completion import labels


def calendar(clause: str) -> str:
    return f"SELECT STREAM COUNT(*) AS n FROM cars WINDOW BY CALENDAR {clause}"


@pytest.mark.parametrize(
    ("clause", "window"),
    [
        ("month", {"kind": "calendar", "unit": "month"}),
        ("DAY ZONE 'Europe/Zurich'", {"kind": "calendar", "unit": "day", "zone": "Europe/Zurich"}),
        ("week GRACE BY 1h", {"kind": "calendar", "unit": "week"}),
    ],
)
def test_a_calendar_window_has_its_fields(clause: str, window: dict[str, object]) -> None:
    assert node(calendar(clause), "out_window")["window"] == window


@pytest.mark.parametrize(
    ("text", "words", "remedy"),
    [
        (calendar("month ALIGN 1h"), "ALIGN", "Leave it out; only HOP, TUMBLE and TIMEINTERVAL support it."),
        (calendar("month ZONE"), "ZONE", "Write ZONE and its name in quotation marks, such as 'Europe/Zurich'."),
        (calendar("month ZONE Rome"), "Rome", "Write ZONE and its name in quotation marks, such as 'Europe/Zurich'."),
        (calendar("month ZONE 'UTC' ZONE 'UTC'"), "ZONE", "Leave one of them out."),
        (
            "SELECT STREAM COUNT(*) AS n FROM cars WINDOW BY TUMBLE 1d ZONE 'UTC'",
            "ZONE",
            "Leave it out; for the days, weeks or months of a zone, write CALENDAR.",
        ),
    ],
)
def test_a_mistake_has_a_remedy(text: str, words: str, remedy: str) -> None:
    assert fault(text) == (words, remedy)


@pytest.mark.parametrize(
    ("unit", "message"), [("", "The calendar unit is missing."), ("decade", "Unknown calendar unit `decade`.")]
)
def test_a_wrong_unit_is_named(unit: str, message: str) -> None:
    assert parse_sql(calendar(unit)).faults[0].message == message


def test_its_units_and_its_zone_are_completed() -> None:
    text = calendar("").rstrip()
    assert labels(f"{text} |") == ["day", "week", "month", "quarter", "year"]
    assert labels(f"{text} month |")[:2] == ["ZONE", "GRACE BY"]
    assert labels(f"{text} month ZONE |") == []
    assert labels(f"{text} month ZONE 'UTC' |")[0] == "GRACE BY"
