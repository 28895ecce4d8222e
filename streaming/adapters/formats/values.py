"""Decoded values with a schema: JSON values, moments, exact numbers, or the reason why they can't be read.

A moment in any format is a `KnownTick`, bytes are base64 text, everything else is a JSON value.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from streaming.adapters.times.columns import KnownTick
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, Tick, format_instant

TICKS_PER_DAY: Final = 86_400_000_000
MOST_SHOWN: Final = 65_536
"""The most bytes of an unreadable message that are kept in its text."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A message that is not a row; `why` is a sentence."""

    why: str


Record = dict[str, Any]


def written_row(value: Any) -> str:
    """A value as JSON, with moments as ISO 8601 text and exact numbers with all their digits."""
    return "".join(_written(value))


def written_unreadable(value: bytes, why: str) -> str:
    """The text of an unreadable message: the reason and its bytes."""
    shown = base64.b64encode(value[:MOST_SHOWN]).decode()
    more = {} if len(value) <= MOST_SHOWN else {"longer": len(value)}
    return json.dumps({"bad": why, "base64": shown, **more}, ensure_ascii=False)


def _written(value: Any) -> "list[str]":
    if isinstance(value, KnownTick):
        known = FIRST_TICK <= value <= LAST_TICK
        return [json.dumps(format_instant(Tick(value)) if known else int(value))]
    if isinstance(value, Decimal):
        return [format(value, "f")]
    if isinstance(value, Mapping):
        parts: list[str] = []
        for name, each in value.items():
            parts += [", " if parts else "", json.dumps(str(name), ensure_ascii=False), ": ", *_written(each)]
        return ["{", *parts, "}"]
    if isinstance(value, list):
        parts = []
        for each in value:
            parts += [*([", "] if parts else []), *_written(each)]
        return ["[", *parts, "]"]
    return [json.dumps(value, ensure_ascii=False)]


class MisfitValue(Exception):
    """A value that does not fit a schema, with its place and the reason."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"'{path.removeprefix('.')}' {why}" if path else f"the value {why}")


def as_whole(value: Any, least: int, most: int, path: str) -> int:
    """A whole number within bounds. Raises `MisfitValue`."""
    if isinstance(value, Decimal) and value.is_finite() and value == value.to_integral_value():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise MisfitValue(path, "isn't a whole number")
    if not least <= value <= most:
        raise MisfitValue(path, "is outside the range of the schema's type")
    return int(value)


def as_number(value: Any, path: str) -> float:
    """A number as a double. Raises `MisfitValue`."""
    if isinstance(value, bool | KnownTick) or not isinstance(value, int | float | Decimal):
        raise MisfitValue(path, "isn't a number")
    try:
        return float(value)
    except OverflowError:
        raise MisfitValue(path, "is outside the range of the schema's type") from None


def as_text(value: Any, path: str) -> str:
    """Convert to text; moments as ISO 8601, exact numbers with all their digits. Raises `MisfitValue`."""
    if isinstance(value, KnownTick):
        return format_instant(Tick(value))
    if isinstance(value, Decimal):
        return format(value, "f")
    if not isinstance(value, str):
        raise MisfitValue(path, "isn't text")
    return value
