"""Payloads as JSON: reading returns the written payload, in each format."""

import json
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.payload.type_text import parse_fields
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK
from streaming.wire.rows.payload_json import column_to_json, payload_from_json, payload_text, payload_to_json, row_text

FIELDS = parse_fields(
    {
        "at": "timestamp",
        "price": "decimal(20,4)",
        "stops": "array<timestamp>",
        "inner": "struct<at: timestamp, prices: array<decimal(20,4)>>",
        "text": "string",
        "count": "long",
    }
)
instants = st.none() | st.integers(FIRST_TICK, LAST_TICK)
prices = st.none() | st.decimals(min_value=-(10**15), max_value=10**15, places=4)
payloads = st.fixed_dictionaries(
    {
        "at": instants,
        "price": prices,
        "stops": st.none() | st.lists(instants, max_size=3),
        "inner": st.none() | st.fixed_dictionaries({"at": instants, "prices": st.lists(prices, max_size=2)}),
        "text": st.none() | st.text(max_size=5),
        "count": st.none() | st.integers(-(2**63), 2**63 - 1),
    }
)


@given(payloads)
def test_a_written_payload_is_read_back(payload: dict[str, object]) -> None:
    written = json.loads(json.dumps(payload_to_json(payload, FIELDS)))
    assert payload_from_json(written, FIELDS) == payload
    assert {name: column_to_json([payload[name]], of)[0] for name, of in FIELDS.items()} == written


@given(payloads)
def test_the_text_of_a_payload_differs_only_in_decimals(payload: dict[str, object]) -> None:
    read = json.loads(payload_text(payload, FIELDS), parse_float=Decimal)
    assert payload_from_json(read, FIELDS) == payload


def test_a_missing_field_is_null_and_a_time_outside_the_calendar_is_its_tick() -> None:
    fields = parse_fields({"at": "timestamp", "v": "long"})
    assert payload_to_json({"at": LAST_TICK + 5}, fields) == {"at": LAST_TICK + 5, "v": None}


def test_a_row_has_its_times_in_ticks_and_decimals_as_numbers() -> None:
    row = row_text(1, INFINITY, {"v": Decimal("1E+3")}, parse_fields({"v": "decimal(10,2)"}), output="a")
    assert row == '{"output": "a", "start": 1, "end": null, "payload": {"v": 1000}}'
