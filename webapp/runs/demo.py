"""The demo organisation: made-up cars that report late, a toll road with a lane that falls silent, and queries."""

from typing import Any, Final

from streaming.definition.streams.stream import AdapterChoice, StreamDefinition

SLUG: Final = "demo"
EMAIL: Final = "demo@punctual.example"
STREAM: Final = "cars"
RUNNING: Final = "speeding"
LOSING: Final = "toll_by_gate"
"""The bindings that run from the start; LOSING loses rows of a lane."""

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


PASSAGES: Final = StreamDefinition.model_validate(
    {
        "shape": "interval",
        "fields": {"gate": "string", "plate": "string", "fare": "double"},
        "advance": {
            "generate": {"every": 5, "delay": "5s", "basis": "max", "final": True},
            "late": "adjust",
            "idle_after": "5s",
            "idle": "leave_out",
        },
        "lanes": [str(lane) for lane in range(12)],
    }
)
"""Passages of toll gates, one lane for each gate. The lane 7 is left out while it is silent, and then sends late."""

TOLL: Final = AdapterChoice(
    kind="generator",
    options={
        "rate": 62.0,
        "lanes": 12,
        "keys": 5_000,
        "late_share": 0.25,
        "late_mean": "1s",
        "late_max": "4s",
        "held_lane": 7,
        "held_every": "45s",
        "held_for": "16s",
        "malformed_share": 0.00005,
        "duration_mean": "3s",
        "seed": 7,
    },
)
STREAMS: Final = {STREAM: (CARS, GENERATOR), "passages": (PASSAGES, TOLL)}


def _graph(stream: str, name: str, before: list[dict[str, Any]], window: dict[str, Any]) -> dict[str, Any]:
    """Return the graph of one window over `stream`, after the nodes `before`."""
    source = before[-1]["id"] if before else stream
    return {
        "version": 1,
        "name": name,
        "nodes": [
            {"kind": "input", "id": stream, "stream": stream},
            *before,
            {"kind": "window", "input": source, **window},
            {"kind": "output", "id": "out", "input": window["id"]},
        ],
    }


QUERIES: Final = (
    _graph(
        STREAM,
        RUNNING,
        [{"kind": "filter", "id": "fast", "input": STREAM, "where": "speed > 100"}],
        {
            "id": "by_lane",
            "group_by": ["road_lane"],
            "window": {"kind": "tumbling", "size": "10s"},
            "aggregates": [
                {"name": "n", "function": "count"},
                {"name": "avg_speed", "function": "avg", "of": "speed"},
                {"name": "top_speed", "function": "max", "of": "speed"},
            ],
        },
    ),
    _graph(
        STREAM,
        "cars_by_minute",
        [],
        {
            "id": "by_lane",
            "group_by": ["road_lane"],
            "window": {"kind": "hopping", "size": "1m", "hop": "10s"},
            "aggregates": [
                {"name": "n", "function": "count"},
                {"name": "avg_speed", "function": "avg", "of": "speed"},
            ],
        },
    ),
    _graph(
        "passages",
        LOSING,
        [],
        {
            "id": "by_gate",
            "group_by": ["gate"],
            "window": {"kind": "tumbling", "size": "1m"},
            "aggregates": [
                {"name": "passages", "function": "count"},
                {"name": "revenue", "function": "sum", "of": "fare"},
            ],
        },
    ),
)
