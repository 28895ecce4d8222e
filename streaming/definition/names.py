"""Pydantic types of names and durations in the form that a user writes."""

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, StrictInt

from streaming.definition.plain_names import NAME_PATTERN
from streaming.temporal.ticks import TimeTextError, named_zone, parse_duration


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


def _existing(value: str) -> str:
    try:
        named_zone(value)
    except ValueError:
        raise ValueError(f"{value!r} is not a time zone; write an IANA name, such as 'Europe/Zurich'") from None
    return value


Name = Annotated[str, Field(pattern=NAME_PATTERN)]
"""An id or a name: a letter or underscore, then up to 62 letters, digits or underscores; compared exactly."""
WholeNumber = StrictInt
"""A whole number; unlike in Python, `true` isn't accepted as 1."""
DurationText = Annotated[int | str, BeforeValidator(_readable)]
"""Ticks as a whole number, or text such as `10s`, `-1tick` or `PT5M`; stored as written."""


ZoneName = Annotated[str, Field(max_length=100), AfterValidator(_existing)]
"""A time zone of the IANA database, such as `Europe/Zurich`."""
LengthText = Annotated[DurationText, AfterValidator(_not_negative)]
"""A duration that is not negative."""


def length_ticks(length: int | str) -> int:
    """Return the ticks of a `LengthText`. Raises `TimeTextError` for text that is not a duration."""
    return parse_duration(length)
