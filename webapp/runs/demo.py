"""What the demo organisation holds: made-up cars that report late, and queries over them."""

from typing import Any, Final

from streaming.definition.streams import AdapterChoice, StreamDefinition

SLUG: Final = "demo"
EMAIL: Final = "demo@punctual.example"
STREAM: Final = "cars"
RUNNING: Final = "speeding"
"""The binding that runs from the start."""

CARS: Final = StreamDefinition.model_validate(
    {
        "shape": "interval",
        "fields": {"plate": "string", "device": "string", "road_lane": "long", "speed": "double"},
        "advance": {"generate": {"every": 20, "delay": "2s", "basis": "max", "final": True}, "late": "adjust"},
    }
)
"""Sightings that last some seconds. `adjust` shortens a late one, and drops it when it is over before the CTI."""

GENERATOR: Final = AdapterChoice(
    kind="generator",
    options={
        "rate": 100.0,
        "keys": 200,
        "devices": 12,
        "clock_skew": "300ms",
        "late_share": 0.15,
        "late_mean": "3s",
        "late_max": "40s",
        "burst_every": 3_000,
        "burst_rows": 60,
        "burst_spread": "15s",
        "malformed_share": 0.002,
        "duration_mean": "4s",
        "seed": 7,
    },
)


def _graph(name: str, before: list[dict[str, Any]], window: dict[str, Any]) -> dict[str, Any]:
    """Return the graph of one window over the cars, after the nodes `before`."""
    source = before[-1]["id"] if before else STREAM
    return {
        "version": 1,
        "name": name,
        "nodes": [
            {"kind": "input", "id": STREAM, "stream": STREAM},
            *before,
            {"kind": "window", "id": "by_lane", "input": source, "group_by": ["road_lane"], **window},
            {"kind": "output", "id": "out", "input": "by_lane"},
        ],
    }


QUERIES: Final = (
    _graph(
        "speeding",
        [{"kind": "filter", "id": "fast", "input": STREAM, "where": "speed > 100"}],
        {
            "window": {"kind": "tumbling", "size": "10s"},
            "aggregates": [
                {"name": "n", "function": "count"},
                {"name": "avg_speed", "function": "avg", "of": "speed"},
                {"name": "top_speed", "function": "max", "of": "speed"},
            ],
        },
    ),
    _graph(
        "cars_by_minute",
        [],
        {
            "window": {"kind": "hopping", "size": "1m", "hop": "10s"},
            "aggregates": [
                {"name": "n", "function": "count"},
                {"name": "avg_speed", "function": "avg", "of": "speed"},
            ],
        },
    ),
)
