"""What may stand at the cursor where sources are read: names, joins, operators, and the clauses behind them."""

from collections.abc import Iterator, Sequence
from typing import Final

from streaming.definition.sql.completion.expressions import expressions
from streaming.definition.sql.completion.items import Item, keywords, nodes, streams
from streaming.definition.sql.completion.scope import Scope
from streaming.definition.tokens import SqlToken, TokenKind

Tail = Sequence[SqlToken]
_JOINS: Final = ("JOIN", "LEFT JOIN", "ANTI JOIN", "SEMI JOIN", "ASOF JOIN", "LEFT ASOF JOIN")
_FOLLOWING: Final = ("WHERE", "WINDOW BY", "GROUP BY", "TOP", "HAVING", "EMIT", "RETRACT", "EMPTY", "UNION ALL")
GOES_ON: Final = {
    "INSERT": ("INTO",),
    "ADVANCE": ("TIME",),
    "WINDOW": ("BY",),
    "GROUP": ("BY",),
    "GRACE": ("BY",),
    "EVENTTIME": ("BY",),
    "SET": ("DURATION",),
    "POINT": ("AT END",),
    "AT": ("END",),
    "TO": ("INTERVALS",),
    "ORDER": ("EDGES",),
    "UNION": ("ALL",),
    "LEFT": ("JOIN", "ANTI JOIN", "SEMI JOIN", "ASOF JOIN", "OUTER JOIN"),
    "INNER": ("JOIN",),
    "OUTER": ("JOIN",),
    "ANTI": ("JOIN",),
    "SEMI": ("JOIN",),
    "ASOF": ("JOIN",),
    "IS": ("NULL", "NOT NULL"),
}
"""What goes on with a word that is half of two."""


def _sources(scope: Scope) -> Iterator[Item]:
    yield from nodes(scope.steps, scope.schemas)
    yield from streams(scope.streams)
    yield from keywords("STREAM", "NODE")


def _named(scope: Scope, tail: Tail) -> Iterator[Item]:
    """The name of a source, if it is due."""
    if not tail:
        yield from _sources(scope)
    elif tail[-1].word == "STREAM":
        yield from streams(scope.streams)
    elif tail[-1].word == "NODE":
        yield from nodes(dict.fromkeys((*scope.steps, *scope.nodes, *scope.inputs)), scope.schemas)


def _is_due(tail: Tail) -> bool:
    return not tail or tail[-1].word in ("STREAM", "NODE")


def after_from(scope: Scope, tail: Tail) -> Iterator[Item]:
    """Behind FROM: a source, then what goes on with it."""
    if _is_due(tail):
        yield from _named(scope, tail)
    elif tail[-1].word != "AS":
        yield from _after_source(scope, tail)


def after_join(scope: Scope, tail: Tail) -> Iterator[Item]:
    """Behind JOIN: a source, then its condition."""
    if _is_due(tail):
        yield from _named(scope, tail)
    elif tail[-1].word != "AS":
        yield from keywords("ON", "USING")
        yield from _after_source(scope, tail)


def _after_source(scope: Scope, tail: Tail) -> Iterator[Item]:
    if tail[-1].word in GOES_ON:
        yield from keywords(*GOES_ON[tail[-1].word])
        return
    yield from keywords("AS", "EVENTTIME BY")
    yield from following(scope)


def following(scope: Scope) -> Iterator[Item]:
    """The clauses that may follow at the cursor and do not stand in this SELECT yet."""
    if scope.spot.depth:
        return
    said = {token.word for token in (*scope.spot.before, *scope.spot.after) if token.kind is TokenKind.WORD}
    if not said & {"SELECT"}:
        return
    if not said & {"WHERE", "WINDOW", "GROUP", "HAVING"}:
        yield from keywords(*_JOINS)
    yield from keywords(*(word for word in _FOLLOWING if word.split()[0] not in said))


def source_by(scope: Scope, tail: Tail) -> Iterator[Item]:
    """CLIP, SHIFT and EXTEND: a source, BY, and another source or a duration."""
    if _is_due(tail):
        yield from _named(scope, tail)
    elif "BY" not in [token.word for token in tail]:
        yield from keywords("BY")
    elif "CLIP" in [token.word for token in scope.spot.before]:
        behind = tail[[token.word for token in tail].index("BY") + 1 :]
        yield from _named(scope, behind) if _is_due(behind) else keywords("ON")


def set_duration(scope: Scope, tail: Tail) -> Iterator[Item]:
    """SET DURATION: a source, TO, and a duration or an expression."""
    words = [token.word for token in tail]
    if _is_due(tail):
        yield from _named(scope, tail)
    elif "TO" not in words:
        yield from keywords("TO")
    else:
        yield from expressions(scope, tail[words.index("TO") + 1 :])


def source_alone(scope: Scope, tail: Tail) -> Iterator[Item]:
    """POINT AT END, TO INTERVALS and ORDER EDGES: a source."""
    yield from _named(scope, tail)
