"""The quarantined rows of an input that a longer delay of its CTIs would have kept, exactly and without a run.

A clock whose CTIs are all generated, or derived from generated ones, moves back by the ticks that the delay is longer.
So a late row that met the CTI `c` would have met `c - added`. When a CTI is due depends on the rows alone, not on the
delay or on which rows were late.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from streaming.definition.checks.advance import to_temporal
from streaming.definition.streams.stream import AdvanceTimeSettings, Rowtime, StreamDefinition
from streaming.temporal.events import Shape
from streaming.temporal.outcomes import Outcome
from streaming.temporal.settings import AdvanceTime, Late
from streaming.temporal.ticks import LAST_TICK

_LATE: Final = frozenset({Outcome.DROPPED_LATE, Outcome.ADJUSTED, Outcome.SHIFTED})


@dataclass(frozen=True, slots=True)
class DelayedClock:
    """The clock of an input whose late rows depend on its delay alone.

    `delay` is in ticks. `lag`: by how many ticks, at most, the CTI of a lane is below its largest start, in addition to
    `delay`; None without such a bound. `raises_lanes`: a lane may be raised to the CTI of the others.
    """

    delay: int
    late: Late
    lag: int | None
    raises_lanes: bool


def clock_with_delay(stream: StreamDefinition, settings: AdvanceTimeSettings | None) -> DelayedClock | str:
    """Return the clock of an input; or a sentence why its late rows do not depend on a delay alone.

    `settings` are those of the binding, which replace the stream's. CTIs that rows of the input contain count as
    generated ones: the definition doesn't show whether it has some.
    """
    advance = to_temporal(stream.advance, settings)
    why = _why_not(stream, advance)
    if why is not None or advance.generate is None:
        return why or _NO_DELAY
    generate = advance.generate
    waits = generate.every_ticks if generate.every_count is None else generate.every_count
    bounded = generate.every_count in (None, 1)
    lag = max(int(waits or 1), int(generate.minimum_gap)) - 1 if bounded else None
    raises_lanes = advance.idle_after is not None or advance.over is not None or stream.history is not None
    return DelayedClock(generate.delay, advance.late, lag, raises_lanes)


_NO_DELAY: Final = "This input generates no CTIs, so it has no delay."


def _why_not(stream: StreamDefinition, advance: AdvanceTime) -> str | None:
    reasons = {
        f"The CTIs of this input are those of {advance.import_from!r}. Change the delay there.": advance.import_from,
        "This input is a table: a row that is late may also have been replaced by a newer one.": (
            stream.shape is Shape.TABLE
        ),
        "Starts and ends of edges depend on each other, so their late rows alone do not show the effect of another "
        "delay. Try it in the simulator, on a sample.": stream.shape is Shape.EDGE,
        _NO_DELAY: advance.generate is None,
        "This input keeps its late rows, and windows decide which of them count. Set the grace of the windows.": (
            advance.late is Late.KEEP
        ),
        "The start of a row is its arrival, so no row is late.": stream.rowtime is Rowtime.IMPLICIT,
        "The CTI of this input also follows the arrival of its rows (late_arrival), which no delay changes.": (
            advance.late_arrival is not None
        ),
    }
    return next((sentence for sentence, applies in reasons.items() if applies), None)


@dataclass(frozen=True, slots=True)
class NeededDelay:
    """By how many ticks the delay must be longer to take a late row: at least in part (`kept`), and unchanged."""

    kept: int
    unchanged: int


def needed_delay(row: Mapping[str, Any]) -> NeededDelay | None:
    """Return how much longer the delay of a `DelayedClock` must be for `row`, a stored `LateEvent`.

    None if no delay keeps it (it is malformed, too early, or arrived after the end of its lane), and for a row that
    is not late.
    """
    start, cti = row["start"], row["cti"]
    if row["outcome"] not in _LATE or start is None or cti is None or not start < cti <= LAST_TICK:
        return None
    unchanged = cti - start
    if row["outcome"] != Outcome.DROPPED_LATE:
        return NeededDelay(0, unchanged)
    end = row["end"]
    if row["policy"] == Late.ADJUST and end is not None:
        return NeededDelay(cti - end + 1, unchanged)
    return NeededDelay(unchanged, unchanged)


class LateRows:
    """The late rows of an input, counted for every longer delay; `fixed` dropped rows are kept by none."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        kept, changed_until = [], []
        self.dropped = self.changed = self.fixed = 0
        for row in rows:
            is_dropped = row["outcome"] == Outcome.DROPPED_LATE
            needed = needed_delay(row)
            self.dropped += is_dropped
            if needed is None:
                self.fixed += is_dropped
                continue
            self.changed += not is_dropped
            kept.append(needed.kept)
            changed_until.append(needed.unchanged)
        self._kept, self._unchanged = sorted(kept), sorted(changed_until)

    def dropped_with(self, added: int) -> int:
        """Return how many rows are dropped late with a delay that is `added` ticks longer."""
        return self.fixed + len(self._kept) - bisect_right(self._kept, added)

    def changed_with(self, added: int) -> int:
        """Return how many rows are adjusted or shifted with a delay that is `added` ticks longer."""
        return bisect_right(self._kept, added) - bisect_right(self._unchanged, added)

    def smallest(self, dropped: int) -> int | None:
        """Return by how much the delay must be longer so that at most `dropped` rows are dropped late.

        None if no delay suffices.
        """
        wanted = len(self._kept) - (dropped - self.fixed)
        if dropped < self.fixed:
            return None
        return 0 if wanted <= 0 else self._kept[wanted - 1]

    def steps(self, most: int) -> Sequence[int]:
        """Return at most `most` delays at which fewer rows are dropped, rising, evenly by rows, with the last one."""
        every = sorted({each for each in self._kept if each > 0})
        if len(every) <= most:
            return every
        return sorted({every[-1 - round(number * (len(every) - 1) / (most - 1))] for number in range(most)})
