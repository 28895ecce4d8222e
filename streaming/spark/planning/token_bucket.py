"""The organisation's limit of rows read per second: a token bucket that time fills and reading empties.

Its level is part of the offset, so neither a restart nor a crash gives extra rows. The limit only decides how far a
new batch reads; a journaled batch is repeated as it was planned.
"""

import json
import logging
from dataclasses import dataclass

from streaming.storage.blobs import BlobFolder
from streaming.temporal.ticks import TICKS_PER_S

log = logging.getLogger(__name__)

BURST_S = 5
"""The largest saving, in seconds of the limit: a batch may take that long and the rate still reaches the limit."""
RATE = "rate.json"


def write_rate(folder: BlobFolder, per_second: int | None, organisation: str = "") -> None:
    """Let the bindings of the carrier `folder` read `per_second` rows in total from the next batch on; None: no limit.

    In a pooled carrier this limits only the bindings of `organisation`. There must be no other writer.
    """
    rates = read_rates(folder)
    rates.pop(organisation, None)
    if per_second is not None:
        rates[organisation] = per_second
    content = rates if organisation else per_second
    folder.write(RATE, json.dumps(content).encode())


def read_rates(folder: BlobFolder) -> dict[str, int]:
    """Read the rows per second of each organisation with a limit; "" if all bindings belong to one."""
    content = folder.read(RATE)
    try:
        found: int | dict[str, int] | None = None if content is None else json.loads(content)
    except ValueError:
        log.exception("Could not read %s. The driver writes it again.", RATE)
        return {}
    if isinstance(found, dict):
        return found
    return {} if found is None else {"": found}


@dataclass(frozen=True)
class TokenBucket:
    """The rows that may be read now: `spare` in millionths of rows, below 0 if a batch read more than allowed."""

    per_second: int
    spare: int

    @classmethod
    def at(cls, per_second: int, spare: int | None, passed: int) -> "TokenBucket":
        """Return the allowance `passed` ticks after `spare` was left; None: no limit before, so the bucket is full."""
        full = per_second * BURST_S * TICKS_PER_S
        return cls(per_second, full if spare is None else min(full, spare + per_second * passed))

    @property
    def rows(self) -> int:
        """The whole rows that may be read."""
        return max(0, self.spare // TICKS_PER_S)

    @property
    def worth_reading(self) -> bool:
        """True if at least one second of the limit is available: smaller batches would cost more than they read."""
        return self.spare >= max(self.per_second, 1) * TICKS_PER_S

    def without(self, rows: int) -> int:
        """Return the spare rows after `rows` were read."""
        return self.spare - rows * TICKS_PER_S
