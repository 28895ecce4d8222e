"""What may stand at the cursor, clause by clause: each has a function that gives its items, the best first."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from streaming.definition.sql.completion_expressions import after_point, expressions, value_due
from streaming.definition.sql.completion_items import Item, fields, keywords, nodes, streams, units
from streaming.definition.sql.completion_scope import Scope, Source
from streaming.definition.sql.completion_settings import settings
from streaming.definition.sql.lex import Kind, Token
from streaming.definition.sql.print_words import name as written

Tail = Sequence[Token]
_SINGLE: Final = frozenset({"SELECT", "FROM", "JOIN", "ON", "USING", "WHERE", "HAVING", "TOP", "EMIT", "EMPTY"}) | {
    *("RETRACT", "CLIP", "SHIFT", "EXTEND", "QUERY", "WITH")
}
_DOUBLE: Final = {
    ("WINDOW", "BY"): "WINDOW BY",
    ("GROUP", "BY"): "GROUP BY",
    ("GRACE", "BY"): "GRACE BY",
    ("EVENTTIME", "BY"): "EVENTTIME BY",
    ("TIMESTAMP", "BY"): "TIMESTAMP BY",
    ("INSERT", "INTO"): "INSERT INTO",
    ("ADVANCE", "TIME"): "ADVANCE TIME",
    ("SET", "DURATION"): "SET DURATION",
    ("AT", "END"): "SOURCE",
    ("TO", "INTERVALS"): "SOURCE",
    ("ORDER", "EDGES"): "SOURCE",
}
_OPERATORS: Final = ("CLIP", "SHIFT", "EXTEND", "SET DURATION", "POINT AT END", "TO INTERVALS", "ORDER EDGES")
_JOINS: Final = ("JOIN", "LEFT JOIN", "ANTI JOIN", "SEMI JOIN", "ASOF JOIN", "LEFT ASOF JOIN")
_FOLLOWING: Final = ("WHERE", "WINDOW BY", "GROUP BY", "TOP", "HAVING", "EMIT", "RETRACT", "EMPTY", "UNION ALL")


def items_at(scope: Scope) -> Iterator[Item]:
    """All that may stand at the cursor, the best first."""
    clause, tail = _clause(scope.spot.before)
    if clause == "ADVANCE TIME":
        yield from settings(scope, tail)
    elif tail and tail[-1].word == "." and clause not in ("FROM", "JOIN"):
        yield from after_point(scope, tail, facets=clause == "EVENTTIME BY")
    else:
        yield from _CLAUSES[clause](scope, tail)


def _clause(tokens: Tail) -> tuple[str, Tail]:
    """The clause that the cursor stands in, and the tokens of it so far."""
    clause, first = "", 0
    for index, token in enumerate(tokens):
        if token.kind is not Kind.WORD or (index and tokens[index - 1].word in (".", "AS")):
            continue
        following = tokens[index + 1].word if index + 1 < len(tokens) else ""
        if (token.word, following) in _DOUBLE:
            clause, first = _DOUBLE[token.word, following], index + 2
            if clause == "ADVANCE TIME":
                break
        elif token.word in _SINGLE and not (token.word == "ON" and clause == "EMIT"):
            clause, first = token.word, index + 1
    return clause, tokens[first:]


# Statements


def _start(scope: Scope, tail: Tail) -> Iterator[Item]:
    """What begins a statement, or goes on with one that has begun."""
    last = tail[-1].word if tail else ""
    if last in _GOES_ON:
        yield from keywords(*_GOES_ON[last])
    elif not tail:
        inner = len(scope.spot.statement) > 0
        begins = () if inner else ("INSERT INTO", "WITH", "ADVANCE TIME", "QUERY")
        yield from keywords("SELECT STREAM", *begins, *_OPERATORS, "STREAM")


_GOES_ON: Final = {
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


def _with(scope: Scope, tail: Tail) -> Iterator[Item]:
    last = tail[-1] if tail else None
    if last is not None and last.word == "()":
        yield from keywords("INSERT INTO", "SELECT STREAM", *_OPERATORS)
    elif last is not None and last.word not in (",", "AS", "("):
        yield from keywords("AS")
    del scope


def _insert(scope: Scope, tail: Tail) -> Iterator[Item]:
    if tail:
        yield from keywords("SELECT STREAM", "TIMESTAMP BY", *_OPERATORS, "STREAM")
    del scope


def _timestamp(scope: Scope, tail: Tail) -> Iterator[Item]:
    if tail:
        yield from keywords("SELECT STREAM", *_OPERATORS, "STREAM")
    else:
        yield from keywords("lifetime", "point_at_end", "latest_input")
    del scope


# Sources


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


def _from(scope: Scope, tail: Tail) -> Iterator[Item]:
    if _is_due(tail):
        yield from _named(scope, tail)
    elif tail[-1].word != "AS":
        yield from _after_source(scope, tail)


def _join(scope: Scope, tail: Tail) -> Iterator[Item]:
    if _is_due(tail):
        yield from _named(scope, tail)
    elif tail[-1].word != "AS":
        yield from keywords("ON", "USING")
        yield from _after_source(scope, tail)


def _after_source(scope: Scope, tail: Tail) -> Iterator[Item]:
    if tail[-1].word in _GOES_ON:
        yield from keywords(*_GOES_ON[tail[-1].word])
        return
    yield from keywords("AS", "EVENTTIME BY")
    yield from _following(scope)


def _following(scope: Scope) -> Iterator[Item]:
    """The clauses that may follow at the cursor and do not stand in this SELECT yet."""
    if scope.spot.depth:
        return
    said = {token.word for token in (*scope.spot.before, *scope.spot.after) if token.kind is Kind.WORD}
    if not said & {"SELECT"}:
        return
    if not said & {"WHERE", "WINDOW", "GROUP", "HAVING"}:
        yield from keywords(*_JOINS)
    yield from keywords(*(word for word in _FOLLOWING if word.split()[0] not in said))


def _source_by(scope: Scope, tail: Tail) -> Iterator[Item]:
    """CLIP, SHIFT and EXTEND: a source, BY, and another source or a duration."""
    if _is_due(tail):
        yield from _named(scope, tail)
    elif "BY" not in [token.word for token in tail]:
        yield from keywords("BY")
    elif "CLIP" in [token.word for token in scope.spot.before]:
        behind = tail[[token.word for token in tail].index("BY") + 1 :]
        yield from _named(scope, behind) if _is_due(behind) else keywords("ON")


def _set_duration(scope: Scope, tail: Tail) -> Iterator[Item]:
    words = [token.word for token in tail]
    if _is_due(tail):
        yield from _named(scope, tail)
    elif "TO" not in words:
        yield from keywords("TO")
    else:
        yield from expressions(scope, tail[words.index("TO") + 1 :])


def _source_alone(scope: Scope, tail: Tail) -> Iterator[Item]:
    yield from _named(scope, tail)


# Clauses of SELECT


def _select(scope: Scope, tail: Tail) -> Iterator[Item]:
    if [token.word for token in tail if token.word != "STREAM"] == ["*"]:
        yield from keywords("FROM")
        return
    if tail and tail[-1].word == "AS" and not scope.spot.depth:
        return
    if not tail:
        yield from keywords("STREAM")
    items = tail[1:] if tail and tail[0].word == "STREAM" else tail
    if not items:
        yield Item("*", "keyword", "all fields", "Every field of the sources.", "*")
    yield from expressions(scope, items, aggregates_too=True)
    if not scope.spot.depth and items and not value_due(items):
        yield from keywords("AS") if "AS" not in _item(items) else ()
        yield from keywords("FROM")


def _item(tail: Tail) -> list[str]:
    """The words of the last item of a list."""
    words = [token.word for token in tail]
    return words[len(words) - words[::-1].index(",") :] if "," in words else words


def _condition(scope: Scope, tail: Tail) -> Iterator[Item]:
    yield from expressions(scope, tail)
    if tail and not value_due(tail):
        yield from _following(scope)


def _having(scope: Scope, tail: Tail) -> Iterator[Item]:
    """The condition sees what the items of the list are called, the groups, and aggregates over all fields."""
    due = value_due(tail)
    if due and not scope.spot.depth:
        yield from _results(scope)
        groups = {name: of for name, of in scope.fields.items() if name in _grouped(scope)}
        scope = replace(scope, given=(Source("", "", groups),))
    yield from expressions(scope, tail, aggregates_too=True)
    if tail and not due:
        yield from _following(scope)


def _grouped(scope: Scope) -> set[str]:
    """The names behind GROUP BY."""
    found: set[str] = set()
    grouping = False
    for token in (*scope.spot.before, *scope.spot.after):
        if token.word in _ENDS_GROUPS or (token.word == "GROUP"):
            grouping = token.word == "GROUP"
        elif grouping and token.kind in (Kind.WORD, Kind.QUOTED):
            found.add(token.value)
    return found


_ENDS_GROUPS: Final = frozenset({"HAVING", "EMIT", "WINDOW", "TOP", "EMPTY", "RETRACT", "WHERE", "GRACE"})


def _results(scope: Scope) -> Iterator[Item]:
    """The names that the items of the SELECT list are given."""
    tokens = (*scope.spot.before, *scope.spot.after)
    for one, two in itertools.pairwise(tokens):
        if one.word == "FROM":
            return
        if one.word == "AS" and two.kind in (Kind.WORD, Kind.QUOTED):
            yield Item(two.value, "field", "result", "", written(two.value))


def _on(scope: Scope, tail: Tail) -> Iterator[Item]:
    if value_due(tail):
        yield from _equalities(scope)
    yield from _condition(scope, tail)


def _equalities(scope: Scope) -> Iterator[Item]:
    """`a.k = b.k` for each field that the last source shares with one before it."""
    *lefts, right = scope.sources or (None,)
    for left in lefts:
        for name, of in left.fields.items() if left and right else ():
            if right and right.fields.get(name) == of:
                text = f"{written(left.name)}.{written(name)} = {written(right.name)}.{written(name)}"
                yield Item(text, "field", str(of), "A key: both sides have it.", text)


def _using(scope: Scope, tail: Tail) -> Iterator[Item]:
    if not tail or not scope.spot.depth:
        yield from _following(scope) if tail else ()
        return
    *lefts, right = scope.sources or (None,)
    shared = {
        name: of for left in lefts if left and right for name, of in left.fields.items() if right.fields.get(name) == of
    }
    yield from fields(shared)


def _window(scope: Scope, tail: Tail) -> Iterator[Item]:
    words = [token.word for token in tail]
    if not tail:
        yield from keywords("HOP", "TUMBLE", "SESSION", "SNAPSHOT", "COUNT", "TIMEINTERVAL")
    elif words[-1] not in ("HOP", "TUMBLE", "SESSION", "COUNT", "TIMEINTERVAL", ",", "ALIGN", "DISCARD", "MAX", "-"):
        options = {"HOP": ("ALIGN",), "TUMBLE": ("ALIGN",), "SESSION": ("MAX",), "TIMEINTERVAL": ("DISCARD", "ALIGN")}
        yield from keywords(*(word for word in options.get(words[0], ()) if word not in words))
        yield from keywords(*(() if words[0] == "TIMEINTERVAL" else ("GRACE BY",)))
        yield from _following(scope)


def _grace(scope: Scope, tail: Tail) -> Iterator[Item]:
    if tail:
        yield from _following(scope)


def _group(scope: Scope, tail: Tail) -> Iterator[Item]:
    if value_due(tail):
        named = [token.value for token in tail]
        yield from fields({name: of for name, of in scope.fields.items() if name not in named})
    else:
        yield from _following(scope)


def _top(scope: Scope, tail: Tail) -> Iterator[Item]:
    words = [token.word for token in tail]
    if "BY" in words:
        yield from _condition(scope, tail[words.index("BY") + 1 :])
    elif tail:
        yield from keywords("BY")


def _emit(scope: Scope, tail: Tail) -> Iterator[Item]:
    if not tail:
        yield from keywords("FINAL", "ON COMPLETE", "RUNNING")
    elif tail[-1].word == "ON":
        yield from keywords("COMPLETE")
    else:
        yield from _following(scope)


def _retract(scope: Scope, tail: Tail) -> Iterator[Item]:
    del tail
    yield from _following(scope)


def _empty(scope: Scope, tail: Tail) -> Iterator[Item]:
    words = [token.word for token in tail]
    if not tail:
        yield from keywords("SKIP", "DEFAULT")
    elif words[-1] == "DEFAULT":
        yield from keywords("GAP")
    elif scope.spot.depth:
        yield from fields(scope.fields) if words[-1] in ("(", ",") else ()
    elif words[-1] not in ("GAP", "GROUPS"):
        yield from keywords("GROUPS") if "GROUPS" not in words and "DEFAULT" in words else ()
        yield from _following(scope)


def _event_time(scope: Scope, tail: Tail) -> Iterator[Item]:
    words = [token.word for token in tail]
    if not tail:
        yield from fields(scope.fields)
        for facet, of in (("_key", "the row's key"), ("_value", "the payload"), ("_meta", "what the adapter knows")):
            yield Item(facet, "field", of, "", f"{facet}.")
    elif words[-1] == "UNIT":
        yield from units()
    elif words[-1] != "ZONE":
        yield from keywords(*(word for word in ("UNIT", "ZONE") if word not in words), "AS")
        yield from _following(scope)


def _nothing(scope: Scope, tail: Tail) -> Iterator[Item]:
    del scope, tail
    yield from ()


_CLAUSES: Final[dict[str, Callable[[Scope, Tail], Iterator[Item]]]] = {
    "": _start,
    "QUERY": _nothing,
    "WITH": _with,
    "INSERT INTO": _insert,
    "TIMESTAMP BY": _timestamp,
    "CLIP": _source_by,
    "SHIFT": _source_by,
    "EXTEND": _source_by,
    "SET DURATION": _set_duration,
    "SOURCE": _source_alone,
    "SELECT": _select,
    "FROM": _from,
    "JOIN": _join,
    "ON": _on,
    "USING": _using,
    "WHERE": _condition,
    "HAVING": _having,
    "TOP": _top,
    "WINDOW BY": _window,
    "GRACE BY": _grace,
    "GROUP BY": _group,
    "EMIT": _emit,
    "RETRACT": _retract,
    "EMPTY": _empty,
    "EVENTTIME BY": _event_time,
}
