"""Times, lengths and lists in the sentences of a simulation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from streaming.definition.counts import counted
from streaming.temporal.ticks import (
    FIRST_TICK,
    INFINITY,
    LAST_TICK,
    NO_CTI,
    Tick,
    Ticks,
    format_duration,
    spell_instant,
)

_DAY = 86_400_000_000
MOST_LISTED = 8
"""A sentence names at most so many rows and counts the rest."""


@dataclass(frozen=True)
class TimeWords:
    """The format of instants: without the date if all of the sample are on the day `day` (of the epoch)."""

    day: int | None
    _known: dict[int, str] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, instants: Iterable[int]) -> "TimeWords":
        """Return the format for a sample with these finite times."""
        days = {instant // _DAY for instant in instants}
        return cls(days.pop() if len(days) == 1 else None)

    def at(self, tick: int) -> str:
        """Format an instant: `10:00:03`, or with its date if days differ."""
        if tick not in self._known:
            self._known[tick] = self._spelled(tick)
        return self._known[tick]

    def _spelled(self, tick: int) -> str:
        if tick == INFINITY:
            return "infinity"
        spelled = spell_instant(Tick(tick))
        if self.day is not None and FIRST_TICK <= tick <= LAST_TICK and tick // _DAY == self.day:
            return spelled.partition(" ")[2].removesuffix("Z")
        return spelled

    def span(self, start: int, end: int) -> str:
        """Format a lifetime; a point by its instant alone."""
        return f"at {self.at(start)}" if end == start + 1 else f"[{self.at(start)}, {self.at(end)})"


def length(ticks: int) -> str:
    """Format a length exactly: `5 s`, `1500 ms`, `2.08199 s`, `1 tick`."""
    text = format_duration(Ticks(ticks))
    if text.endswith("us") and abs(ticks) > _IN_MS:
        unit, size = ("s", 1_000_000) if abs(ticks) > 1_000_000 else ("ms", _IN_MS)
        return f"{(Decimal(ticks) / size).normalize():f} {unit}"
    if text.endswith(("tick", "us")):
        return counted(abs(ticks), "tick") if ticks >= 0 else f"-{counted(-ticks, 'tick')}"
    unit = text.lstrip("-0123456789")
    return f"{text.removesuffix(unit)} {_UNITS.get(unit, unit)}"


_UNITS = {"m": "min"}
_IN_MS = 1_000


def generated_by(row: str, at: int, delay: int, times: TimeWords, *, own: bool) -> str:
    """Name the row that generated the CTI `at`: `set by row 41 (10:00:10 minus 5 s)`.

    `own`: by its own start, not by a larger one.
    """
    basis = times.at(at + delay)
    sum_of = f"{basis} minus {length(delay)}" if delay >= 0 else f"{basis} plus {length(-delay)}"
    return f"set by {row} ({'' if own else 'the largest start, '}{sum_of})"


def made_of(rows: str) -> str:
    """Name the origins of a row; a row that fills a gap has none."""
    return f"Made of {rows}." if rows else "Made of no rows: it fills a gap."


def came_out_with(cti: str, node: str) -> str:
    """Name the CTI of the input `node` that released a row."""
    return f"It came out with {cti} of {node!r}."


def closes_at(until: str) -> str:
    """Name the CTI that a pane waits for."""
    return f"It closes when the CTI reaches {until}"


def stands_at(node: str, cti: str | None) -> str:
    """Report the CTI of the input `node`."""
    return f"The CTI of {node!r} {'is not set yet' if cti is None else f'is at {cti}'}."


def never_moves(node: str) -> str:
    """Report that nothing brings CTIs on the input `node`."""
    return f"Nothing brings CTIs on {node!r}, so its time never moves before it ends."


def would_bring(which: str, node: str, start: str, lanes: str) -> str:
    """Describe which row of the input `node` would bring the awaited CTI."""
    return f"{which} of {node!r} that starts at {start} or later{lanes} would bring it."


def rows_named(numbers: Sequence[int]) -> str:
    """`row 3`, `rows 3, 4 and 9`, or `rows 3, 4 ... and 20 more`."""
    if len(numbers) == 1:
        return f"row {numbers[0]}"
    shown = [str(number) for number in numbers[:MOST_LISTED]]
    if len(numbers) > MOST_LISTED:
        return f"rows {', '.join(shown)} and {len(numbers) - MOST_LISTED} more"
    return f"rows {', '.join(shown[:-1])} and {shown[-1]}"


def finite(tick: int) -> int | None:
    """Return `tick`; None for infinity and for no time at all."""
    return None if tick in (INFINITY, NO_CTI) else tick
