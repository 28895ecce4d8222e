"""The drawn expressions, computed by hand: the batch query evaluates none of our expressions."""

from collections.abc import Callable, Mapping
from typing import Any, Final

Payload = Mapping[str, Any]
Meaning = Callable[[Payload], Any]


def _remainder(left: int, right: int | None) -> int | None:
    """Return the remainder with the sign of the left side; None for a division by zero."""
    if not right:
        return None
    return left % abs(right) if left >= 0 else -(-left % abs(right))


def _sum(*values: int | None) -> int | None:
    return None if None in values else sum(value for value in values if value is not None)


CONDITIONS: Final[Mapping[str, Meaning]] = {
    "v > 0": lambda row: row["v"] is not None and row["v"] > 0,
    "k = 'a' or v < 3": lambda row: row["k"] == "a" or (row["v"] is not None and row["v"] < 3),
    "v % 2 = 0": lambda row: row["v"] is not None and _remainder(row["v"], 2) == 0,
    "10 / v > 2": lambda row: bool(row["v"]) and 10 / row["v"] > 2,
    "k is not null": lambda row: row["k"] is not None,
}
"""Of one event with the fields k and v."""
PAIR_CONDITIONS: Final[Mapping[str, Meaning]] = {
    "v < w": lambda row: None not in (row["v"], row["w"]) and row["v"] < row["w"],
    "v + w > 2 or w is null": lambda row: row["w"] is None or (row["v"] is not None and row["v"] + row["w"] > 2),
}
"""Of the payload of a join: k and v of the left, w of the right."""
VALUES: Final[Mapping[str, Meaning]] = {
    "k": lambda row: row["k"],
    "v": lambda row: row["v"],
    "w": lambda row: row["w"],
    "'a'": lambda row: "a",
    "v * 2": lambda row: None if row["v"] is None else row["v"] * 2,
    "6 % v": lambda row: None if row["v"] is None else _remainder(6, row["v"]),
    "v * 3 + 1": lambda row: None if row["v"] is None else row["v"] * 3 + 1,
    "v + w": lambda row: _sum(row["v"], row["w"]),
    "v + n": lambda row: _sum(row["v"], row["n"]),
}
MEANINGS: Final[Mapping[str, Meaning]] = {**CONDITIONS, **PAIR_CONDITIONS, **VALUES}
