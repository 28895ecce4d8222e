"""Sources after FROM and JOIN: names, streams, nodes and queries in parentheses, and the joins between them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from streaming.definition.sql.grammar.clauses import JOINS
from streaming.definition.sql.grammar.foreign import FOREIGN_JOINS
from streaming.definition.sql.grammar.rows import JoinRow
from streaming.definition.sql.grammar.words import CLAUSE_WORDS, JOINING_WORDS, clause_at, joins, near
from streaming.definition.sql.reading.event_time import take_event_time
from streaming.definition.sql.reading.match_recognize import take_match
from streaming.definition.sql.reading.reader import Reader, ValueAt
from streaming.definition.sql.reading.slices import take_expression
from streaming.definition.sql.reading.tree import BodySyntax, JoinSyntax, SourceKind, SourceSyntax
from streaming.definition.tokens import TokenKind

TakeBody = Callable[[Reader], BodySyntax]
MOST_NESTED: Final = 40
"""The deepest nesting of queries in parentheses; Python's stack is limited, and steps are easier to read."""
_EXAMPLE: Final = "the name of a stream or a step"


def take_source(reader: Reader, take_body: TakeBody) -> SourceSyntax | None:
    """Read a source with its alias, EVENTTIME BY and MATCH_RECOGNIZE; None, and a recorded problem, without one."""
    first = reader.at
    source = _take_plain(reader, take_body)
    match = None if source is None else take_match(reader, source.event_time)
    if source is None or match is None:
        return source
    match.alias = _take_alias(reader, "MATCH_RECOGNIZE")
    return replace(source, match=match, extent=reader.since(first))


def _take_plain(reader: Reader, take_body: TakeBody) -> SourceSyntax | None:
    first = reader.at
    kind: SourceKind = "name"
    if reader.word() == "(":
        body = take_parenthesis(reader, take_body)
        alias = _take_alias(reader, "query")
        event_time = take_event_time(reader)
        return SourceSyntax("body", None, alias, body, event_time, reader.since(first))
    if reader.word() in ("NODE", "STREAM") and reader.at_name(1):
        kind = "node" if reader.take().word == "NODE" else "stream"
    name = reader.name("The source", _EXAMPLE)
    if name is not None:
        _refuse_call(reader, name)
    elif reader.at == first:
        return None
    alias = _take_alias(reader, name.value if name else "it")
    qualifiers = frozenset(each.value for each in (name, alias) if each)
    return SourceSyntax(kind, name, alias, None, take_event_time(reader, qualifiers), reader.since(first))


def _refuse_call(reader: Reader, name: ValueAt[str]) -> None:
    """Report `FROM TABLE(...)`: no function returns rows."""
    first = reader.at
    if reader.word() == "(" and reader.opens():
        reader.at = reader.partners[reader.at] + 1
        extent = (name.extent[0], reader.since(first)[1])
        remedy = "Write the name of a stream, and windows as WINDOW BY TUMBLE 5m or WINDOW BY HOP 5m,1m."
        reader.problem(extent, "FROM does not support functions.", remedy)


def _take_alias(reader: Reader, what: str) -> ValueAt[str] | None:
    if reader.accept("AS"):
        return reader.name(f"The alias of {what}", "a name")
    token = reader.peek()
    if token.kind is TokenKind.QUOTED or (
        token.kind is TokenKind.WORD
        and reader.at_name()
        and reader.word(1) != "BY"
        and token.word not in ("NODE", "ALIGN", "BY", "TO", "OUTER", "MATCH_RECOGNIZE")
        and not (token.word == "WITHIN" and (reader.peek(1).kind is TokenKind.NUMBER or reader.word(1) == "("))
        and near(token.word, (*CLAUSE_WORDS, *JOINING_WORDS)) is None
    ):
        reader.take()
        return ValueAt(token.value, token.extent)
    return None


def take_parenthesis(reader: Reader, take_body: TakeBody) -> BodySyntax | None:
    """Read `( body )`; report an unclosed parenthesis and too deep nesting."""
    opened = reader.at
    extent = reader.take().extent
    closing = reader.partners.get(opened, reader.end)
    if reader.depth >= MOST_NESTED:
        remedy = "Turn some of them into named steps: WITH name AS (...)."
        reader.problem(extent, f"Queries are nested more than {MOST_NESTED} levels deep.", remedy)
        reader.at = min(closing + 1, reader.end)
        return None
    if closing >= reader.end:
        reader.problem(extent, "This parenthesis is not closed.", "Write ) at the end of its query.")
        reader.depth += 1
        body = take_body(reader)
        reader.depth -= 1
        return body
    end, reader.end = reader.end, closing
    reader.depth += 1
    body = take_body(reader)
    reader.depth -= 1
    if reader.at < closing and any(body.branches):
        skip_to_end(reader)
    reader.end = end
    reader.at = closing + 1
    return body


def skip_to_end(reader: Reader) -> None:
    """Report that the text up to the end cannot be read, and skip it."""
    extent = (reader.here()[0], reader.tokens[reader.end - 1].end)
    token = reader.peek()
    if token.word == ")":
        reader.problem(token.extent, "This ) has no matching (.", "Remove it, or add the opening parenthesis.")
    else:
        reader.problem(extent, f"Unexpected {reader.describe_next()}.", "Remove it, or write ; before a new statement.")
    reader.at = reader.end


def take_join(reader: Reader, take_body: TakeBody) -> JoinSyntax | None:
    """Read one join with its source and condition, if one is next."""
    first = reader.at
    if reader.accept(","):
        remedy = "Write JOIN with the fields that both sides share: a JOIN b ON a.k = b.k."
        reader.problem(reader.since(first), "Sources cannot be joined with a comma.", remedy)
        form = JOINS[0]
    elif joins(reader.tokens, reader.at):
        form = _take_kind(reader)
    else:
        return None
    source = take_source(reader, take_body)
    using = _take_using(reader) if reader.accept("USING") else None
    on_first = reader.at
    on = take_expression(reader) if reader.accept("ON") else None
    on_extent = reader.since(on_first) if on is not None else None
    if on is not None and not on:
        reader.problem(reader.since(on_first), "The condition after ON is missing.", "Write for example ON a.k = b.k.")
    return JoinSyntax(form.kind, form.outer, source, using, on or None, reader.since(first), on_extent)


def _take_kind(reader: Reader) -> JoinRow:
    """Read the words of a join; report an unknown one and read it as the nearest."""
    first = reader.at
    words: list[str] = []
    while reader.word() != "JOIN":
        words.append(reader.take().word)
    reader.take()
    written = " ".join((*words, "JOIN"))
    known = next((form for form in JOINS if form.words == written), None)
    if known is not None:
        return known
    rest = next((word for word in words if word not in ("LEFT", "OUTER")), "")
    remedy = FOREIGN_JOINS.get(rest, "Write JOIN, LEFT JOIN, ANTI JOIN, SEMI JOIN or ASOF JOIN.")
    reader.problem(reader.since(first), f"{written} is not supported.", remedy)
    meant = f"LEFT {rest} JOIN" if "LEFT" in words else f"{rest} JOIN"
    plain = JOINS[1] if "LEFT" in words else JOINS[0]
    return next((form for form in JOINS if form.words == meant), plain)


def _take_using(reader: Reader) -> tuple[ValueAt[str], ...] | None:
    if reader.word() != "(":
        reader.problem(reader.here(), "The fields of USING must be in parentheses.", "Write for example USING (plate).")
        return None
    reader.take()
    names: list[ValueAt[str]] = []
    while reader.word() != ")":
        name = reader.name("The field", "a field of both sides")
        if name is None:
            _skip_list(reader)
            return None
        names.append(name)
        if not reader.accept(","):
            break
    if not reader.accept(")"):
        reader.problem(
            reader.here(), f"Unexpected {reader.describe_next()} in the list of fields.", "Write USING (a, b)."
        )
        _skip_list(reader)
    return tuple(names)


def _skip_list(reader: Reader) -> None:
    while reader.at < reader.end and not clause_at(reader.tokens, reader.at):
        if reader.take().word == ")":
            return
