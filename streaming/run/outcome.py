"""What an executor tells while it runs, and what it counted."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa

from streaming.wire.failures import FailureCount
from streaming.wire.messages import LateEvent

Row = tuple[int, int, Mapping[str, Any]]
"""Start and end in ticks (INFINITY for open), and the payload as the model holds it."""


class Sink(Protocol):
    """Takes what a run gives, in the order in which it leaves."""

    def read(self, rows: int) -> None:
        """So many rows more were read, CTIs included."""

    def begin(self, stage: str) -> None:
        """What is done from now on, where no row is read for longer than a second."""

    def rows(self, output: str, rows: Iterable[Row]) -> None:
        """Rows of an output."""

    def table(self, output: str, rows: pa.Table) -> None:
        """The same in columns: start and end, by position, then the fields."""

    def late(self, event: LateEvent) -> None:
        """A row that was changed, or that no result contains."""

    def failures(self, counts: Iterable[FailureCount]) -> None:
        """On how many rows expressions failed, so that they are null there (T5): once, at the end."""


@dataclass
class Counted:
    """What became of the rows of one input: how many had each outcome (T12), and each reason."""

    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def received(self) -> int:
        """All rows but CTIs."""
        return sum(self.outcomes.values())
