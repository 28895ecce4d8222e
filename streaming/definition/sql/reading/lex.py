"""A text into words: sqlglot's tokenizer for Spark, told to leave words, commands and durations as they are written."""

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import Any, ClassVar, Final

from sqlglot.dialects.spark import Spark
from sqlglot.errors import TokenError

from streaming.definition.sql.problems import Extent, Problem

_MOST_UNCLOSED: Final = 20


class Kind(Enum):
    """What a token is; a NUMBER begins with a digit, so that `5m` and `1.5BD` are numbers too."""

    WORD = auto()
    QUOTED = auto()
    STRING = auto()
    NUMBER = auto()
    SYMBOL = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """One token at `text[start:end]`.

    `value` is what a name or a string says, without quotes and escapes; `word` the upper-case word of an unquoted
    name, the text of a symbol, else empty.
    """

    kind: Kind
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


@dataclass(frozen=True)
class Lexed:
    """The `tokens` of a text, an END last; `text` is the text with what was not closed blotted out, equally long."""

    text: str
    tokens: tuple[Token, ...]
    problems: tuple[Problem, ...]

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


def lex(text: str) -> Lexed:
    """The tokens of any text at all; a quote or a comment that is not closed ends with its line."""
    problems: list[Problem] = []
    readable = text
    for _ in range(_MOST_UNCLOSED):
        try:
            items = _Tokenizer(dialect=Spark()).tokenize(readable)
        except TokenError:
            start = _unclosed(readable)
            readable, problem = _blotted(readable, start)
            problems.append(problem)
        else:
            break
    else:
        items = []
    tokens: list[Token] = []
    for item in items:
        if not tokens or item.start >= tokens[-1].end:
            tokens.append(_token(item.token_type.name, item.text, item.start, readable[item.start : item.end + 1]))
    tokens.append(Token(Kind.END, "", "", len(text), len(text)))
    return Lexed(readable, tuple(tokens), tuple(problems))


def _token(kind: str, value: str, start: int, source: str) -> Token:
    end = start + len(source)
    if kind == "STRING":
        return Token(Kind.STRING, value, "", start, end)
    if kind == "IDENTIFIER":
        return Token(Kind.QUOTED, value, "", start, end)
    first = source[:1]
    if first.isdigit():
        return Token(Kind.NUMBER, source, "", start, end)
    if first == "_" or first.isalpha():
        plain = "'" not in source and '"' not in source  # x'1F' and r'a' are one token each
        return Token(Kind.WORD if plain else Kind.SYMBOL, source, source.upper() if plain else "", start, end)
    return Token(Kind.SYMBOL, source, source, start, end)


_QUOTE: Final = re.compile(
    r"--[^\n\r]*|(?P<comment>/\*)|(?P<raw>\b[rR](?:'[^']*'|\"[^\"]*\"))|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`(?:[^`]|``)*`"
    r"|(?P<open>['\"`])",
    re.DOTALL,
)
_COMMENT: Final = re.compile(r"/\*|\*/")


def _unclosed(text: str) -> int:
    """Where the quote or comment begins that is not closed; the end of the text if there is none."""
    at = 0
    while match := _QUOTE.search(text, at):
        at = match.end()
        if match.group("open"):
            return match.start()
        if match.group("comment"):
            depth = 1
            while depth:
                inner = _COMMENT.search(text, at)
                if inner is None:
                    return match.start()
                depth += 1 if inner.group() == "/*" else -1
                at = inner.end()
    return len(text)


_NAMES: Final = {"'": "quoted text", '"': "quoted text", "`": "name in backticks", "/": "comment"}


def _blotted(text: str, start: int) -> tuple[str, Problem]:
    """The text without what is not closed at `start`: a comment to the end of the text, a quote to that of its line."""
    if start == len(text):
        problem = Problem((0, len(text)), "The text cannot be cut into words.", "Remove what is no SQL from it.")
        return "", problem
    opening = text[start]
    end = len(text)
    if opening != "/":
        line = re.compile(r"[\n\r]").search(text, start)
        end = line.start() if line else end
    closing = "*/" if opening == "/" else opening
    message = f"The {_NAMES[opening]} that begins here is not closed."
    problem = Problem((start, start + len(closing)), message, f"Write {closing} where it ends.")
    stand_in = "" if opening == "/" else "0" if end - start < 3 else "'?'"
    return text[:start] + stand_in + " " * (end - start - len(stand_in)) + text[end:], problem
