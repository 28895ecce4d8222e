"""What is wrong with an expression, and where."""

from dataclasses import dataclass

from streaming.definition.faults import FaultCode


@dataclass(frozen=True, slots=True)
class ExpressionFault:
    """One fault of an expression; `at` is the offset in characters from its beginning."""

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
    """The error for text that is not in the language."""
    return ExpressionError(ExpressionFault(FaultCode.BAD_EXPRESSION, message, remedy, at))
