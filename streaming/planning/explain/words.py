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
    """Format `ticks` exactly, in as many units as necessary: `5m30s`, `-1us`, `0s`."""
    if ticks == 0:
        return "0s"
    parts, rest = [], abs(ticks)
    for unit, length in _UNITS:
        if rest >= length:
            parts.append(f"{rest // length}{unit}")
            rest %= length
    return ("-" if ticks < 0 else "") + "".join(parts)


def below(at_most: int) -> str:
    """Format the exclusive bound for `at_most`: one tick more."""
    return spoken(at_most + 1)


def listed(names: Sequence[str], last: str = "and") -> str:
    """Join names as `a`, `b` and `c`, each as code."""
    marked = [code(name) for name in names]
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} {last} {marked[-1]}"


def code(text: str) -> str:
    """Return `text` of the user as code, on one line and without control characters."""
    return f"`{printable(' '.join(line.strip() for line in text.strip().splitlines()))}`"


def printable(text: str) -> str:
    """Return `text` with all invisible characters, such as terminal escapes, as escape sequences."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def format_move(by: Ticks) -> str:
    """Format a move with its direction: `5m later`."""
    return f"{spoken(abs(by))} {'earlier' if by < 0 else 'later'}"


def spoken_length(written: int | str) -> str:
    """Format a length of a definition."""
    return spoken(parse_duration(written))
