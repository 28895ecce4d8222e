"""Completion of sources: names, joins, operators, and the clauses after them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from streaming.definition.sql.completion.expressions import expressions
from streaming.definition.sql.completion.items import OfferedItem, keywords, nodes, streams
from streaming.definition.sql.completion.scope import CompletionScope
from streaming.definition.sql.grammar.clauses import CLAUSES, JOINS, OPERATORS, STATEMENTS, UNION
from streaming.definition.sql.grammar.rows import ArgumentKind, KeywordRow, OperatorRow
from streaming.definition.tokens import SqlToken, TokenKind

Tail = Sequence[SqlToken]


def _halves(rows: Iterable[KeywordRow]) -> dict[str, tuple[str, ...]]:
    following: dict[str, dict[str, None]] = {}
    for row in rows:
        words = row.words.split()
        for index in range(1, len(words)):
            following.setdefault(words[index - 1], {})[" ".join(words[index:])] = None
    return {word: tuple(others) for word, others in following.items()}


CONTINUATIONS: Final = _halves((*STATEMENTS, *JOINS, *OPERATORS, *CLAUSES, UNION))
"""The words that may follow the first word of a keyword of several words."""


def _sources(scope: CompletionScope) -> Iterator[OfferedItem]:
    yield from nodes(scope.steps, scope.schemas)
    yield from streams(scope.streams)
    yield from keywords("STREAM", "NODE")


def _named(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    """Yield names of sources, if one is expected."""
    if not tail:
        yield from _sources(scope)
    elif tail[-1].word == "STREAM":
        yield from streams(scope.streams)
    elif tail[-1].word == "NODE":
        yield from nodes(dict.fromkeys((*scope.steps, *scope.nodes, *scope.inputs)), scope.schemas)


def _is_due(tail: Tail) -> bool:
    return not tail or tail[-1].word in ("STREAM", "NODE")


def after_from(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    """Yield items after FROM: a source, then the clauses after it."""
    if _is_due(tail):
        yield from _named(scope, tail)
    elif tail[-1].word != "AS":
        yield from _after_source(scope, tail)


def after_join(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    """Yield items after JOIN: a source, then its condition."""
    if _is_due(tail):
        yield from _named(scope, tail)
    elif tail[-1].word != "AS":
        yield from keywords("ON", "USING")
        yield from _after_source(scope, tail)


def _after_source(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    if tail[-1].word in CONTINUATIONS:
        yield from keywords(*CONTINUATIONS[tail[-1].word])
        return
    yield from keywords("AS", "EVENTTIME BY")
    yield from following(scope)


def following(scope: CompletionScope) -> Iterator[OfferedItem]:
    """Yield the clauses that may follow at the cursor and are not in this SELECT yet."""
    if scope.spot.depth:
        return
    present = {token.word for token in (*scope.spot.before, *scope.spot.after) if token.kind is TokenKind.WORD}
    if not present & {"SELECT"}:
        return
    if not present & {"WHERE", "WINDOW", "GROUP", "HAVING"}:
        yield from keywords(*(join for join in JOINS if join.form))
    yield from keywords(*(row for row in CLAUSES if row.offered and row.first not in present))
    yield from keywords(*([UNION] if UNION.first not in present else []))


def operator(form: OperatorRow, scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    """Yield items for an operator: a source, then its words with another source, a duration or an expression."""
    words = [token.word for token in tail]
    second = form.arguments[0].words if form.arguments else "BY" if form.kind == "clip" else ""
    if _is_due(tail):
        yield from _named(scope, tail)
    elif second and second not in words:
        yield from keywords(KeywordRow(second))
    elif form.kind == "clip":
        rest = tail[words.index(second) + 1 :]
        yield from _named(scope, rest) if _is_due(rest) else keywords("ON")
    elif any(argument.takes is ArgumentKind.EXPRESSION for argument in form.arguments):
        yield from expressions(scope, tail[words.index(second) + 1 :])
