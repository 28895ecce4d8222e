"""Service levels of a binding: what its operator promises, kept with its definition."""

from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from streaming.definition.strict import Strict

USUAL_COMPLETENESS: Final = 99.9
LEAST: Final = 50.0
MOST: Final = 99.999
"""A level of 100 % has no budget: a single row would break it for 30 days."""


def _level(percent: float) -> float:
    if not LEAST <= percent <= MOST or Decimal(str(percent)) % Decimal("0.001"):
        raise ValueError(f"A level is {LEAST:g} to {MOST:g} %, with at most three decimals, for example 99.9.")
    return float(percent)


Level = Annotated[float, Field(strict=True), AfterValidator(_level)]
Completeness = Level
"""The share of received rows that must be in results, over 30 days, in percent."""
LONGEST_S: Final = 86_400


class FreshnessLevel(Strict):
    """In `share` percent of the minutes of 30 days, results are at most `within_s` seconds late.

    They are late by the time since the CTI, without the delay that generates it.
    """

    within_s: Annotated[int, Field(ge=1, le=LONGEST_S)]
    share: Level = 99.0


def read_level(stored: Any) -> FreshnessLevel | None:
    """Return a stored freshness level."""
    return None if stored is None else FreshnessLevel.model_validate(stored)


def stored_level(level: FreshnessLevel | None) -> dict[str, Any] | None:
    """Return a freshness level as it is stored, and as files have it."""
    return None if level is None else level.model_dump(mode="json")
