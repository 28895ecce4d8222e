"""EVENTTIME BY: the path to the time of a stream's events."""

from collections.abc import Set
from typing import Final

from streaming.definition.sql.grammar.clauses import UNIT
from streaming.definition.sql.reading.reader import Reader, ValueAt
from streaming.definition.sql.reading.tree import EventTimeSyntax
from streaming.definition.tokens import Extent, TokenKind

_NONE: Final[frozenset[str]] = frozenset()
_UNITS: Final = frozenset(each.words for each in UNIT.choices)
_REMEDY: Final = "Write the path of a field: started_at, details.started_at, _key.started_at or _meta.timestamp."


def take_event_time(reader: Reader, qualifiers: Set[str] = _NONE) -> EventTimeSyntax | None:
    """Read `EVENTTIME BY path [UNIT unit | PATTERN 'pattern'] [ZONE 'zone']` if it is next, without its source."""
    first = reader.at
    if not reader.accept("EVENTTIME", "BY"):
        return None
    return take_path(reader, first, qualifiers)


def take_path(reader: Reader, first: int, qualifiers: Set[str] = _NONE) -> EventTimeSyntax:
    """Read the path and options after EVENTTIME BY, which starts at the token `first`."""
    values: dict[str, str] = {}
    places: dict[str, Extent] = {}
    path = _take_steps(reader, qualifiers)
    if path is not None:
        values["path"], places["event_time.path"] = path.value, path.extent
    while reader.word() in ("UNIT", "PATTERN", "ZONE"):
        keyword = reader.take()
        key = keyword.word.lower()
        value = _take_unit(reader) if key == "unit" else reader.quoted(*_QUOTED[key])
        if key in values:
            remedy = "Leave one of them out."
            reader.problem(keyword.extent, f"EVENTTIME BY has {keyword.word} twice.", remedy)
        elif value is not None:
            values[key], places[f"event_time.{key}"] = value.value, value.extent
    if "pattern" in values:
        values.setdefault("unit", "pattern")
    places["event_time"] = reader.since(first)
    return EventTimeSyntax(values if path else None, places, reader.since(first))


def _take_steps(reader: Reader, qualifiers: Set[str]) -> ValueAt[str] | None:
    first, token = reader.at, reader.peek()
    if token.kind is TokenKind.STRING:  # a path that cannot be written as names
        reader.take()
        return ValueAt(token.value, token.extent) if token.value else None
    if not reader.at_name():
        if token.word in ("<", "$"):
            return reader.name("The path of the time", "started_at")
        reader.missing("The path of the time", _REMEDY)
        return None
    steps = [_written(reader)]
    while reader.accept("."):
        if reader.peek().kind not in (TokenKind.WORD, TokenKind.QUOTED):
            reader.problem(reader.here(), f"Expected a name after the point, found {reader.describe_next()}.", _REMEDY)
            return None
        steps.append(_written(reader))
    extent = reader.since(first)
    if reader.word() == "(":
        reader.at = min(reader.partners.get(reader.at, reader.at), reader.end - 1) + 1
        reader.problem(reader.since(first), "EVENTTIME BY takes a field, not an expression.", _REMEDY)
        return None
    if len(steps) > 1 and steps[0] in qualifiers:
        steps = steps[1:]
    return ValueAt(".".join(steps), extent)


def _written(reader: Reader) -> str:
    """Return the next token as written, with its backticks."""
    return reader.text[slice(*reader.take().extent)]


def _take_unit(reader: Reader) -> ValueAt[str] | None:
    token = reader.peek()
    if token.kind is TokenKind.WORD and token.value.lower() in _UNITS:
        reader.take()
        return ValueAt(token.value.lower(), token.extent)
    remedy = "Write s, ms, us, ns or excel for numbers, or iso for text such as 2026-01-31T12:00:00Z."
    reader.problem(reader.here(), f"{reader.describe_next(capital=True)} is not a unit of time.", remedy)
    if token.kind in (TokenKind.WORD, TokenKind.STRING):
        reader.take()
    return None


_QUOTED: Final = {
    "zone": ("The zone", "Write the name of a zone in quotation marks, such as 'Europe/Berlin'."),
    "pattern": ("The pattern", "Write the format of the time in quotation marks, such as 'dd.MM.yyyy HH:mm[:ss]'."),
}
