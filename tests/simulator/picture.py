"""The sample of the design's picture: 14 rows, tumbling 10 s, a CTI after every event with a delay of 4 s."""

from typing import Any, Final

SECOND: Final = 1_000_000
BEGIN: Final = 1_795_428_000 * SECOND
"""10:00:00 of an arbitrary day."""
SPANS: Final = (
    (3, 6), (6, 9), (5, 7), (9, 12), (8, 11), (13, 15), (11, 14),
    (7, 12), (16, 18), (4, 6), (21, 23), (18, 20), (27, 29), (25, 28),
)  # fmt: skip
"""Start and end of each row, in seconds after the base time, in order of arrival."""


def at(seconds: float) -> int:
    """Return the tick of a second of the sample."""
    return BEGIN + int(seconds * SECOND)


STREAM: Final[dict[str, Any]] = {
    "shape": "interval",
    "fields": {"k": "string"},
    "advance": {"generate": {"every": 1, "delay": "4s", "basis": "max"}, "late": "adjust"},
}
GRAPH: Final[dict[str, Any]] = {
    "version": 1,
    "name": "picture",
    "nodes": [
        {"id": "s", "kind": "input", "stream": "s"},
        {
            "id": "w",
            "kind": "window",
            "input": "s",
            "window": {"kind": "tumbling", "size": "10s"},
            "aggregates": [{"name": "n", "function": "count"}],
        },
        {"id": "out", "kind": "output", "input": "w"},
    ],
}
ROWS: Final[list[dict[str, Any]]] = [
    {"stream": "s", "start": at(start), "end": at(end), "payload": {"k": "a"}} for start, end in SPANS
]
