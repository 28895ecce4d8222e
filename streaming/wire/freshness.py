"""How old results may be: what a person chooses for a binding, from 200 ms to an hour."""

from enum import StrEnum
from typing import Final

from streaming.temporal.ticks import parse_duration


class Freshness(StrEnum):
    """So long a row may wait, once it is there, before a batch reads it; the batch itself takes some time beside.

    Fresher costs more: batches follow the most impatient of the bindings that share a carrier and have rows waiting.
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
        """The same in ticks."""
        return parse_duration(self.value)


USUAL: Final = Freshness.FIVE_SECONDS
"""What holds where nobody chose."""
