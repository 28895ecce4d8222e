"""Calls without a result, constants that a function does not take, and the largest text that a function returns."""

from typing import Final, Literal

MOST_BYTES: Final = 1 << 20
"""The largest size, in bytes of UTF-8, of a text that a function makes."""


class FunctionFailure(ArithmeticError):
    """A call that has no result for these values: null, counted as a failure of `kind` (T5)."""

    def __init__(self, why: str, kind: Literal["argument", "overflow", "too_long"] = "argument") -> None:
        super().__init__(why)
        self.kind: Final = kind


class InvalidConstant(ValueError):
    """A constant that a function does not take; `remedy` says what to write, `place` counts the constants from 0."""

    def __init__(self, why: str, remedy: str, place: int = 0) -> None:
        super().__init__(why)
        self.remedy: Final = remedy
        self.place: Final = place


def in_length(text: str) -> str:
    """Return `text`. Raises `FunctionFailure` if it is longer than MOST_BYTES."""
    if len(text) > MOST_BYTES or (4 * len(text) > MOST_BYTES and len(text.encode()) > MOST_BYTES):
        raise FunctionFailure(f"a text is longer than {MOST_BYTES} bytes", "too_long")
    return text
