"""What stands behind FROM and JOIN: names, streams, nodes and queries in parentheses, and the joins between them."""

from collections.abc import Callable
from typing import Final

from streaming.definition.sql.grammar.clauses import JOINS
from streaming.definition.sql.grammar.foreign import FOREIGN_JOINS
from streaming.definition.sql.grammar.rows import JoinRow
from streaming.definition.sql.grammar.words import CLAUSE_WORDS, JOINING_WORDS, clause_at, joins, near
from streaming.definition.sql.reading.event_time import take_event_time
from streaming.definition.sql.reading.reader import Reader, ValueAt
from streaming.definition.sql.reading.slices import take_expression
from streaming.definition.sql.reading.tree import BodySyntax, JoinSyntax, SourceKind, SourceSyntax
from streaming.definition.tokens import TokenKind

TakeBody = Callable[[Reader], BodySyntax]
MOST_NESTED: Final = 40
"""Queries in parentheses inside each other; beyond that a step reads better, and Python's stack ends somewhere."""
_EXAMPLE: Final = "the name of a stream or a step"


def take_source(reader: Reader, take_body: TakeBody) -> SourceSyntax | None:
    """Take a source with its alias and EVENTTIME BY; None with a fault where there is none."""
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
    qualifiers = frozenset(said.value for said in (name, alias) if said)
    return SourceSyntax(kind, name, alias, None, take_event_time(reader, qualifiers), reader.since(first))


def _refuse_call(reader: Reader, name: ValueAt[str]) -> None:
    """`FROM TABLE(...)`: no functions give rows."""
    first = reader.at
    if reader.word() == "(" and reader.opens():
        reader.at = reader.partners[reader.at] + 1
        extent = (name.extent[0], reader.since(first)[1])
        remedy = "Write the name of a stream, and windows as WINDOW BY TUMBLE 5m or WINDOW BY HOP 5m,1m."
        reader.problem(extent, "Functions do not stand behind FROM here.", remedy)


def _take_alias(reader: Reader, what: str) -> ValueAt[str] | None:
    if reader.accept("AS"):
        return reader.name(f"The alias of {what}", "a name")
    token = reader.peek()
    if token.kind is TokenKind.QUOTED or (
        token.kind is TokenKind.WORD
        and reader.at_name()
        and reader.word(1) != "BY"
        and token.word not in ("NODE", "ALIGN", "BY", "TO", "OUTER")
        and not (token.word == "WITHIN" and (reader.peek(1).kind is TokenKind.NUMBER or reader.word(1) == "("))
        and near(token.word, (*CLAUSE_WORDS, *JOINING_WORDS)) is None
    ):
        reader.take()
        return ValueAt(token.value, token.extent)
    return None


def take_parenthesis(reader: Reader, take_body: TakeBody) -> BodySyntax | None:
    """Take `( body )`; a parenthesis that is not closed is told, and so is nesting without end."""
    opened = reader.at
    extent = reader.take().extent
    closing = reader.partners.get(opened, reader.end)
    if reader.depth >= MOST_NESTED:
        remedy = "Give some of them a name as steps: WITH name AS (...)."
        reader.problem(extent, f"More than {MOST_NESTED} queries stand inside each other.", remedy)
        reader.at = min(closing + 1, reader.end)
        return None
    if closing >= reader.end:
        reader.problem(extent, "This parenthesis is not closed.", "Write ) where the query in it ends.")
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
    """Tell of what cannot be read up to the end, and go there."""
    extent = (reader.here()[0], reader.tokens[reader.end - 1].end)
    token = reader.peek()
    if token.word == ")":
        reader.problem(token.extent, "This parenthesis closes nothing.", "Remove it, or open it where it begins.")
    else:
        reader.problem(extent, f"{reader.shown()} cannot stand here.", "Remove it, or write ; before a new statement.")
    reader.at = reader.end


def take_join(reader: Reader, take_body: TakeBody) -> JoinSyntax | None:
    """Take one join with its source and condition, if one stands here."""
    first = reader.at
    if reader.accept(","):
        remedy = "Write JOIN with the fields that both share: a JOIN b ON a.k = b.k."
        reader.problem(reader.since(first), "Sources with a comma between them are no join here.", remedy)
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
        reader.problem(reader.since(on_first), "The condition behind ON is missing.", "Write for example ON a.k = b.k.")
    return JoinSyntax(form.kind, form.outer, source, using, on or None, reader.since(first), on_extent)


def _take_kind(reader: Reader) -> JoinRow:
    """Take the words of a join; those that are none are told, and read as the nearest."""
    first = reader.at
    words: list[str] = []
    while reader.word() != "JOIN":
        words.append(reader.take().word)
    reader.take()
    said = " ".join((*words, "JOIN"))
    known = next((form for form in JOINS if form.words == said), None)
    if known is not None:
        return known
    rest = next((word for word in words if word not in ("LEFT", "OUTER")), "")
    remedy = FOREIGN_JOINS.get(rest, "Write JOIN, LEFT JOIN, ANTI JOIN, SEMI JOIN or ASOF JOIN.")
    reader.problem(reader.since(first), f"There is no {said}.", remedy)
    meant = f"LEFT {rest} JOIN" if "LEFT" in words else f"{rest} JOIN"
    plain = JOINS[1] if "LEFT" in words else JOINS[0]
    return next((form for form in JOINS if form.words == meant), plain)


def _take_using(reader: Reader) -> tuple[ValueAt[str], ...] | None:
    if reader.word() != "(":
        reader.problem(reader.here(), "USING has its fields in parentheses.", "Write for example USING (plate).")
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
        reader.problem(reader.here(), f"{reader.shown()} stands in the list of fields.", "Write USING (a, b).")
        _skip_list(reader)
    return tuple(names)


def _skip_list(reader: Reader) -> None:
    while reader.at < reader.end and not clause_at(reader.tokens, reader.at):
        if reader.take().word == ")":
            return
