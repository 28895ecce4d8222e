"""The three real data sets are read completely, with the lateness in their READMEs."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from streaming.adapters.registry import input_adapter
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn
from streaming.wire.rows.arrived import Arrived
from tests.flights import DATA, require


@dataclass(frozen=True)
class DataSet:
    """The figures in the README of a data set."""

    path: str
    time: TimeColumn
    fields: dict[str, str]
    rows: int
    late: int
    largest_lateness_us: int


FLIGHTS = DataSet(
    "flights/flights.csv.gz",
    TimeColumn(column="departed_at"),
    {"carrier": "string", "tail": "string"},
    rows=223_874,
    late=192_058,
    largest_lateness_us=31_140_000_000,
)
MARKET_FEED = DataSet(
    "market_feed/market_feed.csv.gz",
    TimeColumn(column="event_ms", unit="ms"),
    {"symbol": "string", "price": "double", "trade_id": "long"},
    rows=280_077,
    late=125_480,
    largest_lateness_us=214_000,
)
WINDOWS_EVENTS = DataSet(
    "windows_events/windows_events_mild.csv.gz",
    TimeColumn(column="event_time"),
    {"hostname": "string", "event_id": "long"},
    rows=13_199,
    late=7_100,
    largest_lateness_us=5_000_000,
)


def read_all(data: DataSet, batch: int) -> Iterator[Arrived]:
    path = require(DATA / data.path)
    stream = StreamDefinition(fields=data.fields, event_time=EventTime(start=data.time))
    adapter = input_adapter("file", {"path": path.name}, stream, path.parent)
    reached = {"0": 0}
    while not adapter.finished(reached):
        further = adapter.latest(reached, now=0, limit_rows=batch)
        yield from adapter.read("0", reached["0"], further["0"])
        reached = dict(further)


@pytest.mark.parametrize("data", [FLIGHTS, MARKET_FEED, WINDOWS_EVENTS], ids=lambda data: data.path)
@pytest.mark.parametrize("batch", [50_000, 1_000_000])
def test_a_real_data_set_has_its_rows_and_its_lateness(data: DataSet, batch: int) -> None:
    chunks = list(read_all(data, batch))
    starts = np.concatenate([chunk.start for chunk in chunks])
    lateness = np.maximum.accumulate(starts) - starts
    assert not any(chunk.malformed for chunk in chunks)
    assert np.array_equal(np.concatenate([chunk.positions for chunk in chunks]), np.arange(data.rows))
    assert int((lateness > 0).sum()) == data.late
    assert int(lateness.max()) == data.largest_lateness_us
