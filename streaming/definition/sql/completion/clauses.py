"""Completion by clause: each clause has a function that yields its items, the best first."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.sql.completion.expressions import after_point, expressions, value_expected
from streaming.definition.sql.completion.items import OfferedItem, fields, keywords
from streaming.definition.sql.completion.scope import CompletionScope, KnownSource
from streaming.definition.sql.completion.settings import settings
from streaming.definition.sql.completion.sources import CONTINUATIONS, after_from, after_join, following, operator
from streaming.definition.sql.grammar.clauses import (
    CLAUSES,
    OPERATORS,
    PATTERN,
    SELECT,
    STATEMENTS,
    STREAM,
    TIMESTAMP,
    UNIT,
    ZONE,
)
from streaming.definition.sql.grammar.rows import ArgumentKind, ClauseRow, KeywordRow
from streaming.definition.sql.grammar.windows import DISCARD, WINDOW_BY_WORD, WINDOWS
from streaming.definition.sql.grammar.words import BY_CLAUSE
from streaming.definition.sql.printing.words import name as written
from streaming.definition.tokens import SqlToken, TokenKind

Tail = Sequence[SqlToken]


def items_at(scope: CompletionScope) -> Iterator[OfferedItem]:
    """Yield all items for the cursor, the best first."""
    clause, tail = _clause(scope.spot.before)
    if tail and tail[-1].word == "." and clause not in ("FROM", "JOIN", "ADVANCE TIME"):
        yield from after_point(scope, tail, facets=clause == "EVENTTIME BY")
    else:
        yield from _CLAUSES[clause](scope, tail)


def _clause(tokens: Tail) -> tuple[str, Tail]:
    """Return the clause of the cursor, and its tokens so far."""
    clause, first = "", 0
    for index, token in enumerate(tokens):
        if token.kind is not TokenKind.WORD or (index and tokens[index - 1].word in (".", "AS")):
            continue
        following = tokens[index + 1].word if index + 1 < len(tokens) else ""
        words = next((words for words in ((token.word, following), (token.word,)) if words in _BEGINS), None)
        if words is None or (words == ("ON",) and clause == "EMIT"):
            continue
        clause, first = _BEGINS[words], index + len(words)
        if clause == "ADVANCE TIME":
            break
    return clause, tokens[first:]


# Statements


def _start(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    """Yield the start of a statement, or the next word of one that is already started."""
    last = tail[-1].word if tail else ""
    if last in CONTINUATIONS:
        yield from keywords(*CONTINUATIONS[last])
    elif not tail:
        inner = len(scope.spot.statement) > 0
        begins = () if inner else STATEMENTS
        yield from keywords(SELECT, *begins, *OPERATORS, STREAM)


def _with(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    last = tail[-1] if tail else None
    if last is not None and last.word == "()":
        yield from keywords("INSERT INTO", SELECT, *OPERATORS)
    elif last is not None and last.word not in (",", "AS", "("):
        yield from keywords("AS")
    del scope


def _insert(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    if tail:
        yield from keywords(SELECT, TIMESTAMP, *OPERATORS, STREAM)
    del scope


def _timestamp(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    if tail:
        yield from keywords(SELECT, *OPERATORS, STREAM)
    else:
        yield from keywords(*TIMESTAMP.choices)
    del scope


# Clauses of SELECT


def _select(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    if [token.word for token in tail if token.word != "STREAM"] == ["*"]:
        yield from keywords("FROM")
        return
    if tail and tail[-1].word == "AS" and not scope.spot.depth:
        return
    if not tail:
        yield from keywords("STREAM")
    items = tail[1:] if tail and tail[0].word == "STREAM" else tail
    if not items:
        yield OfferedItem("*", "keyword", "all fields", "Every field of the sources.", "*")
    yield from expressions(scope, items, aggregates_too=True)
    if not scope.spot.depth and items and not value_expected(items):
        yield from keywords("AS") if "AS" not in _item(items) else ()
        yield from keywords("FROM")


def _item(tail: Tail) -> list[str]:
    """Return the words of the last item of a list."""
    words = [token.word for token in tail]
    return words[len(words) - words[::-1].index(",") :] if "," in words else words


def _condition(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    yield from expressions(scope, tail)
    if tail and not value_expected(tail):
        yield from following(scope)


def _having(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    """Yield items for HAVING: names of result columns, the groups, and aggregates over all fields."""
    due = value_expected(tail)
    if due and not scope.spot.depth:
        yield from _results(scope)
        groups = {name: of for name, of in scope.fields.items() if name in _grouped(scope)}
        scope = replace(scope, fixed=(KnownSource("", "", groups),))
    yield from expressions(scope, tail, aggregates_too=True)
    if tail and not due:
        yield from following(scope)


def _grouped(scope: CompletionScope) -> set[str]:
    """Return the names after GROUP BY."""
    names: set[str] = set()
    grouping = False
    for token in (*scope.spot.before, *scope.spot.after):
        if token.word in BY_CLAUSE:
            grouping = token.word == "GROUP"
        elif grouping and token.kind in (TokenKind.WORD, TokenKind.QUOTED):
            names.add(token.value)
    return names


def _results(scope: CompletionScope) -> Iterator[OfferedItem]:
    """Yield the names of items that are a single aggregate; the others are computed only after HAVING."""
    item: list[SqlToken] = []
    for token in (*scope.spot.before, *scope.spot.after):
        if token.word in ("SELECT", "STREAM", ",", "FROM"):
            words = [each.word for each in item]
            plain = set(words[1:-2]) <= {"()", "FILTER"} and words[-2:-1] == ["AS"]
            if plain and words[0].lower() in AGGREGATES:
                yield OfferedItem(item[-1].value, "field", "result", "", written(item[-1].value))
            item = []
        else:
            item.append(token)
        if token.word == "FROM":
            return


def _on(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    if value_expected(tail):
        yield from _equalities(scope)
    yield from _condition(scope, tail)


def _equalities(scope: CompletionScope) -> Iterator[OfferedItem]:
    """Yield `a.k = b.k` for each field that the last source shares with one before it."""
    *lefts, right = scope.sources or (None,)
    for left in lefts:
        for name, of in left.fields.items() if left and right else ():
            if right and right.fields.get(name) == of:
                text = f"{written(left.name)}.{written(name)} = {written(right.name)}.{written(name)}"
                yield OfferedItem(text, "field", str(of), "A key: both sides have it.", text)


def _using(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    if not tail or not scope.spot.depth:
        yield from following(scope) if tail else ()
        return
    *lefts, right = scope.sources or (None,)
    shared = {
        name: of for left in lefts if left and right for name, of in left.fields.items() if right.fields.get(name) == of
    }
    yield from fields(shared)


def _window(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    words = [token.word for token in tail]
    form = WINDOW_BY_WORD.get(words[0]) if words else None
    if not tail:
        yield from keywords(*WINDOWS)
    elif form and len(words) == 1 and form.arguments and form.arguments[0].choices:
        yield from keywords(*form.arguments[0].choices)
    elif words[-1] not in _AMOUNTS:
        options = form.options if form else ()
        yield from keywords(*(option for option in options if option.words not in words))
        yield from keywords(*(() if DISCARD in options else ("GRACE BY",)))
        yield from following(scope)


_AMOUNTS: Final = frozenset({",", "-", *(form.words for form in WINDOWS if form.arguments)}) | {
    option.words for form in WINDOWS for option in form.options
}
"""After these words comes a number or a duration, which completion cannot offer."""


def _group(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    if value_expected(tail):
        named = [token.value for token in tail]
        yield from fields({name: of for name, of in scope.fields.items() if name not in named})
    else:
        yield from following(scope)


def _top(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    words = [token.word for token in tail]
    if "BY" in words:
        yield from _condition(scope, tail[words.index("BY") + 1 :])
    elif tail:
        yield from keywords("BY")


def _fields(row: ClauseRow, scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    """Yield items for a clause that consists of its arguments: choices of the first, then the words of the others."""
    words = [token.word for token in tail]
    first, *others = row.arguments
    rest = [each.words.partition(" ")[2] for each in first.choices if each.words.partition(" ")[0] == "".join(words)]
    if not tail and first.takes is not ArgumentKind.NOTHING:
        yield from keywords(*first.choices)
    elif any(rest):
        yield from keywords(*map(KeywordRow, rest))
    elif words[-1:] == ["DEFAULT"]:
        yield from keywords(*others)
    elif row.first == "EMPTY" and scope.spot.depth:
        yield from fields(scope.fields) if words[-1] in ("(", ",") else ()
    elif not words or words[-1] not in ("GAP", "GROUPS"):
        yield from keywords("GROUPS") if "GROUPS" not in words and "DEFAULT" in words else ()
        yield from following(scope)


def _event_time(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    words = [token.word for token in tail]
    if not tail:
        yield from fields(scope.fields)
        for facet, of in (("_key", "the row's key"), ("_value", "the payload"), ("_meta", "metadata of the adapter")):
            yield OfferedItem(facet, "field", of, "", f"{facet}.")
    elif words[-1] == "UNIT":
        yield from keywords(*UNIT.choices)
    elif words[-1] not in ("PATTERN", "ZONE"):
        yield from keywords(*(each for each in (UNIT, PATTERN, ZONE) if each.words not in words), "AS")
        yield from following(scope)


def _nothing(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    del scope, tail
    yield from ()


_CLAUSES: Final[dict[str, Callable[[CompletionScope, Tail], Iterator[OfferedItem]]]] = {
    "": _start,
    "QUERY": _nothing,
    "ADVANCE TIME": settings,
    "WITH": _with,
    "INSERT INTO": _insert,
    "TIMESTAMP BY": _timestamp,
    "SELECT": _select,
    "FROM": after_from,
    "JOIN": after_join,
    "ON": _on,
    "USING": _using,
    **{form.words: partial(operator, form) for form in OPERATORS},
    **{row.words: partial(_fields, row) for row in CLAUSES if row.arguments},
    "EVENTTIME BY": _event_time,
    "WHERE": _condition,
    "HAVING": _having,
    "TOP": _top,
    "WINDOW BY": _window,
    "GROUP BY": _group,
}
_BEGINS: Final = {tuple(words.split()[-2:]): words for words in _CLAUSES if words}
