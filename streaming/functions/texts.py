"""Functions of texts, measured in code points."""

from typing import Final

from streaming.functions.failures import MOST_BYTES, FunctionFailure, in_length

MOST_COMPARED: Final = 1_000
"""The longest text, in code points, that `levenshtein` compares."""


def left(text: str, count: int) -> str:
    """Return the first `count` code points."""
    return text[: max(count, 0)]


def right(text: str, count: int) -> str:
    """Return the last `count` code points."""
    return text[max(len(text) - max(count, 0), 0) :]


def reverse(text: str) -> str:
    """Return the code points in reverse order."""
    return text[::-1]


def repeat(text: str, count: int) -> str:
    """Return `text` written `count` times, which is checked before it is made."""
    if count > 0 and len(text.encode()) * count > MOST_BYTES:
        raise FunctionFailure(f"a text is longer than {MOST_BYTES} bytes", "too_long")
    return text * max(count, 0) if text else ""


def lpad(text: str, length: int, fill: str = " ") -> str:
    """Return `length` code points: `text` cut at the end, or with `fill` before it."""
    return in_length(_filling(text, length, fill) + left(text, length))


def rpad(text: str, length: int, fill: str = " ") -> str:
    """Return `length` code points: `text` cut at the end, or with `fill` after it."""
    return in_length(left(text, length) + _filling(text, length, fill))


def _filling(text: str, length: int, fill: str) -> str:
    missing = length - len(text)
    if missing <= 0 or not fill:
        return ""
    if length > MOST_BYTES:
        raise FunctionFailure(f"a text is longer than {MOST_BYTES} bytes", "too_long")
    return (fill * (missing // len(fill) + 1))[:missing]


def position(part: str, text: str) -> int:
    """Return the place of the first `part` in `text`, from 1; 0 if it has none."""
    return text.find(part) + 1


def split(text: str, delimiter: str) -> list[str]:
    """Return the parts between delimiters."""
    return in_length(text).split(delimiter) if delimiter else [in_length(text)]


def levenshtein(one: str, other: str) -> int:
    """Return the least number of code points to insert, delete or replace (Myers 1999, with one bit for a row)."""
    if max(len(one), len(other)) > MOST_COMPARED:
        raise FunctionFailure(f"a text of levenshtein is longer than {MOST_COMPARED} code points", "too_long")
    if not one:
        return len(other)
    places: dict[str, int] = {}
    for at, character in enumerate(one):
        places[character] = places.get(character, 0) | 1 << at
    every, last = (1 << len(one)) - 1, 1 << (len(one) - 1)
    # bits of rows whose distance is one more, or one less, than that of the row above
    more, less, distance = every, 0, len(one)
    for character in other:
        equal = places.get(character, 0)
        diagonal = (((equal & more) + more) ^ more) | equal | less
        rising, falling = less | ~(diagonal | more) & every, more & diagonal
        distance += bool(rising & last) - bool(falling & last)
        rising, falling = (rising << 1 | 1) & every, falling << 1 & every
        more, less = falling | ~(diagonal | rising) & every, rising & diagonal
    return distance
