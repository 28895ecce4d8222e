"""Service levels of a binding: what its operator promises, kept with its definition."""

from decimal import Decimal
from typing import Annotated, Final

from pydantic import AfterValidator, Field

USUAL_COMPLETENESS: Final = 99.9
LEAST: Final = 50.0
MOST: Final = 99.999
"""A level of 100 % has no budget: a single row would break it for 30 days."""


def _level(percent: float) -> float:
    if not LEAST <= percent <= MOST or Decimal(str(percent)) % Decimal("0.001"):
        raise ValueError(f"A completeness is {LEAST:g} to {MOST:g} %, with at most three decimals, for example 99.9.")
    return float(percent)


Completeness = Annotated[float, Field(strict=True), AfterValidator(_level)]
"""The share of received rows that must be in results, over 30 days, in percent."""
