"""Names and durations as a user writes them, as pydantic types."""

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, StrictInt

from streaming.definition.tokens import NAME_PATTERN
from streaming.temporal.ticks import TimeTextError, parse_duration


def _readable(value: int | str) -> int | str:
    try:
        parse_duration(value)
    except TimeTextError as error:
        raise ValueError(str(error)) from None
    return value


def _not_negative(value: int | str) -> int | str:
    if parse_duration(value) < 0:
        raise ValueError(f"{value!r} is negative; write a duration of 0s or more")
    return value


Name = Annotated[str, Field(pattern=NAME_PATTERN)]
"""An id or a name: a letter or underscore, then up to 62 letters, digits or underscores; compared exactly."""
WholeNumber = StrictInt
"""A number of things; `true`, which Python takes for 1, is none."""
DurationText = Annotated[int | str, BeforeValidator(_readable)]
"""Ticks as a whole number, or text such as `10s`, `-1tick` or `PT5M`; kept as it was written."""
ExpressionText = Annotated[str, Field(min_length=1, max_length=10_000)]
"""A scalar expression in the documented subset of Spark SQL; parsed and typed by `check`."""
LengthText = Annotated[DurationText, AfterValidator(_not_negative)]
"""A duration that is not negative."""


def length_ticks(length: int | str) -> int:
    """The ticks of a length that was read. Raises `TimeTextError` for any other text."""
    return parse_duration(length)
