"""Expressions in a text: verbatim if the reader cuts out the same text again, else as `EXPRESSION '...'`."""

from enum import Enum, auto
from functools import lru_cache
from typing import Final

from streaming.definition.sql.grammar.words import KEYWORDS, SETTING_WORDS
from streaming.definition.sql.printing.words import is_keyword, quoted
from streaming.definition.sql.reading.aggregates import take_calls
from streaming.definition.sql.reading.reader import Reader
from streaming.definition.sql.reading.slices import ENDS_IN_OVER, cut, take_expression
from streaming.definition.tokens import SqlToken, TokenKind, lex

_VALUES: Final = frozenset({"END", "NULL", "TRUE", "FALSE", "K", "COUNT", "LAST", "MAX", "TIME", "DURATION"})
"""Keywords with which an expression may end: no clause continues with them."""


class ExpressionPlace(Enum):
    """The surroundings of an expression, which determine where the reader ends it."""

    CLAUSE = auto()
    ITEM = auto()
    ARGUMENT = auto()
    DURATION = auto()
    SETTING = auto()
    OVER = auto()


def expression(text: str, where: ExpressionPlace, qualifiers: frozenset[str] = frozenset()) -> str:
    """Return the printed form of the expression `text`, if reading removes `qualifiers` before a point."""
    return text if _fits_verbatim(text, where, qualifiers) else f"EXPRESSION {quoted(text)}"


def is_field(text: str) -> bool:
    """Return whether `text` is the plain name of a field, which is also the name of its column."""
    tokens = lex(text).tokens
    plain = len(tokens) == 2 and tokens[0].value == text and tokens[0].kind is TokenKind.WORD
    return plain and not is_keyword(text)


@lru_cache(maxsize=4096)
def _fits_verbatim(text: str, where: ExpressionPlace, qualifiers: frozenset[str]) -> bool:
    return is_whole(text, where) and _round_trips(text, qualifiers)


def is_whole(text: str, where: ExpressionPlace = ExpressionPlace.CLAUSE) -> bool:
    """Return whether nothing around the expression `text` could be read as a part of it, or the other way round."""
    lexed = lex(text)
    tokens = lexed.tokens[:-1]
    if lexed.unclosed or not tokens or (tokens[0].start, tokens[-1].end) != (0, len(text)):
        return False
    if not _is_balanced(tokens) or _begins_otherwise(tokens, where):
        return False
    return not _takes_more(tokens[-1]) and not any(_is_special(tokens, at, where) for at in range(len(tokens)))


def _begins_otherwise(tokens: tuple[SqlToken, ...], where: ExpressionPlace) -> bool:
    """Return whether the first words have another meaning there than in an expression."""
    first = tokens[0]
    if first.word == "EXPRESSION":
        return True
    if where is ExpressionPlace.DURATION:
        return _begins_duration(tokens)
    if where is ExpressionPlace.ITEM and first.kind is TokenKind.SYMBOL and first.word not in ("(", "-", "+"):
        return True  # SELECT STREAM .a reads the field a of the struct stream
    return where in (ExpressionPlace.ITEM, ExpressionPlace.ARGUMENT) and first.word in ("*", "DISTINCT", "ALL")


def _takes_more(last: SqlToken) -> bool:
    """Return whether the reader could continue an expression that ends with this token."""
    return last.word in KEYWORDS - _VALUES or (last.kind is TokenKind.SYMBOL and last.word not in (")", "]"))


def _begins_duration(tokens: tuple[SqlToken, ...]) -> bool:
    first = tokens[1] if tokens[0].word in ("-", "+") and len(tokens) > 1 else tokens[0]
    return first.kind in (TokenKind.NUMBER, TokenKind.STRING) or first.word == "INTERVAL"


def _is_balanced(tokens: tuple[SqlToken, ...]) -> bool:
    """Return whether parentheses match, and no token outside them ends an expression."""
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
    """Return whether the word at `index` is more than a part of an expression: a setting, a query."""
    token = tokens[index]
    if token.kind is not TokenKind.WORD or (index and tokens[index - 1].word == "."):
        return False
    if where is ExpressionPlace.SETTING and token.word in SETTING_WORDS:
        return True
    if where is ExpressionPlace.OVER and token.word in ENDS_IN_OVER:
        return True
    return token.word in ("SELECT", "OVER")


def _round_trips(text: str, qualifiers: frozenset[str]) -> bool:
    """Return whether the reader cuts out the same text, and it contains no aggregate."""
    reader = Reader(lex(text + " ;"))
    reader.end -= 1
    part = take_expression(reader)
    if not part or cut(reader, part, qualifiers).text != text:
        return False
    return not take_calls(reader, part) and not reader.problems
