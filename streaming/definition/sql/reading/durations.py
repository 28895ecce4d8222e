"""Durations, counts and other small values as they stand in a text."""

import re
from typing import Final

from streaming.definition.sql.grammar.words import clause_at
from streaming.definition.sql.problems import over
from streaming.definition.sql.reading.reader import Reader, ValueAt
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
"""What people write for a unit, in lower case and without the s of the plural, and how it is written here."""
_WRITTEN: Final = re.compile(r"([+-]?)\s*(\d{1,20})\s*([A-Za-z]+)", re.ASCII)
_WHOLE: Final = re.compile(r"[+-]?\s*\d{1,4000}", re.ASCII)
ANY_WHOLE: Final = 10**1000
"""No bound: whether a number fits its field is a question of types."""
_EXAMPLE: Final = "Write for example 5m, 100ms, -1tick, 'PT5M', or a whole number of ticks."


def take_duration(reader: Reader, what: str) -> ValueAt[int | str] | None:
    """Take a duration: a whole number is ticks, all else stays the text that it is. None with a fault."""
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
    if _WHOLE.fullmatch(written):
        return ValueAt(int(re.sub(r"\s", "", written)), extent)
    return _read(reader, ValueAt(written, extent), what)


def readable_duration(text: str) -> str | None:
    """A duration as other systems write it, `5 minutes`, in the spelling of this one; None if it is none."""
    match = _WRITTEN.fullmatch(text.strip())
    unit = _unit(match.group(3).lower()) if match else None
    return f"{match.group(1)}{match.group(2)}{unit}" if match and unit else None


def _unit(word: str) -> str | None:
    return _UNITS.get(word) or (_UNITS.get(word[:-1]) if word.endswith("s") else None)


def _read(reader: Reader, said: ValueAt[str], what: str) -> ValueAt[int | str] | None:
    try:
        parse_duration(said.value)
    except TimeTextError:
        mended = readable_duration(said.value)
        message = f"{what} cannot be `{said.value[:60]}`."
        if mended is None:
            reader.problem(said.extent, message, _EXAMPLE)
            return None
        reader.problem(said.extent, message, f"Write {mended}.")
        return ValueAt(mended, said.extent)
    return ValueAt(said.value, said.extent)


def _interval(reader: Reader) -> ValueAt[int | str] | None:
    """INTERVAL '5' MINUTE and INTERVAL 5 MINUTES: a fault that says how it is written here."""
    first = reader.at
    reader.take()
    sign = "-" if reader.accept("-") else ""
    count = reader.take().value.strip() if reader.peek().kind in (TokenKind.STRING, TokenKind.NUMBER) else ""
    if count.isdigit() and reader.peek().kind is TokenKind.WORD and _unit(reader.word().lower()):
        count += reader.take().value
    mended = readable_duration(sign + count)
    remedy = f"Write {mended or 'the number with its unit'} alone" + ("." if mended else ", such as 5m.")
    reader.problem(reader.since(first), "Durations are written without INTERVAL.", remedy)
    return ValueAt(mended, reader.since(first)) if mended else None


def take_whole(reader: Reader, what: str, least: int, most: int) -> ValueAt[int] | None:
    """Take a whole number from `least` to `most`; None with a fault for anything else."""
    token = reader.peek()
    if token.kind is not TokenKind.NUMBER and not (token.word == "-" and reader.peek(1).kind is TokenKind.NUMBER):
        reader.missing(what, "Write a whole number.")
        return None
    reader.take()
    extent = token.extent if token.kind is TokenKind.NUMBER else over(token.extent, reader.take().extent)
    written = reader.text[extent[0] : extent[1]]
    if not _WHOLE.fullmatch(written) or not least <= int(re.sub(r"\s", "", written)) <= most:
        remedy = "Write a whole number." if most == ANY_WHOLE else f"Write a whole number from {least} to {most}."
        reader.problem(extent, f"{what} cannot be `{written[:60]}`.", remedy)
        return None
    return ValueAt(int(re.sub(r"\s", "", written)), extent)


def take_fraction(reader: Reader, what: str) -> ValueAt[float] | None:
    """Take a number from 0 to 1; None with a fault for anything else."""
    first = reader.at
    if reader.word() in ("-", "."):
        reader.take()
    if reader.peek().kind is not TokenKind.NUMBER:
        reader.missing(what, "Write for example 0.95.")
        return None
    reader.take()
    if reader.word() == "-" and reader.text[reader.peek().start - 1] in "eE":  # the exponent of 1e-05
        reader.take()
        reader.take()
    extent = reader.since(first)
    written = reader.text[extent[0] : extent[1]]
    try:
        value = float(written)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        reader.problem(extent, f"{what} cannot be `{written[:60]}`.", "Write a number from 0 to 1, such as 0.95.")
        return None
    return ValueAt(value, extent)
