"""Expressions in a text: verbatim where the same slice is cut out again, else as `EXPRESSION '...'`."""

from enum import Enum, auto
from functools import lru_cache
from typing import Final

from streaming.definition.sql.grammar.words import KEYWORDS, SETTING_WORDS
from streaming.definition.sql.printing.words import is_keyword, quoted
from streaming.definition.sql.reading.aggregates import take_calls
from streaming.definition.sql.reading.reader import Reader
from streaming.definition.sql.reading.slices import cut, take_expression
from streaming.definition.tokens import SqlToken, TokenKind, lex

_VALUES: Final = frozenset({"END", "NULL", "TRUE", "FALSE", "K", "COUNT", "LAST", "MAX", "TIME", "DURATION"})
"""Keywords with which an expression may end: no clause takes them to itself."""


class ExpressionPlace(Enum):
    """What stands around an expression, and so what would end it or be read into it."""

    CLAUSE = auto()
    ITEM = auto()
    ARGUMENT = auto()
    DURATION = auto()
    SETTING = auto()


def expression(text: str, where: ExpressionPlace, qualifiers: frozenset[str] = frozenset()) -> str:
    """How the expression `text` is written where `qualifiers` before a point are taken off."""
    return text if _stands(text, where, qualifiers) else f"EXPRESSION {quoted(text)}"


def is_field(text: str) -> bool:
    """Whether `text` is the plain name of a field, which names its column as well."""
    tokens = lex(text).tokens
    plain = len(tokens) == 2 and tokens[0].value == text and tokens[0].kind is TokenKind.WORD
    return plain and not is_keyword(text)


@lru_cache(maxsize=4096)
def _stands(text: str, where: ExpressionPlace, qualifiers: frozenset[str]) -> bool:
    lexed = lex(text)
    tokens = lexed.tokens[:-1]
    if lexed.unclosed or not tokens or (tokens[0].start, tokens[-1].end) != (0, len(text)):
        return False
    if not _is_balanced(tokens) or _begins_otherwise(tokens, where):
        return False
    if _takes_more(tokens[-1]) or any(_is_special(tokens, at, where) for at in range(len(tokens))):
        return False
    return _comes_back(text, qualifiers)


def _begins_otherwise(tokens: tuple[SqlToken, ...], where: ExpressionPlace) -> bool:
    """Whether the first words mean something else there than in an expression."""
    first = tokens[0]
    if first.word == "EXPRESSION":
        return True
    if where is ExpressionPlace.DURATION:
        return _begins_duration(tokens)
    if where is ExpressionPlace.ITEM and first.kind is TokenKind.SYMBOL and first.word not in ("(", "-", "+"):
        return True  # SELECT STREAM .a reads the field a of the struct stream
    return where in (ExpressionPlace.ITEM, ExpressionPlace.ARGUMENT) and first.word in ("*", "DISTINCT", "ALL")


def _takes_more(last: SqlToken) -> bool:
    """Whether what follows may be read as a part of an expression that ends so."""
    return last.word in KEYWORDS - _VALUES or (last.kind is TokenKind.SYMBOL and last.word not in (")", "]"))


def _begins_duration(tokens: tuple[SqlToken, ...]) -> bool:
    first = tokens[1] if tokens[0].word in ("-", "+") and len(tokens) > 1 else tokens[0]
    return first.kind in (TokenKind.NUMBER, TokenKind.STRING) or first.word == "INTERVAL"


def _is_balanced(tokens: tuple[SqlToken, ...]) -> bool:
    """Whether parentheses match, and nothing stands outside of them that ends an expression."""
    opened: list[str] = []
    for token in tokens:
        if token.word in ("(", "["):
            opened.append(")" if token.word == "(" else "]")
        elif token.word in (")", "]"):
            if not opened or opened.pop() != token.word:
                return False
        elif token.word == ";" or (not opened and token.word in (",", "=>")):
            return False
    return not opened


def _is_special(tokens: tuple[SqlToken, ...], index: int, where: ExpressionPlace) -> bool:
    """Whether the word at `index` means more than a part of an expression: a setting, a query."""
    token = tokens[index]
    if token.kind is not TokenKind.WORD or (index and tokens[index - 1].word == "."):
        return False
    if where is ExpressionPlace.SETTING and token.word in SETTING_WORDS:
        return True
    return token.word in ("SELECT", "OVER")


def _comes_back(text: str, qualifiers: frozenset[str]) -> bool:
    """Whether the same text is cut out, and it holds no aggregate."""
    reader = Reader(lex(text + " ;"))
    reader.end -= 1
    part = take_expression(reader)
    if not part or cut(reader, part, qualifiers).text != text:
        return False
    return not take_calls(reader, part) and not reader.problems
