"""Lengths of time and lists in words."""

from collections.abc import Sequence
from typing import Final

from streaming.temporal.ticks import Ticks, parse_duration

_UNITS: Final = (
    ("d", 86_400_000_000),
    ("h", 3_600_000_000),
    ("m", 60_000_000),
    ("s", 1_000_000),
    ("ms", 1_000),
    ("us", 1),
)


def spoken(ticks: int) -> str:
    """`ticks` exactly, in as many units as it needs: `5m30s`, `-1us`, `0s`."""
    if ticks == 0:
        return "0s"
    parts, rest = [], abs(ticks)
    for unit, length in _UNITS:
        if rest >= length:
            parts.append(f"{rest // length}{unit}")
            rest %= length
    return ("-" if ticks < 0 else "") + "".join(parts)


def below(at_most: int) -> str:
    """`at_most` as the bound that is not reached: a tick more."""
    return spoken(at_most + 1)


def listed(names: Sequence[str], last: str = "and") -> str:
    """`a`, `b` and `c`, each as code."""
    shown = [code(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def code(text: str) -> str:
    """`text` of the user, marked as such; on one line, and without what moves a cursor."""
    return f"`{printable(' '.join(line.strip() for line in text.strip().splitlines()))}`"


def printable(text: str) -> str:
    """`text` with everything that is not seen, such as terminal escapes, written as an escape sequence."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def moved(by: Ticks) -> str:
    """How far and where to: `5m later`."""
    return f"{spoken(abs(by))} {'earlier' if by < 0 else 'later'}"


def spoken_length(written: int | str) -> str:
    """A length as it stands in a definition, in words."""
    return spoken(parse_duration(written))
