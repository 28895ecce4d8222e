"""Counts of a lane, from its first batch on, and the stored state of the lane and its clock between batches."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

import numpy as np

from streaming.engine.exchange.envelopes import LaneCounts
from streaming.engine.feed.judging.clock import OUTCOMES, Codes
from streaming.engine.state.container import HEAD, Blob, packed, unpacked
from streaming.engine.state.texts_by_key import TextsByKey
from streaming.temporal.clock import LaneClockState
from streaming.temporal.open_edges import OpenEdge
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.fast_json import decoded, encoded
from streaming.wire.measures import Measures
from streaming.wire.progress import LATENESS_BUCKETS
from streaming.wire.rows.arrived import Int64s

_VERSION: Final = 3
_BOUNDS: Final = 2 ** np.arange(1, LATENESS_BUCKETS, dtype=np.int64)
_FRESH: Final = LaneClockState()
_CLOCK_FIELDS: Final = tuple(each.name for each in fields(LaneClockState) if each.name != "open_edges")


@dataclass
class Tally:
    """Totals by outcome, reason and lateness; `measured` is of one batch alone, and not stored."""

    outcomes: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    lateness: list[int] = field(default_factory=lambda: [0] * LATENESS_BUCKETS)
    measured: Measures | None = field(default=None, compare=False)

    def count(self, outcome: Codes, exceptional: Codes) -> None:
        """Add one chunk: all codes, and separately those that are neither on_time nor reordered."""
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

    def to_json(self) -> dict[str, Any]:
        """Return the totals as JSON values, in an order that does not depend on history."""
        outcomes, reasons = (dict(sorted(each.items())) for each in (self.outcomes, self.reasons))
        return {"lateness": self.lateness, "outcomes": outcomes, "reasons": reasons}

    def totals(self, clock: LaneClockState) -> LaneCounts:
        """Return all counts, with the data of the clock."""
        return LaneCounts(
            received=sum(self.outcomes.values()),
            outcomes={Outcome(outcome): number for outcome, number in self.outcomes.items()},
            reasons={Reason(reason): number for reason, number in self.reasons.items()},
            lateness=tuple(self.lateness),
            cti=None if clock.cti == NO_CTI else clock.cti,
            ended=clock.cti == INFINITY,
            largest_start=None if clock.largest_start == NO_CTI else clock.largest_start,
            cti_suppressed=clock.cti_suppressed,
            measures={} if self.measured is None else self.measured.to_json(),
            own_cti=None if clock.cti == NO_CTI else clock.cti,
        )


@dataclass(frozen=True, slots=True)
class LaneMemory:
    """The complete state of a lane between batches; `horizon` is the largest finite time that it has seen (T4).

    `edges` are the open edges if they are too many for the clock.
    """

    clock: LaneClockState = _FRESH
    horizon: int = NO_CTI
    tally: Tally = field(default_factory=Tally)
    edges: TextsByKey | None = None


def save(memory: LaneMemory) -> bytes:
    """Return the state of a lane between batches: JSON alone, or with pieces for its open edges if they are many."""
    if memory.edges is None:
        return encoded({"version": _VERSION, **memory_to_json(memory)})
    blobs: dict[str, Blob] = {}
    stored = memory.edges.write(blobs)
    return packed({HEAD: encoded({"version": _VERSION, **memory_to_json(memory), "edges": stored}), **blobs})


def load(state: bytes | None) -> LaneMemory:
    """Read the result of `save`; a lane without state has seen nothing. Raises ValueError for another version."""
    if state is None:
        return LaneMemory()
    blobs = unpacked(state)
    read: dict[str, Any] = decoded(bytes(blobs[HEAD]))
    if read["version"] != _VERSION:
        raise ValueError(f"the lane state has version {read['version']}, this program reads version {_VERSION}")
    memory = memory_of_json(read)
    return replace(memory, edges=TextsByKey(read["edges"], blobs)) if "edges" in read else memory


def clock_in(state: bytes) -> dict[str, Any] | None:
    """Return the part of a state that `begun_with` needs, as JSON values; None for a state with many open edges."""
    blobs = unpacked(state)
    if len(blobs) > 1:
        return None
    read: dict[str, Any] = decoded(bytes(blobs[HEAD]))
    return {name: read[name] for name in ("clock", "horizon")}


def begun_with(clock: Mapping[str, Any]) -> bytes:
    """Return the state of a lane that continues with the clock of another run and has counted nothing."""
    return save(LaneMemory(clock_of_json(clock["clock"]), clock["horizon"]))


def memory_to_json(memory: LaneMemory) -> dict[str, Any]:
    """`memory` as JSON values."""
    return {"clock": clock_to_json(memory.clock), "horizon": memory.horizon, "tally": memory.tally.to_json()}


def memory_of_json(read: Mapping[str, Any]) -> LaneMemory:
    """Read the result of `memory_to_json`."""
    return LaneMemory(clock_of_json(read["clock"]), read["horizon"], Tally(**read["tally"]))


def clock_to_json(clock: LaneClockState) -> dict[str, Any]:
    """Return `clock` as JSON values; values of a fresh clock are left out, so that many clocks stay small."""
    # not dataclasses.asdict, which copies deeply: this runs for every lane of every binding in every batch
    values = {name: getattr(clock, name) for name in _CLOCK_FIELDS}
    stored = {name: value for name, value in values.items() if value != getattr(_FRESH, name)}
    edges = [[each.original, each.payload_key, each.start, each.position] for each in clock.open_edges]
    return stored | {"open_edges": edges} if edges else stored


def clock_of_json(read: Mapping[str, Any]) -> LaneClockState:
    """Read the result of `clock_to_json`."""
    edges = tuple(OpenEdge(*each) for each in read.get("open_edges", ()))
    return LaneClockState(**{name: read[name] for name in _CLOCK_FIELDS if name in read}, open_edges=edges)
