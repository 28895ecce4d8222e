"""Random rows of one stream: events of all shapes, in and out of order, CTIs, oddities."""

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

Row = dict[str, Any]

LENGTHS = st.integers(1, 20)
TIMES = st.integers(-5, 25)
NUMBERS = (0, 1, 2, 5, -2, None)


def _payloads(field: str) -> st.SearchStrategy[Row]:
    """Draw a key and a number in `field`; each may be null or absent."""
    full = [{"k": key, field: number} for key in ("a", "a", "b") for number in NUMBERS]
    return st.sampled_from([*full, {"k": None, field: 1}, {"k": "a"}, {}])


PAYLOADS = {field: _payloads(field) for field in ("v", "w")}
ENDS = st.sampled_from((1, 1, 1, 0, 2))
"""The number of ends of an edge."""
BEYOND = st.sampled_from((0, -1, -5, 1, 4, 12))
"""The distance from a CTI back to the earliest event after it: above zero it makes that one late."""
LEAST = st.sampled_from((0, 2, 3, 3))
"""The minimum number of events of a stream."""
ONE_IN_SIX = st.integers(0, 5)


@st.composite
def events(draw: st.DrawFn, shape: str, field: str) -> Row:
    """Draw one well-formed point or interval."""
    start = draw(TIMES)
    row: Row = {"start": start, "payload": draw(PAYLOADS[field])}
    if shape == "interval":
        row["end"] = start + draw(LENGTHS)
    return row


@st.composite
def edges(draw: st.DrawFn, field: str, least: int, most: int) -> list[Row]:
    """Draw starts and, for most of them, an end somewhere after it in arrival order; now and then an end too many."""
    rows: list[Row] = []
    for _ in range(draw(st.integers(least, most))):
        start, payload = draw(TIMES), draw(PAYLOADS[field])
        place = draw(st.integers(0, len(rows)))
        rows.insert(place, {"edge": "start", "start": start, "payload": payload})
        for _ in range(draw(ENDS)):
            end = {"edge": "end", "start": start, "end": start + draw(LENGTHS), "payload": payload}
            rows.insert(draw(st.integers(place + 1, len(rows))), end)
    return rows


ODDITIES: Sequence[Row] = (
    {"bad": "{"},
    {"start": "noon"},
    {"cti": "soon"},
    {"start": 1, "end": 1, "edge": "end", "payload": {}},
    {"start": 1, "end": 2, "edge": "start", "payload": {"k": 1}},
    {"cti": None},
)
"""Malformed rows of each kind, an orphan end among them (of edges), and an early infinity."""


@st.composite
def streams_of_rows(draw: st.DrawFn, *, shape: str, field: str, most: int, odd: bool) -> list[Row]:
    """Draw at most `most` events, half the time in order, and CTIs that few or none of the later ones violate."""
    least = draw(LEAST)
    if shape == "edge":
        rows = draw(edges(field, least // 2, (most + 1) // 2))
    else:
        rows = draw(st.lists(events(shape, field), min_size=least, max_size=most))
    if draw(st.booleans()):
        rows.sort(key=sync)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(rows)))
        later = [sync(row) for row in rows[place:] if "cti" not in row]
        highest = min(later) if later else max((sync(row) for row in rows if "cti" not in row), default=0)
        cti: Row = {"cti": highest + draw(BEYOND)}
        rows.insert(place, cti | ({"strict": True} if draw(ONE_IN_SIX) == 5 else {}))
    if odd:
        for row in draw(st.lists(st.sampled_from(ODDITIES), max_size=2)):
            rows.insert(draw(st.integers(0, len(rows))), dict(row))
    return rows


def sync(row: Mapping[str, Any]) -> int:
    """Return the time that a CTI is compared with, of a well-formed event."""
    at: int = row["end"] if row.get("edge") == "end" else row["start"]
    return at
