"""A pipeline over the market feed: its parts, and its expected results, computed independently of the engine.

Trades, quotes and depths of an exchange arrive in three partitions of a topic. Windows of 10 s every 2 s for each
market and symbol are joined with the responsible desk (`desks`) from a table of PostgreSQL.
"""

import csv
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from streaming.wire.deliveries import BindingDeliveries
from streaming.wire.messages import RunSpec

BINDING: Final = "pipeline"
RUN: Final = f"{BINDING}-1"
EVENTS: Final = 200_000
LANES: Final = 3
DELAY_MS: Final = 20
SIZE_MS: Final = 10_000
HOP_MS: Final = 2_000
FOR_EVER_MS: Final = 1_900_000_000_000
FIELDS: Final = {"market": "string", "symbol": "string", "kind": "string", "price": "double", "levels": "long"}
GIVEN: Final = {"market": "string", "symbol": "string", "n": "long", "depth": "long", "high": "double"}
SINKS: Final = ("kafka", "postgresql", "delta")
DESKS: Final = (
    "CREATE TABLE desks (id bigserial PRIMARY KEY, market text, symbol text, desk text, since bigint, until bigint)"
)


_FEED: Final[Mapping[str, Any]] = {
    "fields": FIELDS,
    "event_time": {"start": {"column": "event_ms", "unit": "ms"}},
    "advance": {"preset": f"watermark({DELAY_MS}ms)"},
}
_DESKS: Final[Mapping[str, Any]] = {
    "shape": "interval",
    "fields": {"market": "string", "symbol": "string", "desk": "string"},
    "event_time": {"start": {"column": "since", "unit": "ms"}, "end": {"column": "until", "unit": "ms"}},
    "advance": {"import_from": "feed", "late": "drop"},
}
_NODES: Final[Sequence[Mapping[str, Any]]] = (
    {"id": "feed", "kind": "input", "stream": "feed"},
    {"id": "desks", "kind": "input", "stream": "desks"},
    {
        "id": "windows",
        "kind": "window",
        "input": "feed",
        "group_by": ["market", "symbol"],
        "window": {"kind": "hopping", "size": f"{SIZE_MS}ms", "hop": f"{HOP_MS}ms"},
        "aggregates": [
            {"name": "n", "function": "count"},
            {"name": "depth", "function": "sum", "of": "levels"},
            {"name": "high", "function": "max", "of": "price"},
        ],
    },
    {"id": "owned", "kind": "join", "left": "windows", "right": "desks", "keys": ["market", "symbol"]},
    {"id": "out", "kind": "output", "input": "owned"},
)


def plan(feed: Mapping[str, Any], desks: Mapping[str, Any]) -> RunSpec:
    """Return the run, with the options of its inputs: a topic, and the table DESKS."""
    content = {
        "organisation": "o1",
        "binding": BINDING,
        "run": RUN,
        "desired": "running",
        "query": {"version": 1, "name": BINDING, "nodes": _NODES},
        "inputs": {
            "feed": {"stream": _FEED, "adapter": {"kind": "kafka", "options": {**feed, "cti_header": "cti"}}},
            "desks": {"stream": _DESKS, "adapter": {"kind": "postgresql", "options": {**desks, "table": "desks"}}},
        },
        "results": f"results/{BINDING}",
    }
    return RunSpec.model_validate_json(json.dumps(content))


def outputs(options: Mapping[str, Mapping[str, Any]]) -> BindingDeliveries:
    """Return the deliveries of its results by kind; each delivery is named after its kind."""
    targets = [
        {
            "identity": kind,
            "node": "out",
            "fields": {**GIVEN, "desk": "string"},
            "adapter": {"kind": kind, "options": dict(settings)},
            "revision": 1,
        }
        for kind, settings in options.items()
    ]
    return BindingDeliveries.model_validate({"binding": BINDING, "results": f"results/{BINDING}", "targets": targets})


@dataclass(frozen=True)
class Quote:
    """One event of the feed."""

    at_ms: int
    market: str
    symbol: str
    kind: str
    price: float | None
    levels: int | None

    def message(self) -> bytes:
        content = {"event_ms": self.at_ms, "market": self.market, "symbol": self.symbol, "kind": self.kind}
        return json.dumps({**content, "price": self.price, "levels": self.levels}).encode()


@dataclass(frozen=True)
class Desk:
    """The responsible desk of a market and symbol in `[since, until)`, in ms."""

    market: str
    symbol: str
    desk: str
    since: int
    until: int


Row = tuple[int, int, str, str, int, int | None, float | None, str]
"""Start and end in ms, then the fields of the result."""


def quotes(data: Path) -> list[Quote]:
    """Return the first EVENTS events of the feed in order of arrival; the `n`-th goes to lane `n % LANES`."""
    with gzip.open(data / "market_feed" / "market_feed.csv.gz", "rt", newline="") as file:
        return [
            Quote(
                int(row["event_ms"]),
                row["market"],
                row["symbol"],
                row["kind"],
                float(row["price"]) if row["price"] else None,
                int(row["levels"]) if row["levels"] else None,
            )
            for _, row in zip(range(EVENTS), csv.DictReader(file), strict=False)
        ]


def in_time(events: Sequence[Quote]) -> Iterator[Quote]:
    """Yield the events that aren't late: at most DELAY_MS older than the newest earlier event of their lane."""
    newest = [0] * LANES
    for number, event in enumerate(events):
        lane = number % LANES
        if event.at_ms >= newest[lane] - DELAY_MS:
            yield event
        newest[lane] = max(newest[lane], event.at_ms)


def expected(events: Sequence[Quote], desks: Sequence[Desk]) -> list[Row]:
    """Return each window of the events in time, cut to the time when a desk was responsible."""
    hops: dict[tuple[str, str, int], list[Quote]] = {}
    for event in in_time(events):
        hops.setdefault((event.market, event.symbol, event.at_ms // HOP_MS), []).append(event)
    a_window = SIZE_MS // HOP_MS
    windows = {(market, symbol, hop - back) for market, symbol, hop in hops for back in range(a_window)}
    rows: list[Row] = []
    for market, symbol, first in windows:
        inside = [each for hop in range(first, first + a_window) for each in hops.get((market, symbol, hop), ())]
        levels = [each.levels for each in inside if each.levels is not None]
        prices = [each.price for each in inside if each.price is not None]
        totals = (len(inside), sum(levels) if levels else None, max(prices, default=None))
        for desk in desks:
            start, end = max(first * HOP_MS, desk.since), min(first * HOP_MS + SIZE_MS, desk.until)
            if (desk.market, desk.symbol) == (market, symbol) and start < end:
                rows.append((start, end, market, symbol, *totals, desk.desk))
    return sorted(rows, key=str)
