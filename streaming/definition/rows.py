"""Rows in order: the order of the events of a group, and the field with their start (TEMPORAL, section 8)."""

from typing import Annotated, Final

from pydantic import Field

from streaming.definition.payload.types import TIMESTAMP, Fields
from streaming.definition.strict import ExpressionText, Strict

ROW_START: Final = "_start"
"""The start of a row, as a timestamp, in expressions on rows in order; reserved as a name."""


class RowOrder(Strict):
    """One ORDER BY expression after the start of rows: rising with nulls first, or `descending` with nulls last."""

    of: ExpressionText
    descending: bool = False


OrderBy = Annotated[list[RowOrder], Field(default_factory=list, max_length=100)]
"""The order of rows with equal starts, before the order of their payloads (T27)."""


def row_fields(fields: Fields) -> Fields:
    """Return the fields that expressions on rows in order see: those of the events, and the start."""
    return {**fields, ROW_START: TIMESTAMP}
