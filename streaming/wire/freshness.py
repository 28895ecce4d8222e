"""Freshness of results: a person chooses it for a binding, from 200 ms to an hour."""

from enum import StrEnum
from typing import Final

from streaming.temporal.ticks import parse_duration


class Freshness(StrEnum):
    """The longest time that an available row waits before a batch reads it; processing the batch takes extra time.

    Fresher costs more: bindings that share a carrier get batches as often as the freshest one with waiting rows needs.
    """

    FIFTH_OF_A_SECOND = "200ms"
    SECOND = "1s"
    FIVE_SECONDS = "5s"
    QUARTER_OF_A_MINUTE = "15s"
    MINUTE = "1m"
    FIVE_MINUTES = "5m"
    QUARTER_OF_AN_HOUR = "15m"
    HOUR = "1h"

    @property
    def ticks(self) -> int:
        """The freshness in ticks."""
        return parse_duration(self.value)


USUAL: Final = Freshness.FIVE_SECONDS
"""The default."""
