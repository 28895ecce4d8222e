"""Flights for each destination and day without any of Punctual's code: a CTI every 100 rows, late rows dropped."""

import csv
import gzip
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

DAY_US = 86_400_000_000
EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


def departures(path: Path) -> Iterator[tuple[int, str]]:
    """Departure in microseconds and destination of every row, in the order of the file."""
    with gzip.open(path, "rt", newline="") as text:
        for row in csv.DictReader(text):
            yield (datetime.fromisoformat(row["departed_at"]) - EPOCH) // timedelta(microseconds=1), row["dest"]


def flights_by_hand(path: Path, delay_us: int) -> tuple[Counter[tuple[int, str]], Counter[str]]:
    """Flights by (start of the day in microseconds, destination), and how many rows met each outcome."""
    windows: Counter[tuple[int, str]] = Counter()
    outcomes: Counter[str] = Counter()
    cti, largest = -(10**18), -(10**18)
    for number, (departed, destination) in enumerate(departures(path), start=1):
        if departed < cti:
            outcomes["dropped_late"] += 1
        else:
            outcomes["on_time" if departed >= largest else "reordered"] += 1
            windows[departed // DAY_US * DAY_US, destination] += 1
        largest = max(largest, departed)
        if number % 100 == 0:
            cti = max(cti, departed - delay_us)
    return windows, outcomes
