"""Branches that consist of one operator over lifetimes."""

from streaming.definition.sql.grammar.clauses import OPERATORS
from streaming.definition.sql.grammar.rows import OperatorRow
from streaming.definition.sql.reading.arguments import take_argument
from streaming.definition.sql.reading.durations import take_duration
from streaming.definition.sql.reading.reader import Reader, ValueAt
from streaming.definition.sql.reading.slices import take_expression
from streaming.definition.sql.reading.sources import TakeBody, take_source
from streaming.definition.sql.reading.tree import OperatorSyntax
from streaming.definition.tokens import TokenKind


def at_operator(reader: Reader) -> OperatorRow | None:
    """Return the operator that starts here, if any."""
    return next((form for form in OPERATORS if reader.next_are(*form.words.split())), None)


def take_operator(reader: Reader, form: OperatorRow, take_body: TakeBody) -> OperatorSyntax:
    """Read the operator that starts here."""
    first = reader.at
    reader.at += len(form.words.split())
    operator = OperatorSyntax(form.kind, form.role, take_source(reader, take_body), reader.since(first))
    if form.kind == "clip":
        _clip(reader, operator, take_body)
    elif form.kind == "set_duration":
        _set_duration(reader, operator)
    else:
        for argument in form.arguments:
            if reader.expect(argument.words, f"Write {form.syntax}."):
                take_argument(reader, argument, operator.fields)
        for option in form.options:
            if reader.accept(option.words):
                take_argument(reader, option, operator.fields)
    operator.extent = reader.since(first)
    return operator


def _set_duration(reader: Reader, operator: OperatorSyntax) -> None:
    """Read TO with a duration or an expression; a duration such as `5m` isn't an expression.

    A text without TO, or with a duration and an expression, sets neither or both: `check` reports such graphs.
    """
    while reader.accept("TO"):
        extent = reader.tokens[reader.at - 1].extent
        if _is_duration(reader):
            duration = take_duration(reader, "The duration")
            again = "duration" in operator.fields.values
            if duration is not None and not again:
                operator.fields.put("duration", duration.value, duration.extent)
        else:
            part = take_expression(reader, frozenset({"TO"}))
            again = operator.expression is not None
            if not part:
                reader.problem(
                    reader.here(), "The duration is missing.", "Write a duration such as 5m, or an expression in ticks."
                )
                return
            operator.expression = operator.expression or part
        if again:
            reader.problem(extent, "TO is written twice.", "Leave one of them out.")


def _is_duration(reader: Reader) -> bool:
    """Return whether a single duration is next, without an operator after it."""
    token = reader.peek()
    if token.word == "INTERVAL":
        return True
    ahead = 1 if token.word in ("+", "-") else 0
    value = reader.peek(ahead)
    if value.kind is not TokenKind.NUMBER and (value.kind is not TokenKind.STRING or ahead):
        return False
    following = reader.peek(ahead + 1)
    return following.kind is not TokenKind.SYMBOL or following.word in (")", ",", ";")


def _clip(reader: Reader, operator: OperatorSyntax, take_body: TakeBody) -> None:
    if not reader.expect("BY", "Write CLIP source BY source ON field."):
        return
    operator.by = take_source(reader, take_body)
    if operator.by is None or not reader.expect("ON", "Write CLIP source BY source ON field."):
        return
    if reader.word() == "(" and _names_only(reader):
        reader.take()
        operator.keys = _take_names(reader)
        reader.expect(")", "Write ON (a, b).")
    elif reader.peek(1).word in ("", ",", ")") or reader.peek(1).kind is TokenKind.WORD:
        operator.keys = _take_names(reader)
    else:
        operator.on = take_expression(reader) or None
        if operator.on is None:
            reader.problem(reader.here(), "The fields after ON are missing.", "Write ON field, or ON a.k = b.k.")


def _names_only(reader: Reader) -> bool:
    closing = reader.partners.get(reader.at, reader.end)
    return all(reader.tokens[index].word != "=" for index in range(reader.at, min(closing, reader.end)))


def _take_names(reader: Reader) -> list[ValueAt[str]] | None:
    names: list[ValueAt[str]] = []
    while (name := reader.name("The field", "a field of both sides")) is not None:
        names.append(name)
        if not reader.accept(","):
            return names
    return None
