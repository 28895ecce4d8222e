"""Reading of the types of payload fields from text."""

import re
from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from streaming.definition.payload.type_names import OURS, SUFFIXES, advice_for
from streaming.definition.payload.types import MAX_PRECISION, SCALARS, Array, DecimalOf, Struct, Type
from streaming.definition.plain_names import NAME_PATTERN

MAX_TYPE_DEPTH: Final = 20
_TOKEN: Final = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[<>(),:]|\S)", re.ASCII)
_CLOSING: Final = {"<": ">", "[": "]", "(": ")"}


class TypeTextError(ValueError):
    """An invalid type; the message says what to write instead."""


def parse_type(text: str) -> Type:
    """Read a type: `long`, `decimal(10,2)`, `array<string>`, `struct<a: long, b: array<double>>`.

    Names of types in SQL, Spark and Python are read as ours (`type_names`), in any case. Raises
    `TypeTextError` for anything else, and for types nested more than 20 levels deep.
    """
    tokens = _Tokens(text)
    parsed = tokens.type_(0)
    if tokens.peek():
        raise tokens.error(f"nothing after {parsed}")
    return parsed


def parse_fields(fields: Mapping[str, str]) -> dict[str, Type]:
    """Read a schema whose types are texts. Raises `TypeTextError`, which names the field."""
    parsed = {}
    for name, text in fields.items():
        try:
            parsed[name] = parse_type(text)
        except TypeTextError as error:
            raise TypeTextError(f"field {name}: {error}") from None
    return parsed


class _Tokens:
    """A recursive parser of type texts."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[str] = _TOKEN.findall(text)
        self._at = 0

    def peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self._at += 1
        return token

    def expect(self, wanted: str) -> None:
        if self.take() != wanted:
            raise self.error(f"a '{wanted}'")

    def error(self, wanted: str, advice: str = "") -> TypeTextError:
        written = self._text if len(self._text) <= 80 else self._text[:77] + "..."
        return TypeTextError(f"{written!r} is not a type: expected {wanted}; {advice or advice_for('')}")

    def type_(self, depth: int) -> Type:
        if depth > MAX_TYPE_DEPTH:
            raise self.error(f"at most {MAX_TYPE_DEPTH} levels")
        written = self.take()
        word = OURS.get(written.lower(), "")
        if word in SCALARS:
            self.suffix(written.lower(), word)
            return SCALARS[word]
        if word == "decimal":
            return self.decimal()
        if word == "array":
            closing = self.opened()
            element = self.type_(depth + 1)
            self.expect(closing)
            return Array(element)
        if word == "struct":
            return self.struct(depth)
        raise self.error("a type", advice_for(written))

    def suffix(self, written: str, word: str) -> None:
        """Read the words that may follow `written`; refuse a size, which would have no effect."""
        if self.peek() == "(":
            raise self.error(f"{word} without a size", f"Sizes are not supported; write {word}")
        for words in SUFFIXES.get(written, ()):
            if self._ahead(words):
                for _ in words:
                    self.take()
                return

    def _ahead(self, words: tuple[str, ...]) -> bool:
        return tuple(each.lower() for each in self._tokens[self._at : self._at + len(words)]) == words

    def opened(self) -> str:
        """Read the opening bracket, and return the closing one."""
        closing = _CLOSING.get(self.take())
        if closing is None:
            raise self.error("a '<'")
        return closing

    def decimal(self) -> DecimalOf:
        if self.peek() != "(":
            raise self.error("its digits", "Write for example decimal(18,2): 18 digits, two of them after the point")
        self.expect("(")
        precision, scale = self.number(), 0
        if self.peek() == ",":
            self.take()
            scale = self.number()
        self.expect(")")
        if not 1 <= precision <= MAX_PRECISION or scale > precision:
            raise self.error("a precision of 1 to 38 and a scale not above it")
        return DecimalOf(precision, scale)

    def number(self) -> int:
        token = self.take()
        if not (token.isascii() and token.isdecimal() and len(token) <= 2):
            raise self.error("a number of one or two digits")
        return int(token)

    def struct(self, depth: int) -> Struct:
        fields: dict[str, Type] = {}
        closing = self.opened()
        separator = ","
        while separator != closing:
            if separator != ",":
                raise self.error(f"a ',' or a '{closing}'")
            name = self.take()
            if not re.fullmatch(NAME_PATTERN, name) or name in fields:
                raise self.error("a field name that is used once")
            if self.peek() == ":":
                self.take()
            fields[name] = self.type_(depth + 1)
            separator = self.take()
        return Struct(tuple(fields.items()))


def _canonical_type(value: str) -> str:
    try:
        return str(parse_type(value))
    except TypeTextError as error:
        raise ValueError(str(error)) from None


TypeName = Annotated[str, Field(max_length=200), AfterValidator(_canonical_type)]
"""The type of a value as text, in its canonical form: `long`, `decimal(10,2)`, `array<string>`."""
