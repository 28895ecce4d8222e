"""The form of names, and characters that no name may have: invisible ones, and those that change the direction."""

import unicodedata
from typing import Final

NAME_PATTERN: Final = r"^[A-Za-z_][A-Za-z0-9_]{0,62}$"
"""The form of names of nodes, streams and fields."""
_CATEGORIES: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_DIRECTIONS: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def hidden_character(name: str) -> str | None:
    """Return the first control character, line end or direction mark of `name`, as `U+202E`; None without one."""
    for each in name:
        if unicodedata.category(each) in _CATEGORIES or each in _DIRECTIONS:
            return f"U+{ord(each):04X}"
    return None
