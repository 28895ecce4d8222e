"""Faults of an expression, with their place in the text."""

from dataclasses import dataclass
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.faults import FaultCode

MAX_DEPTH: Final = 100
"""The largest depth of an expression."""
MAX_CHARACTERS: Final = 10_000
"""The longest text of an expression."""


@dataclass(frozen=True, slots=True)
class ExpressionFault:
    """One fault of an expression; `at` is the offset in characters from the start of the text."""

    code: FaultCode
    message: str
    remedy: str
    at: int


class ExpressionError(ValueError):
    """An expression that cannot be parsed; holds its one fault."""

    def __init__(self, fault: ExpressionFault) -> None:
        super().__init__(f"{fault.message}; {fault.remedy}")
        self.fault = fault


def bad_expression(message: str, remedy: str, at: int) -> ExpressionError:
    """Return the error for text that is not in the language."""
    return ExpressionError(ExpressionFault(FaultCode.BAD_EXPRESSION, message, remedy, at))


def too_deep(at: int) -> ExpressionError:
    """Return the error for an expression that is nested too deeply."""
    return bad_expression(
        f"The expression is nested more than {MAX_DEPTH} levels deep",
        "compute parts of it in a project node before this one, or write a long chain of '=' and 'or' as in (...)",
        at,
    )


def too_long(characters: int) -> ExpressionError:
    """Return the error for a text of so many characters."""
    return bad_expression(
        f"The expression has {counted(characters, 'character')}; at most {MAX_CHARACTERS:,} are allowed",
        "compute parts of it in a project node before this one",
        MAX_CHARACTERS,
    )
