"""Recognition of time columns: their usual names, and the unit of present-day numbers.

Names are compared only by their letters and digits, in lower case.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from streaming.definition.streams.stream import TimeUnit
from streaming.temporal.ticks import Tick, parse_instant

TIME_NAMES: Final[Mapping[str, Sequence[str]]] = {
    "start": ("start", "start_time", "starttime", "from", "timestamp", "ts", "time", "datetime", "date_time", "at",
              "event_time", "eventtime", "seen_at", "occurred_at", "created_at", "date"),
    "end": ("end", "end_time", "endtime", "until", "to", "stop", "finish"),
    "arrival": ("arrival", "arrived_at", "received_at", "ingested_at", "enqueued_at"),
}  # fmt: skip
"""Names of columns that hold the start, the end or the arrival of an event, likeliest first."""
PLAUSIBLE: Final = (parse_instant("1990-01-01T00:00:00Z"), parse_instant("2100-01-01T00:00:00Z"))
"""The range of plausible times; the end is exclusive."""
_UNITS: Final[Sequence[tuple[float, TimeUnit]]] = ((1e11, "s"), (1e14, "ms"), (1e17, "us"))
"""Upper bounds of present-day times in seconds, milliseconds, microseconds; larger numbers are nanoseconds."""


def plain_name(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def unit_of(largest: float) -> TimeUnit:
    """Return the unit of times whose largest number is `largest`."""
    return next((unit for below, unit in _UNITS if abs(largest) < below), "ns")


def plausible(*times: Tick) -> bool:
    """Return whether all `times` are plausible."""
    return all(PLAUSIBLE[0] <= each < PLAUSIBLE[1] for each in times)
