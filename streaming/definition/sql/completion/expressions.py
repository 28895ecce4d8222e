"""Completion inside an expression."""

from collections.abc import Iterator, Sequence

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.payload.types import Fields, Struct
from streaming.definition.sql.completion.items import OfferedItem, aggregates, fields, functions, keywords, types
from streaming.definition.sql.completion.scope import CompletionScope
from streaming.definition.sql.grammar.words import expects_value
from streaming.definition.tokens import SqlToken, TokenKind

Tail = Sequence[SqlToken]


def value_expected(tail: Tail) -> bool:
    """Return whether the tokens must be followed by a value instead of an operator."""
    if not tail:
        return True
    last = tail[-1]
    return (
        expects_value(last.word)
        if last.kind is TokenKind.WORD
        else last.kind is TokenKind.SYMBOL and last.word not in ("()", "]")
    )


def expressions(scope: CompletionScope, tail: Tail, *, aggregates_too: bool = False) -> Iterator[OfferedItem]:
    """Yield fields, functions and words for the end of the tokens; aggregates in a SELECT list, but not nested."""
    words = [token.word for token in tail]
    inside = _called(words)
    if words[-2:] == ["FILTER", "("]:
        yield from keywords("WHERE")
    elif inside == "CAST" and words[-1] == "AS":
        yield from types()
    elif value_expected(tail):
        yield from _fields(scope)
        if aggregates_too and inside.lower() not in AGGREGATES:
            yield from aggregates()
        yield from functions(scope.functions)
        yield from keywords("CASE", "CAST", "NOT", "NULL", "TRUE", "FALSE", "TIMESTAMP")
        yield from keywords("WHEN") if words[-1:] == ["CASE"] else ()
    elif words[-1] == "IS":
        yield from keywords("NULL", "NOT NULL")
    else:
        yield from _operators(words, inside)


def _operators(words: list[str], inside: str) -> Iterator[OfferedItem]:
    if words[-1] == "()" and len(words) > 1 and words[-2].lower() in AGGREGATES:
        yield from keywords("FILTER")
    if words.count("CASE") > words.count("END"):
        yield from keywords("WHEN", "THEN", "ELSE", "END")
    if inside == "CAST":
        yield from keywords("AS")
    yield from keywords("AND", "OR", "IS NULL", "IS NOT NULL", "IN", "NOT IN", "LIKE", "BETWEEN")


def _called(words: list[str]) -> str:
    """Return the function whose parenthesis is open at the end; empty without one or for a grouping parenthesis."""
    opened = [index for index, word in enumerate(words) if word == "("]
    return words[opened[-1] - 1] if opened and opened[-1] else ""


def _fields(scope: CompletionScope) -> Iterator[OfferedItem]:
    """Yield the fields of the sources; a field that several sources have comes last, with the name of its source."""
    seen: dict[str, int] = {}
    for source in scope.sources:
        for name in source.fields:
            seen[name] = seen.get(name, 0) + 1
    for source in scope.sources:
        alone = {name: of for name, of in source.fields.items() if seen[name] == 1}
        yield from fields(alone, source.name if len(scope.sources) > 1 else "")
    for source in scope.sources:
        shared = {name: of for name, of in source.fields.items() if seen[name] > 1}
        yield from fields(shared, source.name, qualifier=source.name)


def after_point(scope: CompletionScope, tail: Tail, *, facets: bool = False) -> Iterator[OfferedItem]:
    """Yield the fields after a point: of a source, of the payload (`_value`), or of a struct."""
    path: list[str] = []
    index = len(tail) - 1
    while index > 0 and tail[index].word == "." and tail[index - 1].kind in (TokenKind.WORD, TokenKind.QUOTED):
        path.insert(0, tail[index - 1].value)
        index -= 2
    if not path or (facets and path[0] in ("_key", "_meta")):
        return
    yield from fields(_fields_of(scope, path), ".".join(path))


def _fields_of(scope: CompletionScope, path: list[str]) -> Fields:
    source = next((each for each in scope.sources if each.name == path[0]), None)
    inside: Fields = scope.fields
    if source is not None:
        inside, path = source.fields, path[1:]
    if path[:1] == ["_value"]:
        path = path[1:]
    for step in path:
        of = inside.get(step)
        inside = dict(of.fields) if isinstance(of, Struct) else {}
    return inside
