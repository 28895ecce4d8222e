"""The organisation's limit of rows read each second: a bucket that time fills and reading empties.

How full it is stands in the offset, so that neither a restart nor a crash gives more. The limit decides only how far a
new batch reads; a journaled batch is run again as it was planned.
"""

import json
from dataclasses import dataclass

from streaming.wire.storage import BlobFolder

BURST_S = 5
"""So many seconds of the limit may be saved up: a batch may take that long without the rate falling below the limit."""
TICKS_PER_S = 1_000_000
RATE = "rate.json"


def write_rate(folder: BlobFolder, per_second: int | None, organisation: str = "") -> None:
    """Let the bindings of the carrier `folder` read `per_second` rows in all from the next batch on; None: any.

    In a pooled carrier those of `organisation` alone; nobody writes beside.
    """
    rates = read_rates(folder)
    rates.pop(organisation, None)
    if per_second is not None:
        rates[organisation] = per_second
    said = rates if organisation else per_second
    folder.write(RATE, json.dumps(said).encode())


def read_rates(folder: BlobFolder) -> dict[str, int]:
    """The rows that may be read each second, of those organisations that have a limit; "" where all are of one."""
    content = folder.read(RATE)
    found: int | dict[str, int] | None = None if content is None else json.loads(content)
    if isinstance(found, dict):
        return found
    return {} if found is None else {"": found}


@dataclass(frozen=True)
class Allowance:
    """What may be read now: `spare` in millionths of rows, below 0 where a batch read more than it was allowed."""

    per_second: int
    spare: int

    @classmethod
    def at(cls, per_second: int, spare: int | None, passed: int) -> "Allowance":
        """The allowance `passed` ticks after `spare` was left; None: nothing was limited before, the bucket is full."""
        full = per_second * BURST_S * TICKS_PER_S
        return cls(per_second, full if spare is None else min(full, spare + per_second * passed))

    @property
    def rows(self) -> int:
        """Whole rows that may be read."""
        return max(0, self.spare // TICKS_PER_S)

    @property
    def worth_reading(self) -> bool:
        """Whether a second of the limit is there: smaller batches would cost more than they read."""
        return self.spare >= max(self.per_second, 1) * TICKS_PER_S

    def without(self, rows: int) -> int:
        """What is spare after `rows` were read."""
        return self.spare - rows * TICKS_PER_S
