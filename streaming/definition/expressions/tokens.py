"""Text into tokens, by the lexical rules of Spark SQL."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, Protocol

from sqlglot.dialects.spark import Spark
from sqlglot.errors import TokenError

from streaming.definition.expressions.problems import bad_expression


class Kind(Enum):
    """What a token is."""

    NUMBER = auto()
    STRING = auto()
    NAME = auto()
    SYMBOL = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `text` of a string is its value; a quoted name is never a keyword."""

    kind: Kind
    text: str
    at: int
    quoted: bool = False

    @property
    def word(self) -> str:
        """The lower-case word of an unquoted name, the text of a symbol, else empty."""
        if self.kind is Kind.SYMBOL or (self.kind is Kind.NAME and not self.quoted):
            return self.text.lower()
        return ""


class _Lexed(Protocol):
    """What this module reads of a sqlglot token."""

    @property
    def token_type(self) -> Enum: ...
    @property
    def text(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_SPELLING: Final = {"==": "=", "<>": "!=", "!": "not"}


def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of `text`, with an END token last; comments are left out. Raises `ExpressionError`."""
    try:
        lexed: Sequence[_Lexed] = Spark().tokenize(text)
    except TokenError:
        raise bad_expression(
            "The text breaks off inside a quoted string, name or comment", "close the quotation mark or comment", 0
        ) from None
    tokens: list[Token] = []
    start = -1
    for item in lexed:
        if item.start != start:  # a suffixed number such as 10L comes as three tokens with one start
            tokens.append(_token(item, text))
        start = item.start
    return (*tokens, Token(Kind.END, "the end", len(text)))


def _token(item: _Lexed, source: str) -> Token:
    if item.token_type.name == "NUMBER":
        return Token(Kind.NUMBER, source[item.start : item.end + 1], item.start)
    if item.token_type.name == "STRING":
        return Token(Kind.STRING, item.text, item.start)
    if item.token_type.name == "IDENTIFIER":
        return Token(Kind.NAME, item.text, item.start, quoted=True)
    if _WORD.fullmatch(item.text) and source[item.start : item.end + 1] == item.text:
        spelled = _SPELLING.get(item.text, item.text)
        return Token(Kind.NAME, spelled, item.start)
    return Token(Kind.SYMBOL, _SPELLING.get(item.text, item.text), item.start)
