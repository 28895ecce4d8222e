"""Expressions evaluated on one row: the value, or what is said where an operation fails."""

from decimal import Decimal
from typing import Any, Final

from streaming.definition.type_text import parse_fields
from streaming.planning.checked import expression
from streaming.reference.expressions import evaluate
from streaming.reference.numbers import OperationFailure

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
    """The value of the expression `text`; fields that are not given are null."""
    return evaluate(expression(text, FIELDS), NULLS | payload, lambda _: None)


def why(text: str, **payload: Any) -> list[str]:
    """What is said while the expression `text` becomes null."""
    said: list[OperationFailure] = []
    assert evaluate(expression(text, FIELDS), NULLS | payload, said.append) is None
    return list(map(str, said))
