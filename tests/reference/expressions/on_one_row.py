"""Expressions evaluated on one row: the value, or the failures of its operations."""

from decimal import Decimal
from typing import Any, Final

from streaming.definition.payload.type_text import parse_fields
from streaming.planning.checked import expression
from streaming.reference.expressions.evaluation import evaluate
from streaming.reference.expressions.numbers import OperationFailure

FIELDS: Final = parse_fields(
    {
        "l": "long",
        "d": "double",
        "m": "decimal(10,2)",
        "w": "decimal(38,0)",
        "s": "string",
        "b": "boolean",
        "t": "timestamp",
        "a": "array<long>",
        "r": "struct<x: long, y: struct<z: string>>",
    }
)
NULLS: Final[dict[str, Any]] = dict.fromkeys(FIELDS)
BIGGEST, SMALLEST = 2**63 - 1, -(2**63)
WIDEST = Decimal("9" * 38)


def value(text: str, **payload: Any) -> Any:
    """Return the value of the expression `text`; other fields are null."""
    return evaluate(expression(text, FIELDS), NULLS | payload, lambda _: None)


def why(text: str, **payload: Any) -> list[str]:
    """Return the failures while the expression `text` becomes null."""
    failures: list[OperationFailure] = []
    assert evaluate(expression(text, FIELDS), NULLS | payload, failures.append) is None
    return list(map(str, failures))
