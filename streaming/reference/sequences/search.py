"""One attempt: the most preferred complete path from a row on (T29), and whether it is decided (T34).

Paths are tried in the order of preference, depth first: an earlier branch before a later one, one more round of a
greedy quantifier before none. So the first complete path is the match, unless an open path comes before it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property
from itertools import permutations
from typing import Final

from streaming.definition.sequences.pattern import Absent, Branches, Pattern, Permute, Repeat, Sequence, Take
from streaming.planning.sequences import SequenceSpec
from streaming.reference.sequences.path import KnownRows, Match, NotKnownError, Path
from streaming.temporal.ticks import Tick

MOST_CONDITIONS: Final = 1_000_000
"""An attempt that tries more conditions fails (T37)."""
LEAST_CONDITIONS: Final = 1_000
"""Any attempt may try as many, however many attempts before it failed."""


class Unmatched(Enum):
    """The state of an attempt without a match."""

    OPEN = auto()
    """A path that is preferred to every complete one is open."""
    FAILED = auto()
    TOO_COMPLEX = auto()
    """Too many conditions were tried."""


class TooComplexError(Exception):
    """An attempt tried more than MOST_CONDITIONS conditions."""


class OpenPathError(Exception):
    """The path can take a row that is not known yet, or an absence on it is not decided."""


@dataclass(frozen=True, slots=True)
class _Round:
    """The end of a round of `repeat`, after `done` others; `empty` while the round has taken no row."""

    repeat: Repeat
    done: int
    empty: bool


@dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """A part that is still to match, and what follows it; equal ones of a search are the same object."""

    item: Pattern | _Round
    following: "Rest | None"


Holds = Callable[[str, Path], bool]
"""Return whether the condition of the variable is true for the last row of the path. Raises `NotKnownError`."""
Point = tuple[object, object]
"""A point of a search: the parts that are left, and the row or the path so far."""
Dead = set[Point]
"""Points from which no path completes."""
_Link = tuple["_Link | None", Point]
"""A point of a path, after the points before it."""


@dataclass
class PatternRests:
    """The parts that are still to match, at any point of a search for one pattern."""

    pattern: Pattern
    _known: dict[tuple[object, ...], Rest] = field(default_factory=dict)
    _ways: dict[Rest, list[Rest | None]] = field(default_factory=dict)
    _later: dict[Rest, Rest | None] = field(default_factory=dict)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the pattern alone: the parts are found by identity, which another process doesn't share."""
        return PatternRests, (self.pattern,)

    @cached_property
    def whole(self) -> Rest:
        """Everything, at the start of an attempt."""
        return self._rest(self.pattern, None)

    def ways(self, rest: Rest) -> list["Rest | None"]:
        """Return what may be matched instead of `rest`, which does not take a row first; the most preferred first."""
        found = self._ways.get(rest)
        if found is None:
            found = self._ways[rest] = self._ways_of(rest.item, rest.following)
        return found

    def _ways_of(self, item: Pattern | _Round, following: "Rest | None") -> list["Rest | None"]:
        match item:
            case Sequence():
                return [self._all(item.parts, following)]
            case Branches():
                return [self._rest(part, following) for part in item.parts]
            case Permute():
                return [self._all(parts, following) for parts in permutations(item.parts)]
            case Repeat():
                return self._rounds(item, 0, following)
            case _Round():
                return [following] if item.empty else self._rounds(item.repeat, item.done + 1, following)
            case _:
                raise TypeError(f"{item} reads rows")

    def after_row(self, rest: "Rest | None") -> "Rest | None":
        """Return `rest` once a row is taken: none of its rounds is empty any more."""
        if rest is None:
            return None
        if rest not in self._later:
            item, following = rest.item, self.after_row(rest.following)
            after = _Round(item.repeat, item.done, empty=False) if isinstance(item, _Round) else item
            self._later[rest] = self._rest(after, following)
        return self._later[rest]

    def _rounds(self, repeat: Repeat, done: int, following: "Rest | None") -> list["Rest | None"]:
        done = min(done, repeat.least) if repeat.most is None else done
        more: list[Rest | None] = []
        if repeat.most is None or done < repeat.most:
            more = [self._rest(repeat.part, self._rest(_Round(repeat, done, empty=True), following))]
        enough = [following] if done >= repeat.least else []
        return enough + more if repeat.reluctant else more + enough

    def _all(self, parts: tuple[Pattern, ...], following: "Rest | None") -> "Rest | None":
        for part in reversed(parts):
            following = self._rest(part, following)
        return following

    def _rest(self, item: Pattern | _Round, following: "Rest | None") -> Rest:
        of = (id(item.repeat), item.done, item.empty) if isinstance(item, _Round) else (id(item),)
        return self._known.setdefault((*of, following), Rest(item, following))


@dataclass
class AttemptSearch:
    """The search from the row `first` of a group, with at most `most` conditions.

    `dead` is what earlier attempts found dead, and from `opened` they found an open path first. `visited`, what this
    one tried, is dead too once it has failed; if it is open, all but `open_path`, the points of the open path.
    """

    spec: SequenceSpec
    rests: PatternRests
    values: KnownRows
    holds: Holds
    first: int
    dead: Dead = field(default_factory=set)
    visited: Dead = field(default_factory=set)
    opened: Dead = field(default_factory=set)
    open_path: Dead = field(default_factory=set)
    tried: int = 0
    most: int = field(default_factory=lambda: MOST_CONDITIONS)

    def decide(self) -> Match | Unmatched:
        """Return the match, or the state of the attempt."""
        try:
            return next(self._complete(possible=False), Unmatched.FAILED)
        except (OpenPathError, NotKnownError):
            return Unmatched.OPEN
        except TooComplexError:
            return Unmatched.TOO_COMPLEX

    def possible(self) -> Iterator[Match]:
        """Yield a path for each end to which known rows complete one; undecided absences count as held (T34).

        Raises `TooComplexError` on the way.
        """
        return self._complete(possible=True)

    def _complete(self, *, possible: bool) -> Iterator[Match]:
        """Yield complete paths, the most preferred first; of paths with the same future only the first."""
        pending: list[tuple[Rest | None, Path, Tick | None, _Link | None]] = []
        pending.append((self.rests.whole, Path.empty(self.first), None, None))
        self.visited = set()
        link: _Link | None = None
        try:
            while pending:
                rest, path, certain_at, link = pending.pop()
                if rest is None:
                    yield Match(path, certain_at)
                elif isinstance(rest.item, Take):
                    link = link, (rest, path if self.spec.path_matters else path.last)
                    if self._is_new(link[1]):
                        taken = self._taken(rest.item, path, possible=possible)
                        if taken is not None:
                            pending.append((self.rests.after_row(rest.following), taken, None, link))
                elif isinstance(rest.item, Absent):
                    moment = self._absent(rest.item, path, possible=possible)
                    if moment is not None:
                        pending.append((rest.following, path, moment, link))
                else:
                    pending += [(each, path, certain_at, link) for each in reversed(self.rests.ways(rest))]
        except OpenPathError:
            while link is not None:
                link, point = link
                self.open_path.add(point)
            raise

    def _is_new(self, point: Point) -> bool:
        """Return whether the point may lead to a complete path. Raises `OpenPathError` if an open one comes first."""
        if point in self.visited or point in self.dead:
            return False
        self.visited.add(point)
        if point in self.opened:
            raise OpenPathError
        return True

    def _taken(self, item: Take, path: Path, *, possible: bool) -> Path | None:
        """Return the path with the next row if the variable takes it. Raises if that row is not known yet."""
        if path.length >= self.spec.max_rows:
            return None
        values, at = self.values, path.last + 1
        until = None if self.spec.within is None else values.rows[self.first].start + self.spec.within
        if at >= len(values.rows):
            if possible or values.complete or (until is not None and values.at >= until):
                return None
            raise OpenPathError
        if until is not None and values.rows[at].start >= until:
            return None
        taken = path.taking(item.variable, excluded=item.excluded)
        return taken if self._try(item.variable, taken) else None

    def _try(self, variable: str, path: Path) -> bool:
        if self.tried >= self.most:
            raise TooComplexError
        self.tried += 1
        return self.holds(variable, path)

    def _absent(self, item: Absent, path: Path, *, possible: bool) -> Tick | None:
        """Return the moment at which the absence is certain, None if a known row ends it (T32)."""
        rows = self.values.rows
        until = Tick(rows[path.last].start + item.duration)
        waits = not self.values.complete and self.values.at < until
        for at in range(path.last + 1, len(rows)):
            if rows[at].start >= until:
                break
            try:
                if self._try(item.variable, path.trying(item.variable, at)):
                    return None
            except NotKnownError:
                waits = True
        if waits and not possible:
            raise OpenPathError
        return until
