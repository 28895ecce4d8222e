"""Counts of a lane, from its first batch on, and what remembers them between batches."""

import json
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from streaming.engine.clock import OUTCOMES, ClockState, Codes
from streaming.engine.envelopes import LaneCounts
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.arrived import Int64s
from streaming.wire.messages import LATENESS_BUCKETS

_VERSION = 1
_BOUNDS = 2 ** np.arange(1, LATENESS_BUCKETS, dtype=np.int64)


@dataclass
class Tally:
    """Totals by outcome, reason and lateness."""

    outcomes: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    lateness: list[int] = field(default_factory=lambda: [0] * LATENESS_BUCKETS)

    def count(self, outcome: Codes, exceptional: Codes) -> None:
        """Add one chunk: all codes, and apart those that are neither on_time nor reordered."""
        for code in (0, 1):
            self._add(OUTCOMES[code], int(np.count_nonzero(outcome == code)))
        for code, number in enumerate(np.bincount(exceptional, minlength=0).tolist()):
            self._add(OUTCOMES[code], number)

    def _add(self, outcome: Outcome, number: int) -> None:
        if number:
            self.outcomes[outcome] = self.outcomes.get(outcome, 0) + number

    def explain(self, reason: Reason, number: int) -> None:
        """Count a reason `number` times."""
        self.reasons[reason] = self.reasons.get(reason, 0) + number

    def delayed(self, lateness: Int64s) -> None:
        """Count violations by how late they were."""
        if len(lateness):
            found = np.bincount(np.searchsorted(_BOUNDS, lateness, side="right"), minlength=LATENESS_BUCKETS)
            self.lateness = [old + new for old, new in zip(self.lateness, found.tolist(), strict=True)]

    def totals(self, clock: ClockState) -> LaneCounts:
        """All of it, with what the clock knows."""
        return LaneCounts(
            received=sum(self.outcomes.values()),
            outcomes={Outcome(outcome): number for outcome, number in self.outcomes.items()},
            reasons={Reason(reason): number for reason, number in self.reasons.items()},
            lateness=tuple(self.lateness),
            cti=None if clock.cti == NO_CTI else clock.cti,
            ended=clock.cti == INFINITY,
            largest_start=None if clock.largest_start == NO_CTI else clock.largest_start,
            cti_suppressed=clock.cti_suppressed,
        )


def save(clock: ClockState, tally: Tally) -> bytes:
    """The state of a lane between batches: JSON with a version."""
    # not dataclasses.asdict, which copies deeply: this runs for every lane of every binding in every batch
    remembered = {each.name: getattr(clock, each.name) for each in fields(clock)}
    state = {"version": _VERSION, "clock": remembered, "tally": vars(tally)}
    return json.dumps(state, sort_keys=True, separators=(",", ":")).encode()


def load(state: bytes | None) -> tuple[ClockState, Tally]:
    """What `save` wrote; a lane without state has seen nothing. Raises ValueError for another version."""
    if state is None:
        return ClockState(), Tally()
    read: dict[str, Any] = json.loads(state)
    if read["version"] != _VERSION:
        raise ValueError(f"the lane state has version {read['version']}, this program reads version {_VERSION}")
    return ClockState(**read["clock"]), Tally(**read["tally"])
