"""The search in one group: attempts decided in order, the results that they give, and the CTI that they hold."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Any

from streaming.planning.sequences import SequenceSpec, SkipTarget
from streaming.reference.expressions.numbers import OperationFailure
from streaming.reference.sequences.path import KnownRows, Match, MatchScope, NotKnownError, Path, SequenceRow
from streaming.reference.sequences.search import (
    LEAST_CONDITIONS,
    MOST_CONDITIONS,
    AttemptSearch,
    Dead,
    PatternRests,
    TooComplexError,
    Unmatched,
)
from streaming.temporal.events import Payload
from streaming.temporal.ticks import INFINITY, ONE_TICK, Tick

FailedRow = Callable[[int, str, OperationFailure], None]
"""Receives the index of a row, the name of an expression, and the failure."""


@dataclass(frozen=True, slots=True)
class SequenceResult:
    """One row of the result: its lifetime and payload, made by the rows from `first` to `last`, both included."""

    start: Tick
    end: Tick
    payload: Payload
    first: int = field(compare=False)
    last: int = field(compare=False)


@dataclass(frozen=True, slots=True)
class DecidedAttempt:
    """An attempt from the row `first`: its match or why it has none, and the results that it gives."""

    first: int
    found: Match | Unmatched
    results: tuple[SequenceResult, ...]


@dataclass
class GroupProgress:
    """The progress of a group's search: the row of the next attempt, the rows before `covered` that matches took,
    and the number of matches. `dead` is what no attempt can complete; `most_conditions` limits the next attempt."""

    position: int = 0
    covered: int = 0
    matches: int = 0
    most_conditions: int = field(default_factory=lambda: MOST_CONDITIONS)
    dead: Dead = field(default_factory=set)

    def copy(self) -> "GroupProgress":
        """Return the same progress, which changes on its own."""
        return replace(self, dead=set())

    def was_too_complex(self) -> None:
        """Halve the limit for the attempts that follow one that tried too many conditions (T37)."""
        self.most_conditions = max(self.most_conditions // 2, min(self.most_conditions, LEAST_CONDITIONS))


@dataclass
class SharedPoints:
    """The results of the attempts that are tried for one output CTI, for those that follow.

    They try at most `left` further conditions. From `opened` an open path is found first; the ends of the paths from
    `completed` are known.
    """

    dead: Dead = field(default_factory=set)
    opened: Dead = field(default_factory=set)
    completed: Dead = field(default_factory=set)
    left: int = field(default_factory=lambda: MOST_CONDITIONS)


@dataclass
class GroupSearch:
    """The search in the known rows of one group. `group` are the fields of the group, `failed` receives failures.

    `dead` is what no attempt can complete that ends with the known rows.
    """

    spec: SequenceSpec
    rests: PatternRests
    values: KnownRows
    group: Mapping[str, Any]
    failed: FailedRow
    dead: Dead = field(default_factory=set, init=False)

    @property
    def rows(self) -> Sequence[SequenceRow]:
        """The known rows."""
        return self.values.rows

    def decide(self, progress: GroupProgress) -> Iterator[DecidedAttempt]:
        """Decide attempts in order, up to the first that is not decided or whose result waits for a NEXT (T34)."""
        while (first := self._start_from(progress.position)) < len(self.rows):
            progress.position = first
            found = self._attempt(first, progress)
            if found is Unmatched.OPEN:
                return
            try:
                results = (
                    self._results(found, progress) if isinstance(found, Match) else self._unmatched(first, progress)
                )
            except NotKnownError:
                return
            if isinstance(found, Match):
                progress.matches += 1
                progress.covered = max(progress.covered, found.path.last + 1)
                progress.position = self._next(found, self.failed)
            else:
                progress.position = first + 1
                if found is Unmatched.TOO_COMPLEX:
                    progress.was_too_complex()
                    self.failed(first, "pattern", OperationFailure("too many conditions", "pattern_too_complex"))
            yield DecidedAttempt(first, found, tuple(results))
        progress.position = max(progress.position, len(self.rows))

    def _start_from(self, position: int) -> int:
        """Return the first row from `position` on at which a match may begin."""
        return position

    def hold(self, progress: GroupProgress) -> Tick:
        """Return the start of the earliest result that the known rows could still give, INFINITY without one (T34)."""
        if progress.position >= len(self.rows):
            return INFINITY
        if not self.spec.exact_hold:
            return self.rows[progress.position].start
        earliest, shared = INFINITY, SharedPoints()
        reached, pending = {progress.position}, [progress.position]
        while pending:
            first = self._start_from(heappop(pending))
            if first >= len(self.rows) or self.rows[first].start >= earliest:
                break
            for start, following in self._possible(first, shared):
                earliest = min(earliest, start)
                if following not in reached:
                    reached.add(following)
                    heappush(pending, following)
        return earliest

    def _possible(self, first: int, shared: SharedPoints) -> Iterator[tuple[Tick, int]]:
        """Yield results that an attempt at `first` may still give, and where the search then continues.

        An attempt without a result gives INFINITY, and one that tries too many conditions its first row. A result is
        left out if an earlier attempt gave one with the same rows from a point on.
        """
        shares = self._ends_with_rows(first)
        found = self._shared_attempt(first, shared if shares else SharedPoints(left=shared.left), shared)
        if found is Unmatched.TOO_COMPLEX:
            yield self.rows[first].start, first + 1
        elif isinstance(found, Match):
            yield self._moment(found), self._next(found, _ignored)
        else:
            yield INFINITY, first + 1
        if found is Unmatched.OPEN:
            search = self._searching(first, self.silent, shared.left)
            search.dead = shared.completed if shares else set()
            try:
                for match in search.possible():
                    yield self._moment(match), self._next(match, _ignored)
            except TooComplexError:
                yield self.rows[first].start, first + 1
            shared.left -= search.tried
            search.dead |= search.visited

    def _shared_attempt(self, first: int, points: SharedPoints, shared: SharedPoints) -> Match | Unmatched:
        search = self._searching(first, self.silent, shared.left)
        search.dead, search.opened = points.dead, points.opened
        found = search.decide()
        shared.left -= search.tried
        if found is Unmatched.FAILED or search.open_path:
            points.dead |= search.visited - search.open_path
            points.opened |= search.open_path
        return found

    def _ends_with_rows(self, first: int) -> bool:
        """Return whether points mean the same for an attempt and for all later ones: none of its bounds matters."""
        values, within = self.values, self.spec.within
        last = self.rows[-1].start if values.complete else values.at
        in_time = within is None or last < self.rows[first].start + within
        most = self.spec.max_rows + (1 if values.complete else 0)
        return in_time and len(self.rows) < first + most and not self.spec.path_matters

    def _searching(self, first: int, holds: Callable[[str, Path], bool], most: int) -> AttemptSearch:
        return AttemptSearch(self.spec, self.rests, self.values, holds, first, most=most)

    def _attempt(self, first: int, progress: GroupProgress) -> Match | Unmatched:
        """Decide one attempt.

        What a failed attempt could not complete from a row on, none can, unless bounds count from its first row.
        """
        search = self._searching(first, self._condition, progress.most_conditions)
        shared = self._shared_dead(first, progress)
        if shared is not None:
            search.dead = shared
        found = search.decide()
        if shared is not None and found is Unmatched.FAILED:
            shared |= search.visited
        return found

    def _shared_dead(self, first: int, progress: GroupProgress) -> Dead | None:
        """Return what is dead for all attempts, or for those that end with the known rows; None if the path decides."""
        if self.spec.within is None and len(self.rows) < self.spec.max_rows and not self.spec.path_matters:
            return progress.dead
        return self.dead if self._ends_with_rows(first) else None

    # Conditions and measures

    def _condition(self, variable: str, path: Path) -> bool:
        return self._holds(variable, path, lambda why: self.failed(path.last, variable, why))

    def silent(self, variable: str, path: Path) -> bool:
        """Return whether the condition of the variable is true for the last row of `path`; failures are not counted."""
        return self._holds(variable, path, lambda _: None)

    def _holds(self, variable: str, path: Path, failed: Callable[[OperationFailure], None]) -> bool:
        condition = self.spec.define.get(variable)
        return condition is None or self.values.value(condition, MatchScope(path, path), failed) is True

    def _measures(self, scope: MatchScope, row: int) -> dict[str, Any]:
        return {
            name: self.values.value(of, scope, lambda why, name=name: self.failed(row, name, why))  # type: ignore[misc]
            for name, of in self.spec.measures.items()
        }

    # The results of matches (T35)

    def _results_of(self, first: int, found: Match | Unmatched, progress: GroupProgress) -> list[SequenceResult]:
        return self._results(found, progress) if isinstance(found, Match) else self._unmatched(first, progress)

    def _moment(self, match: Match) -> Tick:
        """Return the start of the result with one row of `match`."""
        if match.certain_at is not None:
            return match.certain_at
        return self.rows[max(match.path.last, match.path.first)].start

    def _results(self, match: Match, progress: GroupProgress) -> list[SequenceResult]:
        path, number = match.path, progress.matches + 1
        if self.spec.rows == "one" or not path.length:
            return self._one(match, number)
        found = []
        for prefix in path.prefixes():
            measures = self._measures(MatchScope(prefix, path, number), prefix.last)
            if not prefix.excluded:
                found.append(self._at_row(prefix.last, measures, path.first))
        return found

    def _one(self, match: Match, number: int) -> list[SequenceResult]:
        path = match.path
        row = max(path.last, path.first)
        if self.spec.rows == "all_omit_empty":
            return []
        measures = self._measures(MatchScope(path, path, number), row)
        if self.spec.rows != "one":
            return [self._at_row(row, measures, row)]
        moment = self._moment(match)
        start = self.rows[path.first].start if self.spec.span else moment
        return [SequenceResult(start, Tick(moment + ONE_TICK), {**self.group, **measures}, path.first, row)]

    def _unmatched(self, row: int, progress: GroupProgress) -> list[SequenceResult]:
        if self.spec.rows != "all_with_unmatched" or row < progress.covered:
            return []
        return [self._at_row(row, dict.fromkeys(self.spec.measures), row)]

    def _at_row(self, row: int, measures: Mapping[str, Any], first: int) -> SequenceResult:
        start, payload = self.rows[row].start, self.rows[row].payload
        fields = {name: payload[name] for name in self.spec.reads}
        return SequenceResult(start, Tick(start + ONE_TICK), {**fields, **measures}, first, row)

    # After a match (T33)

    def _next(self, match: Match, failed: FailedRow) -> int:
        path, after = match.path, self.spec.after_match
        if not path.length or after == "next_row":
            return path.first + 1
        if not isinstance(after, SkipTarget):
            return path.last + 1
        members = self.spec.members[after.variable]
        taken = [step.last for step in path.prefixes() if step.variable in members]
        target = None if not taken else taken[-1] if after.from_end else taken[0]
        if target is None or target == path.first:
            failed(path.first, "after_match", OperationFailure("the search can't start there", "skip_target"))
        return path.last + 1 if target is None else max(target, path.first + 1)


def _ignored(row: int, name: str, why: OperationFailure) -> None:
    del row, name, why
