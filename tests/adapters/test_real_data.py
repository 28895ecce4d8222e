"""The three real data sets are read whole, and are as late as their READMEs say."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from streaming.adapters.registry import input_adapter
from streaming.definition.streams import EventTime, StreamDefinition, TimeColumn, TimeUnit
from streaming.wire.arrived import Arrived
from tests.flights import DATA, require


def read_all(path: Path, stream: StreamDefinition, batch: int) -> Iterator[Arrived]:
    adapter = input_adapter("file", {"path": path.name}, stream, require(path).parent)
    reached = {"0": 0}
    while not adapter.finished(reached):
        further = adapter.latest(reached, now=0, limit_rows=batch)
        yield from adapter.read("0", reached["0"], further["0"])
        reached = dict(further)


@pytest.mark.parametrize(
    ("name", "column", "unit", "fields", "rows", "late", "largest_lateness_s"),
    [
        (
            "flights/flights.csv.gz",
            "departed_at",
            "iso",
            {"carrier": "string", "tail": "string"},
            223_874,
            192_058,
            31_140,
        ),
        (
            "market_feed/market_feed.csv.gz",
            "event_ms",
            "ms",
            {"symbol": "string", "price": "double"},
            280_077,
            125_480,
            0.214,
        ),
        ("windows_events/windows_events_mild.csv.gz", "event_time", "iso", {"hostname": "string"}, 13_199, 7_100, 5),
    ],
)
@pytest.mark.parametrize("batch", [50_000, 1_000_000])
def test_a_real_data_set_has_its_rows_and_its_lateness(
    name: str,
    column: str,
    unit: TimeUnit,
    fields: dict[str, str],
    rows: int,
    late: int,
    largest_lateness_s: float,
    batch: int,
) -> None:
    stream = StreamDefinition(fields=fields, event_time=EventTime(start=TimeColumn(column=column, unit=unit)))
    chunks = list(read_all(DATA / name, stream, batch))
    starts = np.concatenate([chunk.start for chunk in chunks])
    lateness = np.maximum.accumulate(starts) - starts
    assert not any(chunk.malformed for chunk in chunks)
    assert np.array_equal(np.concatenate([chunk.positions for chunk in chunks]), np.arange(rows))
    assert int((lateness > 0).sum()) == late
    assert lateness.max() == largest_lateness_s * 1_000_000
