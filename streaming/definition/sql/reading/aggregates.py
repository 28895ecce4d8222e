"""Aggregates inside the items of a SELECT and inside HAVING."""

from dataclasses import dataclass
from typing import Final

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.sql.reading.reader import Reader, TokenRange, ValueAt, take_fraction, take_whole
from streaming.definition.sql.reading.slices import take_expression
from streaming.definition.tokens import SqlToken, TokenKind

_MOST_K: Final = 10_000
_FOREIGN: Final = {name: entry.name for entry in AGGREGATES.values() for name in entry.elsewhere}
"""Names of our aggregates in other systems."""


@dataclass(frozen=True)
class AggregateCall:
    """One aggregate: the tokens `part` including its FILTER, its function and its arguments."""

    part: TokenRange
    function: ValueAt[str]
    of: TokenRange | None
    k: ValueAt[int] | None
    fraction: ValueAt[float] | None
    filter: TokenRange | None


def take_calls(reader: Reader, part: TokenRange) -> list[AggregateCall]:
    """Return the aggregates in an expression, from left to right, but not those nested in another one."""
    calls: list[AggregateCall] = []
    index = part.first
    while index < part.last - 1:
        if _begins_call(reader, index, part.last):
            call = _take_call(reader, index, part.last)
            calls.append(call)
            index = call.part.last
        else:
            index += 1
    return calls


def _begins_call(reader: Reader, index: int, last: int) -> bool:
    if not is_aggregate(reader.tokens[index]) or reader.tokens[index + 1].word != "(":
        return False
    after_point = index > 0 and reader.tokens[index - 1].word == "."
    return not after_point and reader.partners.get(index + 1, last) < last


def is_aggregate(token: SqlToken) -> bool:
    """Return whether a word is the name of an aggregate, here or in another system."""
    return token.kind is TokenKind.WORD and (token.value.lower() in AGGREGATES or token.value.lower() in _FOREIGN)


def _take_call(reader: Reader, index: int, last: int) -> AggregateCall:
    at, end = reader.at, reader.end
    name = reader.tokens[index]
    function = name.value.lower()
    if function in _FOREIGN:
        function = _FOREIGN[function]
        reader.problem(name.extent, f"There is no function {name.value}.", f"Write {_form(function)}.")
    closing = reader.partners[index + 1]
    reader.at, reader.end = index + 2, closing
    arguments = _CallArguments(function)
    arguments.take(reader)
    reader.at, reader.end = closing + 1, last
    chosen = _take_filter(reader)
    call = AggregateCall(
        TokenRange(index, reader.at),
        ValueAt(function, name.extent),
        arguments.of,
        arguments.k,
        arguments.fraction,
        chosen,
    )
    reader.at, reader.end = at, end
    return call


class _CallArguments:
    """The arguments in the parentheses of one call."""

    def __init__(self, function: str) -> None:
        self.function = function
        self.of: TokenRange | None = None
        self.k: ValueAt[int] | None = None
        self.fraction: ValueAt[float] | None = None

    def take(self, reader: Reader) -> None:
        """Read up to the closing parenthesis."""
        self._take_value(reader)
        while reader.accept(",") or self._named(reader):
            self._take_parameter(reader)
        if reader.at < reader.end:
            extent = (reader.here()[0], reader.tokens[reader.end - 1].end)
            remedy = f"Write {_form(self.function)}."
            reader.problem(extent, f"{self.function.upper()} does not accept {reader.describe_next()}.", remedy)

    def _named(self, reader: Reader) -> bool:
        return reader.word() in ("K", "FRACTION") and reader.word(1) == "=>"

    def _take_value(self, reader: Reader) -> None:
        if reader.at == reader.end or self._named(reader):
            return
        if reader.word() == "*" and reader.word(1) in ("", ",") and reader.peek(1).kind is not TokenKind.WORD:
            reader.take()
            return
        if reader.word() in ("DISTINCT", "ALL") and reader.word(1) not in (",", "."):
            if reader.at + 1 == reader.end:
                self.of = take_expression(reader)
                return
            word = reader.word()
            extent = reader.take().extent
            other = f"{self.function}_distinct"
            remedy = f"Write {other.upper()}(value)." if other in AGGREGATES else "Remove it."
            reader.problem(extent, f"{self.function.upper()} does not support {word}.", remedy)
        self.of = take_expression(reader) or None

    def _take_parameter(self, reader: Reader) -> None:
        name = reader.word().lower() if self._named(reader) else AGGREGATES[self.function].parameter
        extent = reader.here()
        if self._named(reader):
            reader.at += 2
        if name is None:
            remedy = f"Write {_form(self.function)}."
            reader.problem(extent, f"{self.function.upper()} takes only one value.", remedy)
            reader.at = reader.end
        elif getattr(self, name) is not None:
            reader.problem(extent, f"{name.upper()} is set twice.", "Leave one of them out.")
            reader.at = reader.end
        elif name == "k":
            self.k = take_whole(reader, "K", 1, _MOST_K)
        else:
            self.fraction = take_fraction(reader, "FRACTION")


def _form(function: str) -> str:
    """Return the written form of the aggregate."""
    entry = AGGREGATES[function]
    parameter = {"k": ", 3", "fraction": ", 0.95", None: ""}[entry.parameter]
    return f"{function.upper()}(value{parameter})" + (" or COUNT(*)" if entry.bare else "")


def _take_filter(reader: Reader) -> TokenRange | None:
    if not reader.next_are("FILTER", "("):
        return None
    closing, end = reader.partners.get(reader.at + 1, reader.end), reader.end
    if closing >= end:
        return None
    reader.at += 2
    reader.end = closing
    reader.expect("WHERE", "Write FILTER (WHERE condition).")
    part = take_expression(reader)
    if not part or reader.at < closing:
        reader.problem(
            reader.here(), "The condition of FILTER is missing or incomplete.", "Write FILTER (WHERE condition)."
        )
    reader.at, reader.end = closing + 1, end
    return part or None
