"""The lexer of queries and expressions, based on sqlglot's tokenizer for Spark.

Unlike sqlglot's, it does not merge `GROUP BY`, split `30s`, swallow the text after `SHOW`, or stop at an open quote.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import Any, ClassVar, Final

from sqlglot.dialects.spark import Spark
from sqlglot.errors import TokenError

Extent = tuple[int, int]
"""A part of a text in code points, half open; a tuple, because it costs less than a `Span`."""
RESERVED: Final = frozenset({"and", "or", "not", "in", "is", "null", "like", "between", "case", "when"}) | frozenset(
    {"then", "else", "end", "true", "false", "cast", "escape", "distinct"}
)
"""Words that name a field only in backticks."""
_MOST_UNCLOSED: Final = 20


class TokenKind(Enum):
    """The kind of a token; a NUMBER starts with a digit, so `5m` and `1.5BD` are numbers too."""

    WORD = auto()
    QUOTED = auto()
    STRING = auto()
    NUMBER = auto()
    SYMBOL = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class SqlToken:
    """One token at `text[start:end]`.

    `value` is the content of a name or a string, without quotes and escapes; `word` is the upper-case word of an
    unquoted name or the text of a symbol, else empty.
    """

    kind: TokenKind
    value: str
    word: str
    start: int
    end: int

    @property
    def extent(self) -> Extent:
        """Return its place."""
        return self.start, self.end


class _Tokenizer(Spark.Tokenizer):
    """Spark's rules for quotes, comments and names, without commands, which swallow all the text after them."""

    COMMANDS: ClassVar[set[Any]] = set()
    KEYWORDS: ClassVar[dict[str, Any]] = {
        key: of for key, of in Spark.Tokenizer.KEYWORDS.items() if not (" " in key or key.startswith("{"))
    }
    NUMERIC_LITERALS: ClassVar[dict[str, str]] = {}
    HEX_STRINGS: ClassVar[list[str | tuple[str, str]]] = []
    BIT_STRINGS: ClassVar[list[str | tuple[str, str]]] = []


@dataclass(frozen=True, slots=True)
class UnclosedText:
    """An unclosed quote or comment that starts at `opening`; the text up to `end` is read as blank."""

    opening: Extent
    end: int
    message: str
    remedy: str


@dataclass(frozen=True)
class LexedText:
    """The `tokens` of a text, an END last; in `text`, unclosed parts are blank, and the length is unchanged."""

    text: str
    tokens: tuple[SqlToken, ...]
    unclosed: tuple[UnclosedText, ...]

    def comments_before(self, index: int) -> Iterator[Extent]:
        """Yield the extents of the comments between the token `index` and the one before it."""
        at, end = self.tokens[index - 1].end if index else 0, self.tokens[index].start
        while comment := _COMMENT.search(self.text, at, end):
            at = comment.end()
            if comment.group() == "/*":
                at = _block_end(self.text, at) or end
            yield comment.start(), at

    @cached_property
    def partners(self) -> dict[int, int]:
        """Return the index of the closing parenthesis for each opening one that closes before the next `;`."""
        closing: dict[int, int] = {}
        opened: list[int] = []
        for index, token in enumerate(self.tokens):
            if token.word in ("(", "["):
                opened.append(index)
            elif token.word in (")", "]") and opened:
                closing[opened.pop()] = index
            elif token.word == ";":
                opened.clear()
        return closing


def lex(text: str) -> LexedText:
    """Split any text into tokens; an unclosed quote ends with its line, an unclosed comment with the text."""
    unclosed: list[UnclosedText] = []
    readable = text
    for _ in range(_MOST_UNCLOSED):
        try:
            items = _Tokenizer(dialect=Spark()).tokenize(readable)
        except TokenError:
            start = _unclosed(readable)
            readable, part = _blank_out(readable, start)
            unclosed.append(part)
        else:
            break
    else:
        items = []
    tokens: list[SqlToken] = []
    for item in items:
        if not tokens or item.start >= tokens[-1].end:
            tokens.append(_token(item.token_type.name, item.text, item.start, readable[item.start : item.end + 1]))
    tokens.append(SqlToken(TokenKind.END, "", "", len(text), len(text)))
    return LexedText(readable, tuple(tokens), tuple(unclosed))


def _token(of: str, value: str, start: int, source: str) -> SqlToken:
    end = start + len(source)
    if of == "STRING":
        return SqlToken(TokenKind.STRING, value, "", start, end)
    if of == "IDENTIFIER":
        return SqlToken(TokenKind.QUOTED, value, "", start, end)
    first = source[:1]
    if first.isdigit():
        return SqlToken(TokenKind.NUMBER, source, "", start, end)
    if first == "_" or first.isalpha():
        plain = "'" not in source and '"' not in source  # x'1F' and r'a' are one token each
        return SqlToken(
            TokenKind.WORD if plain else TokenKind.SYMBOL, source, source.upper() if plain else "", start, end
        )
    return SqlToken(TokenKind.SYMBOL, source, source, start, end)


_QUOTE: Final = re.compile(
    r"--[^\n\r]*|(?P<comment>/\*)|(?P<raw>\b[rR](?:'[^']*'|\"[^\"]*\"))|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`(?:[^`]|``)*`"
    r"|(?P<open>['\"`])",
    re.DOTALL,
)
_COMMENT: Final = re.compile(r"--[^\n\r]*|/\*")
_BLOCK_EDGE: Final = re.compile(r"/\*|\*/")


def _unclosed(text: str) -> int:
    """Return the start of the unclosed quote or comment; the end of the text without one."""
    at = 0
    while match := _QUOTE.search(text, at):
        at = match.end()
        if match.group("comment"):
            at = _block_end(text, at) or 0
        if match.group("open") or not at:
            return match.start()
    return len(text)


def _block_end(text: str, at: int) -> int | None:
    """Return the index after the comment that is open at `at`, with nested comments; None if it has no end."""
    depth = 1
    while depth:
        edge = _BLOCK_EDGE.search(text, at)
        if edge is None:
            return None
        depth += 1 if edge.group() == "/*" else -1
        at = edge.end()
    return at


_NAMES: Final = {"'": "quoted text", '"': "quoted text", "`": "name in backticks", "/": "comment"}


def _blank_out(text: str, start: int) -> tuple[str, UnclosedText]:
    """Blank out the unclosed part at `start`: a comment up to the end of the text, a quote up to that of its line."""
    end = len(text)
    if start == end:
        return "", UnclosedText((0, end), end, "The text cannot be read as SQL.", "Remove everything that isn't SQL.")
    opening = text[start]
    if opening != "/":
        line = re.compile(r"[\n\r]").search(text, start)
        end = line.start() if line else end
    closing = "*/" if opening == "/" else opening
    message = f"The {_NAMES[opening]} that starts here is not closed."
    part = UnclosedText((start, start + len(closing)), end, message, f"Write {closing} at its end.")
    stand_in = "" if opening == "/" else "0" if end - start < 3 else "'?'"
    return text[:start] + stand_in + " " * (end - start - len(stand_in)) + text[end:], part
