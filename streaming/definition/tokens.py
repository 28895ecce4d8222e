"""A text into tokens, of queries and of expressions alike, by sqlglot's tokenizer for Spark.

It is told not to merge `GROUP BY`, split `30s`, or swallow what follows `SHOW`; an open quote does not end it.
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
"""A part of a text in code points, half open; cheaper than a Span, of which a text needs few."""
NAME_PATTERN: Final = r"^[A-Za-z_][A-Za-z0-9_]{0,62}$"
"""What a name is, of nodes and streams as of fields."""
RESERVED: Final = frozenset({"and", "or", "not", "in", "is", "null", "like", "between", "case", "when"}) | frozenset(
    {"then", "else", "end", "true", "false", "cast", "escape", "distinct"}
)
"""Words that name a field only in backticks."""
_MOST_UNCLOSED: Final = 20


class TokenKind(Enum):
    """What a token is; a NUMBER begins with a digit, so that `5m` and `1.5BD` are numbers too."""

    WORD = auto()
    QUOTED = auto()
    STRING = auto()
    NUMBER = auto()
    SYMBOL = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class SqlToken:
    """One token at `text[start:end]`.

    `value` is what a name or a string says, without quotes and escapes; `word` the upper-case word of an unquoted
    name, the text of a symbol, else empty.
    """

    kind: TokenKind
    value: str
    word: str
    start: int
    end: int

    @property
    def extent(self) -> Extent:
        """Where it stands."""
        return self.start, self.end


class _Tokenizer(Spark.Tokenizer):
    """Spark's rules for quotes, comments and names; without commands, that take all that follows for their text."""

    COMMANDS: ClassVar[set[Any]] = set()
    KEYWORDS: ClassVar[dict[str, Any]] = {
        key: of for key, of in Spark.Tokenizer.KEYWORDS.items() if not (" " in key or key.startswith("{"))
    }
    NUMERIC_LITERALS: ClassVar[dict[str, str]] = {}
    HEX_STRINGS: ClassVar[list[str | tuple[str, str]]] = []
    BIT_STRINGS: ClassVar[list[str | tuple[str, str]]] = []


@dataclass(frozen=True, slots=True)
class UnclosedText:
    """A quote or comment that begins at `opening` and has no end: what reaches to `end` is read as blank."""

    opening: Extent
    end: int
    message: str
    remedy: str


@dataclass(frozen=True)
class LexedText:
    """The `tokens` of a text, an END last; `text` is the text with what was not closed blotted out, equally long."""

    text: str
    tokens: tuple[SqlToken, ...]
    unclosed: tuple[UnclosedText, ...]

    def comments_before(self, index: int) -> Iterator[Extent]:
        """Where the comments between the token `index` and the one before it stand."""
        at, end = self.tokens[index - 1].end if index else 0, self.tokens[index].start
        while found := _COMMENT.search(self.text, at, end):
            at = found.end()
            if found.group() == "/*":
                at = _block_end(self.text, at) or end
            yield found.start(), at

    @cached_property
    def partners(self) -> dict[int, int]:
        """For each opening parenthesis that is closed before the next `;` the index of the closing one."""
        found: dict[int, int] = {}
        opened: list[int] = []
        for index, token in enumerate(self.tokens):
            if token.word in ("(", "["):
                opened.append(index)
            elif token.word in (")", "]") and opened:
                found[opened.pop()] = index
            elif token.word == ";":
                opened.clear()
        return found


def lex(text: str) -> LexedText:
    """The tokens of any text at all; a quote or a comment that is not closed ends with its line."""
    unclosed: list[UnclosedText] = []
    readable = text
    for _ in range(_MOST_UNCLOSED):
        try:
            items = _Tokenizer(dialect=Spark()).tokenize(readable)
        except TokenError:
            start = _unclosed(readable)
            readable, found = _blotted(readable, start)
            unclosed.append(found)
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
    """Where the quote or comment begins that is not closed; the end of the text if there is none."""
    at = 0
    while match := _QUOTE.search(text, at):
        at = match.end()
        if match.group("comment"):
            at = _block_end(text, at) or 0
        if match.group("open") or not at:
            return match.start()
    return len(text)


def _block_end(text: str, at: int) -> int | None:
    """Behind the end of the comment that is open at `at`, comments inside it included; None if it has none."""
    depth = 1
    while depth:
        edge = _BLOCK_EDGE.search(text, at)
        if edge is None:
            return None
        depth += 1 if edge.group() == "/*" else -1
        at = edge.end()
    return at


_NAMES: Final = {"'": "quoted text", '"': "quoted text", "`": "name in backticks", "/": "comment"}


def _blotted(text: str, start: int) -> tuple[str, UnclosedText]:
    """The text without what is not closed at `start`: a comment to the end of the text, a quote to that of its line."""
    end = len(text)
    if start == end:
        return "", UnclosedText((0, end), end, "The text cannot be cut into words.", "Remove what is no SQL from it.")
    opening = text[start]
    if opening != "/":
        line = re.compile(r"[\n\r]").search(text, start)
        end = line.start() if line else end
    closing = "*/" if opening == "/" else opening
    message = f"The {_NAMES[opening]} that begins here is not closed."
    found = UnclosedText((start, start + len(closing)), end, message, f"Write {closing} where it ends.")
    stand_in = "" if opening == "/" else "0" if end - start < 3 else "'?'"
    return text[:start] + stand_in + " " * (end - start - len(stand_in)) + text[end:], found
