"""Names, quoted texts, durations and literals in the form of a text."""

import re
from collections.abc import Iterable
from typing import Final

from streaming.definition.sql.grammar.words import IN_BACKTICKS, KEYWORDS
from streaming.definition.tokens import TokenKind, lex

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_STEP: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|`(?:[^`]|``)+`", re.ASCII)
_DURATION: Final = re.compile(r"-?\d{1,20}(us|ms|s|m|h|d|ticks?)", re.ASCII)


def is_keyword(text: str) -> bool:
    """Return whether `text` needs backticks as a name."""
    return text.upper() in IN_BACKTICKS


def name(text: str) -> str:
    """Return a name, in backticks if it could be read as a keyword or isn't a plain name."""
    return f"`{text.replace('`', '``')}`" if is_keyword(text) or not _PLAIN.fullmatch(text) else text


def names(texts: Iterable[str]) -> str:
    """Return names separated by commas."""
    return ", ".join(map(name, texts))


def quoted(text: str) -> str:
    """Return a quoted text that is read as `text`."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def duration(value: int | str) -> str:
    """Return a duration that is read as `value`: ticks as a whole number, a plain token such as `5m`, else quoted."""
    if isinstance(value, int):
        return str(value)
    return value if _DURATION.fullmatch(value) else quoted(value)


def literal(value: str | int | bool | None) -> str:
    """Return a constant."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return str(value) if isinstance(value, int) else quoted(value)


def path(text: str) -> str:
    """Return the path of an event time: unchanged if it consists of names or names in backticks, else quoted."""
    steps = _STEP.findall(text)
    plain = ".".join(steps) == text and not any(map(is_keyword, steps))
    return text if plain else quoted(text)


def preset(text: str) -> str:
    """Return a preset: unchanged if it is a name with arguments in parentheses, else quoted."""
    lexed = lex(text)
    tokens = lexed.tokens[:-1]
    whole = bool(tokens) and (tokens[0].start, tokens[-1].end) == (0, len(text)) and not lexed.unclosed
    plain = whole and tokens[0].kind is TokenKind.WORD
    words = [token.word for token in tokens[1:]]
    called = not words or (words[0] == "(" and words[-1] == ")" and not {"(", ")", ";"} & {*words[1:-1]})
    return text if plain and called and tokens[0].word not in KEYWORDS else quoted(text)
