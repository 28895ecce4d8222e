"""One attempt with the end of each of its paths, for explanations (T39)."""

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from streaming.definition.sequences.pattern import Absent, Take
from streaming.reference.sequences.path import Match, NotKnownError, Path
from streaming.reference.sequences.search import AttemptSearch, OpenPathError, TooComplexError
from streaming.temporal.ticks import Tick


class StopReason(Enum):
    """The reason why a path ended, or why it is open."""

    CONDITION = auto()
    """The condition of the variable is not true for the row."""
    WITHIN = auto()
    """The row starts too late for WITHIN, or none has come in time."""
    ENDED = auto()
    """No further row will come."""
    MOST_ROWS = auto()
    """The path has `max_rows` rows."""
    ABSENCE = auto()
    """The row satisfies the condition of the absent variable."""
    NEXT_ROW = auto()
    """Open: the next row is not known yet."""
    ABSENCE_OPEN = auto()
    """Open: a row may still end the absence."""
    LOOKS_AHEAD = auto()
    """Open: a NEXT refers to a row that is not known yet."""


OPEN: Final = frozenset((StopReason.NEXT_ROW, StopReason.ABSENCE_OPEN, StopReason.LOOKS_AHEAD))


@dataclass(frozen=True, slots=True)
class PathStop:
    """The end of `path`: `variable` was tried next, on the row `row` of the group (None: on no known row).

    `until` is the first start that is too late: for WITHIN, or for the absence; None without a bound.
    """

    path: Path
    variable: str
    reason: StopReason
    row: int | None
    until: Tick | None


@dataclass(frozen=True)
class AttemptTrace:
    """The ends of the paths of an attempt, the most preferred first, and its most preferred complete path.

    `opened` are the stops of open paths that are preferred to `complete`. `absent` is the absence that holds at its
    end. `tried` counts the conditions. `cut`: more were due than allowed, so further paths are missing.
    """

    stops: tuple[PathStop, ...]
    opened: tuple[PathStop, ...]
    complete: Match | None
    absent: Absent | None
    tried: int
    cut: bool

    @property
    def path(self) -> Path | None:
        """The path that shows how far the attempt came: the open one, else the match, else the longest one."""
        if self.opened:
            return self.opened[0].path
        if self.complete is not None:
            return self.complete.path
        return max((each.path for each in self.stops), key=lambda path: path.length, default=None)

    @property
    def reasons(self) -> tuple[PathStop, ...]:
        """The stops of that path, each variable once; none of a match."""
        if self.complete is not None and not self.opened:
            return ()
        path = self.path
        near = [each for each in self.opened or self.stops if each.path is path]
        return tuple({(each.variable, each.reason): each for each in near}.values())


@dataclass
class TracedSearch(AttemptSearch):
    """A search that records the end of each path, continues after an open one, and tries at most `most` conditions."""

    stops: list[PathStop] = field(default_factory=list)
    _held: Path | None = None
    _absence: Absent | None = None

    def trace(self) -> AttemptTrace:
        """Search up to the first complete path, or through all paths."""
        complete, cut = None, False
        try:
            complete = next(self._complete(possible=False), None)
        except TooComplexError:
            cut = True
        opened = tuple(each for each in self.stops if each.reason in OPEN)
        absent = self._absence if complete is not None and complete.certain_at is not None else None
        return AttemptTrace(tuple(self.stops), opened, complete, absent, self.tried, cut)

    def _try(self, variable: str, path: Path) -> bool:
        holds = super()._try(variable, path)
        if holds:
            self._held = path
        return holds

    def _taken(self, item: Take, path: Path, *, possible: bool) -> Path | None:
        try:
            taken = super()._taken(item, path, possible=possible)
        except OpenPathError:
            self._stop(path, item.variable, StopReason.NEXT_ROW, None)
            return None
        except NotKnownError:
            self._stop(path, item.variable, StopReason.LOOKS_AHEAD, path.last + 1)
            return None
        if taken is None:
            row = path.last + 1 if path.last + 1 < len(self.values.rows) else None
            self._stop(path, item.variable, self._reason(path, row), row)
        return taken

    def _reason(self, path: Path, row: int | None) -> StopReason:
        if path.length >= self.spec.max_rows:
            return StopReason.MOST_ROWS
        until = self._until
        if row is None:
            return StopReason.WITHIN if until is not None and self.values.at >= until else StopReason.ENDED
        late = until is not None and self.values.rows[row].start >= until
        return StopReason.WITHIN if late else StopReason.CONDITION

    @property
    def _until(self) -> Tick | None:
        within = self.spec.within
        return None if within is None else Tick(self.values.rows[self.first].start + within)

    def _stop(self, path: Path, variable: str, reason: StopReason, row: int | None) -> None:
        self.stops.append(PathStop(path, variable, reason, row, self._until))

    def _absent(self, item: Absent, path: Path, *, possible: bool) -> Tick | None:
        until = Tick(self.values.rows[path.last].start + item.duration)
        try:
            moment = super()._absent(item, path, possible=possible)
        except OpenPathError:
            self.stops.append(PathStop(path, item.variable, StopReason.ABSENCE_OPEN, None, until))
            return None
        if moment is None:
            assert self._held is not None  # nosec B101 # a row ended it
            self.stops.append(PathStop(path, item.variable, StopReason.ABSENCE, self._held.last, until))
        else:
            self._absence = item
        return moment
