"""Names that people type: one line of characters that look like what they are."""

import unicodedata
from typing import Annotated, Final

from pydantic import AfterValidator

_CATEGORIES: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_DIRECTIONS: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""What turns the direction of the text around a name, so that it reads as another."""


def shown_as_typed(name: str) -> str:
    """Return `name`. Raises `ValueError` for control characters, line ends, and what turns the direction of text."""
    for each in name:
        if unicodedata.category(each) in _CATEGORIES or each in _DIRECTIONS:
            raise ValueError(
                f"the character U+{ord(each):04X} cannot stand in a name: it is not seen, or turns the text around "
                "it reads; take it out"
            )
    return name


AS_TYPED: Final = AfterValidator(shown_as_typed)
"""Stands behind the constraints of a type: pydantic applies in their order what comes after a function."""
PlainName = Annotated[str, AS_TYPED]
"""A name that cannot pass for another by characters that nobody sees."""
