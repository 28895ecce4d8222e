"""Exponential backoff: the wait before a retry doubles after each failure, up to a limit, with jitter."""

import random
from dataclasses import dataclass
from typing import Final

FIRST_S: Final = 1.0
LONGEST_S: Final = 300.0


@dataclass
class Backoff:
    """`chance` draws the jitter: between half of the wait and the whole, so that many clients don't retry together."""

    chance: random.Random
    failures: int = 0

    def failed(self) -> float:
        """Count one more failure; return the seconds to wait, at most `LONGEST_S`."""
        self.failures += 1
        whole: float = min(FIRST_S * 2.0 ** min(self.failures - 1, 30), LONGEST_S)
        return whole * (0.5 + self.chance.random() / 2)

    def succeeded(self) -> None:
        """Reset the number of failures."""
        self.failures = 0
