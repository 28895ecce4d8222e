"""The branches that are one operator over lifetimes."""

from collections.abc import Callable
from typing import Final

from streaming.definition.sql.reading.durations import take_duration
from streaming.definition.sql.reading.reader import Reader, Said
from streaming.definition.sql.reading.slices import take_expression
from streaming.definition.sql.reading.sources import TakeBody, take_source
from streaming.definition.sql.reading.tree import Operator
from streaming.definition.tokens import TokenKind


def at_operator(reader: Reader) -> tuple[str, ...] | None:
    """The words of the operator that begins here, if one does."""
    if reader.word() not in _FIRST_WORDS:
        return None
    return next((words for words in _TAKE if reader.next_are(*words)), None)


def take_operator(reader: Reader, words: tuple[str, ...], take_body: TakeBody) -> Operator:
    """Take the operator that begins with `words`."""
    first = reader.at
    reader.at += len(words)
    kind, role, take = _TAKE[words]
    operator = Operator(kind, role, take_source(reader, take_body), reader.since(first))
    take(reader, operator, take_body)
    operator.extent = reader.since(first)
    return operator


def _nothing(reader: Reader, operator: Operator, take_body: TakeBody) -> None:
    del reader, operator, take_body


def _moved(reader: Reader, operator: Operator, take_body: TakeBody) -> None:
    del take_body
    example = f"Write {operator.role.upper()} source BY 5m."
    if reader.expect("BY", example) and (said := take_duration(reader, "The duration")) is not None:
        operator.fields.put("by", said.value, said.extent)


def _set_duration(reader: Reader, operator: Operator, take_body: TakeBody) -> None:
    """TO a duration, else an expression; a duration alone is no expression, for `5m` is none.

    Without TO, and with TO for each, neither or both are said: graphs can hold that, and `check` tells of it.
    """
    del take_body
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


def _clip(reader: Reader, operator: Operator, take_body: TakeBody) -> None:
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


def _take_names(reader: Reader) -> list[Said[str]] | None:
    names: list[Said[str]] = []
    while (name := reader.name("The field", "a field of both sides")) is not None:
        names.append(name)
        if not reader.accept(","):
            return names
    return None


_Take = Callable[[Reader, Operator, TakeBody], None]
_TAKE: Final[dict[tuple[str, ...], tuple[str, str, _Take]]] = {
    ("CLIP",): ("clip", "clip", _clip),
    ("SHIFT",): ("shift", "shift", _moved),
    ("EXTEND",): ("extend", "extend", _moved),
    ("SET", "DURATION"): ("set_duration", "duration", _set_duration),
    ("POINT", "AT", "END"): ("point_at_end", "end", _nothing),
    ("TO", "INTERVALS"): ("to_intervals", "intervals", _nothing),
    ("ORDER", "EDGES"): ("order_edges", "edges", _nothing),
}
"""The kind of node, the role of its derived id, and what is read behind its source."""
_FIRST_WORDS: Final = frozenset(words[0] for words in _TAKE)
