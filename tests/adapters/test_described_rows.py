"""Rows of a preview as JSON values for people."""

from decimal import Decimal

from streaming.adapters.preview import SampleRow
from streaming.adapters.sampled_rows import SampledRow, describe_row
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Cti, edge_end, edge_start, interval
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.rows.row_json import Element, MalformedRow

STREAM = StreamDefinition.model_validate(
    {
        "fields": {
            "at": "timestamp",
            "price": "decimal(10, 2)",
            "stops": "array<timestamp>",
            "inner": "struct<at: timestamp>",
            "name": "string",
        }
    }
)


def row(element: Element) -> SampledRow:
    return describe_row(SampleRow(lane="0", position=3, element=element, raw="raw"), STREAM)


def test_timestamps_are_iso_text_at_every_depth_and_decimals_are_text() -> None:
    payload = {"at": 0, "price": Decimal("1.50"), "stops": [1, None], "inner": {"at": 1_000_000}, "name": None}
    assert row(interval(5, 9, payload)).payload == {
        "at": "1970-01-01T00:00:00Z",
        "price": "1.50",
        "stops": ["1970-01-01T00:00:00.000001Z", None],
        "inner": {"at": "1970-01-01T00:00:01Z"},
        "name": None,
    }


def test_infinity_is_null() -> None:
    assert (row(edge_start(5)).start, row(edge_start(5)).end) == (5, None)
    assert (row(Cti(INFINITY)).kind, row(Cti(INFINITY)).start) == ("cti", None)


def test_each_kind_of_row_is_named() -> None:
    rows = [interval(5, 9), edge_start(5), edge_end(5, 9), Cti(Tick(7)), MalformedRow(Reason.BAD_TIME)]
    assert [row(each).kind for each in rows] == ["event", "edge_start", "edge_end", "cti", "malformed"]


def test_a_malformed_row_has_its_reason_and_no_payload() -> None:
    malformed = row(MalformedRow(Reason.BAD_TIME))
    assert (malformed.reason, malformed.payload, malformed.raw) == ("bad_time", None, "raw")
