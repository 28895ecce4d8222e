"""What a value with a schema becomes before a stream judges it: the values of JSON, moments, exact numbers, or why not.

Whatever the format says of a moment is a `KnownTick`, bytes are base64 text, everything else is as JSON has it.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from streaming.adapters.times import KnownTick
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, Tick, format_instant

TICKS_PER_DAY: Final = 86_400_000_000
MOST_SHOWN: Final = 65_536
"""So many bytes of a message that cannot be read stand in its text."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A message that is no row; `why` is a sentence."""

    why: str


Record = dict[str, Any]


def written_row(value: Any) -> str:
    """A value as JSON, moments as ISO 8601 text, exact numbers with all of their digits."""
    return "".join(_written(value))


def written_unreadable(value: bytes, why: str) -> str:
    """The text of a message that is no row: why, and its bytes, so that nothing of it is lost."""
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
        told: list[str] = []
        for name, each in value.items():
            told += [", " if told else "", json.dumps(str(name), ensure_ascii=False), ": ", *_written(each)]
        return ["{", *told, "}"]
    if isinstance(value, list):
        told = []
        for each in value:
            told += [*([", "] if told else []), *_written(each)]
        return ["[", *told, "]"]
    return [json.dumps(value, ensure_ascii=False)]


class MisfitValue(Exception):
    """A value that a schema has no place for: where it stands, and what is wrong with it."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"'{path.removeprefix('.')}' {why}" if path else f"the value {why}")


def as_whole(value: Any, least: int, most: int, path: str) -> int:
    """A whole number within bounds. Raises `MisfitValue`."""
    if isinstance(value, Decimal) and value.is_finite() and value == value.to_integral_value():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise MisfitValue(path, "is no whole number")
    if not least <= value <= most:
        raise MisfitValue(path, "is out of the range of the schema's type")
    return int(value)


def as_number(value: Any, path: str) -> float:
    """A number as a double. Raises `MisfitValue`."""
    if isinstance(value, bool | KnownTick) or not isinstance(value, int | float | Decimal):
        raise MisfitValue(path, "is no number")
    try:
        return float(value)
    except OverflowError:
        raise MisfitValue(path, "is out of the range of the schema's type") from None


def as_text(value: Any, path: str) -> str:
    """A text; moments as ISO 8601, exact numbers with all of their digits. Raises `MisfitValue`."""
    if isinstance(value, KnownTick):
        return format_instant(Tick(value))
    if isinstance(value, Decimal):
        return format(value, "f")
    if not isinstance(value, str):
        raise MisfitValue(path, "is no text")
    return value
