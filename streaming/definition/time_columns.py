"""What is known of columns that hold times: how they are called, and in which unit numbers of today count.

Names are compared by their letters and digits alone, in small letters.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from streaming.definition.streams import TimeUnit
from streaming.temporal.ticks import Tick, parse_instant

TIME_NAMES: Final[Mapping[str, Sequence[str]]] = {
    "start": ("start", "start_time", "starttime", "from", "timestamp", "ts", "time", "datetime", "date_time", "at",
              "event_time", "eventtime", "seen_at", "occurred_at", "created_at", "date"),
    "end": ("end", "end_time", "endtime", "until", "to", "stop", "finish"),
    "arrival": ("arrival", "arrived_at", "received_at", "ingested_at", "enqueued_at"),
}  # fmt: skip
"""Names of columns that hold the start, the end or the arrival of an event, likeliest first."""
PLAUSIBLE: Final = (parse_instant("1990-01-01T00:00:00Z"), parse_instant("2100-01-01T00:00:00Z"))
"""Between these lie the times that people bring; the second is the first that does not."""
_UNITS: Final[Sequence[tuple[float, TimeUnit]]] = ((1e11, "s"), (1e14, "ms"), (1e17, "us"))
"""Up to which size a number of today counts seconds, milliseconds, microseconds; larger ones count nanoseconds."""


def plain_name(name: str) -> str:
    """The letters and digits of a name, small."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def unit_of(largest: float) -> TimeUnit:
    """The unit in which times count of which `largest` is the largest."""
    return next((unit for below, unit in _UNITS if abs(largest) < below), "ns")


def plausible(*times: Tick) -> bool:
    """Whether all of `times` are such as people bring."""
    return all(PLAUSIBLE[0] <= each < PLAUSIBLE[1] for each in times)
