"""Durations in a text."""

import re
from typing import Final

from streaming.definition.sql.grammar.words import clause_at
from streaming.definition.sql.reading.reader import WHOLE, Reader, ValueAt
from streaming.definition.tokens import TokenKind
from streaming.temporal.ticks import TimeTextError, parse_duration

_UNITS: Final = {
    "us": "us",
    "microsecond": "us",
    "ms": "ms",
    "millis": "ms",
    "millisecond": "ms",
    "s": "s",
    "sec": "s",
    "second": "s",
    "m": "m",
    "min": "m",
    "minute": "m",
    "h": "h",
    "hr": "h",
    "hour": "h",
    "d": "d",
    "day": "d",
    "tick": "tick",
}
"""Units as people write them, in lower case and without the plural s, and their form here."""
_WRITTEN: Final = re.compile(r"([+-]?)\s*(\d{1,20})\s*([A-Za-z]+)", re.ASCII)
_EXAMPLE: Final = "Write for example 5m, 100ms, -1tick, 'PT5M', or a whole number of ticks."


def take_duration(reader: Reader, what: str) -> ValueAt[int | str] | None:
    """Read a duration: a whole number is ticks, anything else stays text. None, and a recorded problem, without one."""
    first, token = reader.at, reader.peek()
    if token.kind is TokenKind.STRING:
        reader.take()
        return _read(reader, ValueAt(token.value, token.extent), what)
    if token.word == "INTERVAL":
        return _interval(reader)
    if token.word in ("+", "-") and reader.peek(1).kind is TokenKind.NUMBER:
        reader.take()
    if reader.peek().kind is not TokenKind.NUMBER:
        reader.at = first
        reader.missing(what, _EXAMPLE)
        if token.kind is TokenKind.WORD and not clause_at(reader.tokens, reader.at) and reader.peek(1).word != "BY":
            reader.take()
        return None
    number = reader.take()
    unit = reader.peek()
    if number.value.isdigit() and unit.kind is TokenKind.WORD and _unit(unit.word.lower()):
        reader.take()
    extent = reader.since(first)
    written = reader.text[extent[0] : extent[1]]
    if WHOLE.fullmatch(written):
        return ValueAt(int(re.sub(r"\s", "", written)), extent)
    return _read(reader, ValueAt(written, extent), what)


def readable_duration(text: str) -> str | None:
    """Convert a duration of another system, such as `5 minutes`, to our form; None if it isn't a duration."""
    match = _WRITTEN.fullmatch(text.strip())
    unit = _unit(match.group(3).lower()) if match else None
    return f"{match.group(1)}{match.group(2)}{unit}" if match and unit else None


def _unit(word: str) -> str | None:
    return _UNITS.get(word) or (_UNITS.get(word[:-1]) if word.endswith("s") else None)


def _read(reader: Reader, written: ValueAt[str], what: str) -> ValueAt[int | str] | None:
    try:
        parse_duration(written.value)
    except TimeTextError:
        corrected = readable_duration(written.value)
        message = f"{what} cannot be `{written.value[:60]}`."
        if corrected is None:
            reader.problem(written.extent, message, _EXAMPLE)
            return None
        reader.problem(written.extent, message, f"Write {corrected}.")
        return ValueAt(corrected, written.extent)
    return ValueAt(written.value, written.extent)


def _interval(reader: Reader) -> ValueAt[int | str] | None:
    """Read INTERVAL '5' MINUTE or INTERVAL 5 MINUTES, and record the form to write here as the remedy."""
    first = reader.at
    reader.take()
    sign = "-" if reader.accept("-") else ""
    count = reader.take().value.strip() if reader.peek().kind in (TokenKind.STRING, TokenKind.NUMBER) else ""
    if count.isdigit() and reader.peek().kind is TokenKind.WORD and _unit(reader.word().lower()):
        count += reader.take().value
    corrected = readable_duration(sign + count)
    remedy = f"Write only {corrected}." if corrected else "Write only the number with its unit, such as 5m."
    reader.problem(reader.since(first), "Durations are written without INTERVAL.", remedy)
    return ValueAt(corrected, reader.since(first)) if corrected else None
