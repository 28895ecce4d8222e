"""One binding's delivered files are another's stream, without loss: times, decimals, nulls, lists."""

from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.adapters.contract import DeliveryBatch
from streaming.adapters.result_files.content import ResultContent, ResultLayout
from streaming.adapters.result_files.options import ResultFormat
from streaming.definition.payload.reading import BadPayload, read_payload
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn
from streaming.temporal.events import Event, Shape
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, Tick
from streaming.wire.rows.arrow_types import fields_of
from streaming.wire.rows.payload_json import payload_to_json
from streaming.wire.rows.row_json import MalformedRow
from tests.adapters.inputs import files, rows

FIELDS: Final = {
    "text": "string",
    "n": "long",
    "x": "double",
    "yes": "boolean",
    "price": "decimal(38, 10)",
    "whole": "decimal(20, 0)",
    "at": "timestamp",
    "tags": "array<string>",
    "prices": "array<decimal(30, 6)>",
    "deep": "array<struct<at: timestamp, price: decimal(25, 3), x: double, names: array<string>>>",
}
TYPES: Final = fields_of(FIELDS)
FORMATS: Final[tuple[ResultFormat, ...]] = ("json_lines", "csv", "parquet")
TICKS: Final = st.integers(FIRST_TICK, LAST_TICK) | st.integers(0, 2_000_000_000_000_000)
TEXTS: Final = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["", "null", "=1+1", '"', "a,b", " x ", "1.50", "\n", "\r\n", "\\u0000", "NaN", "infinity", "true"]
)
LONGS: Final = st.integers(-(2**63), 2**63 - 1)
DOUBLES: Final = st.floats(allow_nan=False, allow_infinity=False)


def decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    most = 10**precision - 1
    return st.integers(-most, most).map(lambda unscaled: Decimal(f"{unscaled}E-{scale}"))


def nullable(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


DEEP: Final = st.fixed_dictionaries(
    {
        "at": nullable(TICKS),
        "price": nullable(decimals(25, 3)),
        "x": nullable(DOUBLES),
        "names": nullable(st.lists(nullable(TEXTS), max_size=2)),
    }
)
PAYLOADS: Final = st.fixed_dictionaries(
    {
        "text": nullable(TEXTS),
        "n": nullable(LONGS),
        "x": nullable(DOUBLES),
        "yes": nullable(st.booleans()),
        "price": nullable(decimals(38, 10)),
        "whole": nullable(decimals(20, 0)),
        "at": nullable(TICKS),
        "tags": nullable(st.lists(nullable(TEXTS), max_size=3)),
        "prices": nullable(st.lists(nullable(decimals(30, 6)), max_size=3)),
        "deep": nullable(st.lists(nullable(DEEP), max_size=2)),
    }
)


@st.composite
def events(draw: st.DrawFn) -> Event:
    start = draw(st.integers(FIRST_TICK, LAST_TICK - 1))
    end = draw(st.integers(start + 1, LAST_TICK))
    return Event(Tick(start), Tick(end), draw(PAYLOADS))


def delivered(root: Path, form: ResultFormat, given_events: list[Event]) -> None:
    """Deliver the rows, from the parts of results."""
    written = [
        {
            "output": "out",
            "start": each.start,
            "end": None if each.end == INFINITY else each.end,
            "payload": payload_to_json(each.payload, TYPES),
        }
        for each in given_events
    ]
    content = ResultContent(TYPES, ResultLayout(form, by_day=False), "out")
    for number, at in enumerate(range(0, len(written), 3)):
        for file in content.files(DeliveryBatch(number, written[at : at + 3], None)):
            (root / file.name).write_bytes(file.content)


def stream(form: ResultFormat) -> StreamDefinition:
    """Rows of JSON lines contain their lifetime; in columns it is where the format puts it."""
    columns = EventTime(
        start=TimeColumn(column="window_start", unit="iso"), end=TimeColumn(column="window_end", unit="iso")
    )
    return StreamDefinition(shape=Shape.INTERVAL, fields=FIELDS, event_time=None if form == "json_lines" else columns)


@pytest.mark.parametrize("form", FORMATS)
@given(given_events=st.lists(events(), max_size=7))
@settings(max_examples=25, deadline=None)
def test_rows_are_read_back_unchanged(
    tmp_path_factory: pytest.TempPathFactory, form: ResultFormat, given_events: list[Event]
) -> None:
    root = tmp_path_factory.mktemp("files")
    delivered(root, form, given_events)
    found = rows(files(root, stream(form), format=form))
    assert found == given_events
    assert [str(each.payload["price"]) for each in found if isinstance(each, Event)] == [
        str(each.payload["price"]) for each in given_events
    ], "a decimal keeps its digits"


@pytest.mark.parametrize("form", FORMATS)
def test_an_open_end_is_read_from_rows_that_contain_it_and_quarantined_in_columns(
    tmp_path: Path, form: ResultFormat
) -> None:
    """A column without a value does not mean infinity: usually it is an error of the writer."""
    open_end = Event(Tick(5), INFINITY, dict.fromkeys(FIELDS))
    delivered(tmp_path, form, [open_end])
    [found] = rows(files(tmp_path, stream(form), format=form))
    assert found == (open_end if form == "json_lines" else MalformedRow(Reason.BAD_TIME))


@pytest.mark.parametrize("text", ["1.5e3", "-0.10", "12345678901234567890123456.1234567890"])
def test_a_decimal_in_text_is_read_with_all_its_digits(text: str) -> None:
    read = read_payload({"price": text}, {"price": TYPES["price"]})
    assert isinstance(read, dict)
    assert read["price"] == Decimal(text)


@pytest.mark.parametrize(
    "text",
    ["", " 1", "1 ", "+1", "01", "1.", ".5", "1_000", "NaN", "Infinity", "0x1", "\N{ARABIC-INDIC DIGIT ONE}", "1e999"],
)
def test_other_texts_are_not_decimals(text: str) -> None:
    assert isinstance(read_payload({"price": text}, {"price": TYPES["price"]}), BadPayload)
