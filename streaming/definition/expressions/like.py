"""LIKE patterns: `%` is any text, `_` one code point; after a backslash, `%`, `_` and `\\` are literal."""

from typing import Final

_META: Final = frozenset("\\.+*?()|[]{}^$#&-~")


class PatternError(ValueError):
    """A pattern that ends in a backslash or escapes something that needs no escape."""


def like_regex(pattern: str) -> str:
    """Return a regular expression, without anchors, for a whole text; for Python's `re` and Rust's `regex`.

    Any text and one code point include line breaks. Raises `PatternError`.

    >>> like_regex("a_%")
    '(?s:a..*)'
    """
    parts: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if character == "%":
            parts.append(".*")
        elif character == "_":
            parts.append(".")
        else:
            literal = _read_escape(next(characters, "")) if character == "\\" else character
            parts.append(f"\\{literal}" if literal in _META else literal)
    return f"(?s:{''.join(parts)})"


def _read_escape(character: str) -> str:
    if character not in ("%", "_", "\\"):
        raise PatternError("a backslash in a LIKE pattern is allowed only before %, _ or another backslash")
    return character
