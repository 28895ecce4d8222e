"""What may stand at the cursor where sources are read: names, joins, operators, and the clauses behind them."""

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
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        words = row.words.split()
        for index in range(1, len(words)):
            found.setdefault(words[index - 1], {})[" ".join(words[index:])] = None
    return {word: tuple(others) for word, others in found.items()}


GOES_ON: Final = _halves((*STATEMENTS, *JOINS, *OPERATORS, *CLAUSES, UNION))
"""What goes on with a word that is half of two."""


def _sources(scope: CompletionScope) -> Iterator[OfferedItem]:
    yield from nodes(scope.steps, scope.schemas)
    yield from streams(scope.streams)
    yield from keywords("STREAM", "NODE")


def _named(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    """The name of a source, if it is due."""
    if not tail:
        yield from _sources(scope)
    elif tail[-1].word == "STREAM":
        yield from streams(scope.streams)
    elif tail[-1].word == "NODE":
        yield from nodes(dict.fromkeys((*scope.steps, *scope.nodes, *scope.inputs)), scope.schemas)


def _is_due(tail: Tail) -> bool:
    return not tail or tail[-1].word in ("STREAM", "NODE")


def after_from(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    """Behind FROM: a source, then what goes on with it."""
    if _is_due(tail):
        yield from _named(scope, tail)
    elif tail[-1].word != "AS":
        yield from _after_source(scope, tail)


def after_join(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    """Behind JOIN: a source, then its condition."""
    if _is_due(tail):
        yield from _named(scope, tail)
    elif tail[-1].word != "AS":
        yield from keywords("ON", "USING")
        yield from _after_source(scope, tail)


def _after_source(scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    if tail[-1].word in GOES_ON:
        yield from keywords(*GOES_ON[tail[-1].word])
        return
    yield from keywords("AS", "EVENTTIME BY")
    yield from following(scope)


def following(scope: CompletionScope) -> Iterator[OfferedItem]:
    """The clauses that may follow at the cursor and do not stand in this SELECT yet."""
    if scope.spot.depth:
        return
    said = {token.word for token in (*scope.spot.before, *scope.spot.after) if token.kind is TokenKind.WORD}
    if not said & {"SELECT"}:
        return
    if not said & {"WHERE", "WINDOW", "GROUP", "HAVING"}:
        yield from keywords(*(join for join in JOINS if join.form))
    yield from keywords(*(row for row in CLAUSES if row.offered and row.first not in said))
    yield from keywords(*([UNION] if UNION.first not in said else []))


def operator(form: OperatorRow, scope: CompletionScope, tail: Tail) -> Iterator[OfferedItem]:
    """An operator: a source, then its words with another source, a duration or an expression."""
    words = [token.word for token in tail]
    second = form.arguments[0].words if form.arguments else "BY" if form.kind == "clip" else ""
    if _is_due(tail):
        yield from _named(scope, tail)
    elif second and second not in words:
        yield from keywords(KeywordRow(second))
    elif form.kind == "clip":
        behind = tail[words.index(second) + 1 :]
        yield from _named(scope, behind) if _is_due(behind) else keywords("ON")
    elif any(argument.takes is ArgumentKind.EXPRESSION for argument in form.arguments):
        yield from expressions(scope, tail[words.index(second) + 1 :])
