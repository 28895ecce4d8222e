"""How long to wait before something that failed is tried again: twice as long each time, up to a limit, with jitter."""

import random
from dataclasses import dataclass
from typing import Final

FIRST_S: Final = 1.0
LONGEST_S: Final = 300.0


@dataclass
class Backoff:
    """`chance` draws the jitter: between half of the wait and the whole, so that many do not come back together."""

    chance: random.Random
    failures: int = 0

    def failed(self) -> float:
        """One more failure: the seconds to wait, at most `LONGEST_S`."""
        self.failures += 1
        whole: float = min(FIRST_S * 2.0 ** min(self.failures - 1, 30), LONGEST_S)
        return whole * (0.5 + self.chance.random() / 2)

    def succeeded(self) -> None:
        """Begin anew."""
        self.failures = 0
