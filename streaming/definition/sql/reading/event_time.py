"""EVENTTIME BY: where the time of a stream's events stands."""

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
    """Take `EVENTTIME BY path [UNIT unit] [ZONE 'zone']` if it stands here, without a name of the source before it."""
    first = reader.at
    if not reader.accept("EVENTTIME", "BY"):
        return None
    return take_path(reader, first, qualifiers)


def take_path(reader: Reader, first: int, qualifiers: Set[str] = _NONE) -> EventTimeSyntax:
    """Take what stands behind EVENTTIME BY, which begins at the token `first`."""
    values: dict[str, str] = {}
    places: dict[str, Extent] = {}
    path = _take_steps(reader, qualifiers)
    if path is not None:
        values["path"], places["event_time.path"] = path.value, path.extent
    while reader.word() in ("UNIT", "ZONE"):
        keyword = reader.take()
        key = keyword.word.lower()
        said = _take_unit(reader) if key == "unit" else _take_zone(reader)
        if key in values:
            remedy = "Leave one of them out."
            reader.problem(keyword.extent, f"{keyword.word} stands twice behind EVENTTIME BY.", remedy)
        elif said is not None:
            values[key], places[f"event_time.{key}"] = said.value, said.extent
    places["event_time"] = reader.since(first)
    return EventTimeSyntax(values if path else None, places, reader.since(first))


def _take_steps(reader: Reader, qualifiers: Set[str]) -> ValueAt[str] | None:
    first, token = reader.at, reader.peek()
    if token.kind is TokenKind.STRING:  # a path that no name can write
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
            reader.problem(
                reader.here(), f"A name is due behind the point, and {reader.shown()} stands there.", _REMEDY
            )
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
    """The next token as it stands in the text, with its backticks."""
    return reader.text[slice(*reader.take().extent)]


def _take_unit(reader: Reader) -> ValueAt[str] | None:
    token = reader.peek()
    if token.kind is TokenKind.WORD and token.value.lower() in _UNITS:
        reader.take()
        return ValueAt(token.value.lower(), token.extent)
    remedy = "Write s, ms, us or ns for numbers, or iso for text such as 2026-01-31T12:00:00Z."
    reader.problem(reader.here(), f"{reader.shown()} is no unit of time.", remedy)
    if token.kind in (TokenKind.WORD, TokenKind.STRING):
        reader.take()
    return None


def _take_zone(reader: Reader) -> ValueAt[str] | None:
    token = reader.peek()
    remedy = "Write the name of a zone in quotation marks, such as 'Europe/Berlin'."
    if token.kind is not TokenKind.STRING:
        reader.missing("The zone", remedy)
        if token.kind is TokenKind.WORD and reader.at_name():
            reader.take()
        return None
    reader.take()
    return ValueAt(token.value, token.extent)
