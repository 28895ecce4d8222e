"""Names and durations as a user writes them, as pydantic types."""

from typing import Annotated

from pydantic import AfterValidator, Field

from streaming.temporal.ticks import TimeTextError, parse_duration

NAME_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]{0,62}$"


def _readable(value: int | str) -> int | str:
    try:
        parse_duration(value)
    except TimeTextError as error:
        raise ValueError(str(error)) from None
    return value


Name = Annotated[str, Field(pattern=NAME_PATTERN)]
"""An id or a name: a letter or underscore, then up to 62 letters, digits or underscores; compared exactly."""
DurationText = Annotated[int | str, AfterValidator(_readable)]
"""Ticks as a whole number, or text such as `10s`, `-1tick` or `PT5M`; kept as it was written."""
ExpressionText = Annotated[str, Field(min_length=1, max_length=10_000)]
"""A scalar expression in the documented subset of Spark SQL; parsed and typed by `check`."""
