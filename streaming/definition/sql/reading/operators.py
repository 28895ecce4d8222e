"""The branches that are one operator over lifetimes."""

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
    """The operator that begins here, if one does."""
    return next((form for form in OPERATORS if reader.next_are(*form.words.split())), None)


def take_operator(reader: Reader, form: OperatorRow, take_body: TakeBody) -> OperatorSyntax:
    """Take the operator that begins here."""
    first = reader.at
    reader.at += len(form.words.split())
    operator = OperatorSyntax(form.kind, form.role, take_source(reader, take_body), reader.since(first))
    if form.kind == "clip":
        _clip(reader, operator, take_body)
    elif form.kind == "set_duration":
        _set_duration(reader, operator)
    else:
        for argument in form.arguments:
            if reader.expect(argument.words, f"Write {form.shown}."):
                take_argument(reader, argument, operator.fields)
    operator.extent = reader.since(first)
    return operator


def _set_duration(reader: Reader, operator: OperatorSyntax) -> None:
    """TO a duration, else an expression; a duration alone is no expression, for `5m` is none.

    Without TO, and with TO for each, neither or both are said: graphs can hold that, and `check` tells of it.
    """
    while reader.accept("TO"):
        extent = reader.tokens[reader.at - 1].extent
        if _is_duration(reader):
            said = take_duration(reader, "The duration")
            again = "duration" in operator.fields.values
            if said is not None and not again:
                operator.fields.put("duration", said.value, said.extent)
        else:
            part = take_expression(reader, frozenset({"TO"}))
            again = operator.expression is not None
            if not part:
                reader.problem(reader.here(), "The duration is missing.", "Write 5m, say, or an expression in ticks.")
                return
            operator.expression = operator.expression or part
        if again:
            reader.problem(extent, "TO stands twice.", "Leave one of them out.")


def _is_duration(reader: Reader) -> bool:
    """Whether one duration stands here, and no operator behind it."""
    token = reader.peek()
    if token.word == "INTERVAL":
        return True
    ahead = 1 if token.word in ("+", "-") else 0
    value = reader.peek(ahead)
    if value.kind is not TokenKind.NUMBER and (value.kind is not TokenKind.STRING or ahead):
        return False
    behind = reader.peek(ahead + 1)
    return behind.kind is not TokenKind.SYMBOL or behind.word in (")", ",", ";")


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
            reader.problem(reader.here(), "The fields behind ON are missing.", "Write ON field, or ON a.k = b.k.")


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
