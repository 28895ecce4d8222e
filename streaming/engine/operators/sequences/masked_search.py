"""The search in one group where conditions are known for all rows, without a path or a value for each try."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from streaming.definition.sequences.pattern import Take
from streaming.engine.operators.sequences.automaton import DONE, Automaton, Step
from streaming.engine.operators.sequences.fates import FAILED, NEVER, OPEN, Fates
from streaming.reference.sequences.group import GroupProgress, GroupSearch, SharedPoints
from streaming.reference.sequences.path import Match, Path
from streaming.reference.sequences.search import MOST_CONDITIONS, TooComplexError, Unmatched
from streaming.temporal.ticks import INFINITY, Tick

FEW_POINTS: Final = 64
"""A longer attempt shares its work with all attempts of the group."""

Link = tuple["Link | None", Take]
"""A step of a path, after the steps before it."""


@dataclass(frozen=True, slots=True)
class KnownConditions:
    """Conditions that were evaluated for all rows: `holds` by variable, from the entry `first` on.

    No match can begin at a row that is not among `starts`, which rise; None: at any row. `automaton` is there if
    `holds` has all variables and the pattern allows it.
    """

    holds: Mapping[str, Sequence[bool]]
    first: int
    starts: Sequence[int] | None
    automaton: Automaton | None


@dataclass
class MaskedGroupSearch(GroupSearch):
    """The search in a group with known conditions; `row_starts` are the starts of its rows."""

    known: KnownConditions = field(kw_only=True)
    row_starts: Sequence[int] = field(kw_only=True)

    @cached_property
    def fates(self) -> Fates:
        """The ends of paths, for attempts that are long, and for the CTI that the group holds."""
        assert self.known.automaton is not None  # nosec B101 # the callers have one
        return Fates(self.known.automaton, self.known.holds, self.known.first, len(self.rows))

    def _start_from(self, position: int) -> int:
        """Return the first row from `position` on at which a match can begin; after the known rows without one."""
        if self.known.starts is None:
            return position
        at = bisect_left(self.known.starts, position)
        return self.known.starts[at] if at < len(self.known.starts) else len(self.rows)

    def _attempt(self, first: int, progress: GroupProgress) -> Match | Unmatched:
        if self.known.automaton is None:
            return super()._attempt(first, progress)
        attempt = _Attempt(self, self.known.automaton, first)
        found = None if self.fates else attempt.decide_shortly()
        if found is not None:
            return found
        self.fates.allow(progress.most_conditions)
        try:
            return attempt.decide(self.fates)
        except TooComplexError:
            return Unmatched.TOO_COMPLEX

    def hold(self, progress: GroupProgress) -> Tick:
        """Return the start of the earliest result that the known rows could still give, INFINITY without one (T34)."""
        if self.known.automaton is not None:
            self.fates.allow(MOST_CONDITIONS)
        return super().hold(progress)

    def _possible(self, first: int, shared: SharedPoints) -> Iterator[tuple[Tick, int]]:
        """Yield the results by the fate of the first row: of possible ends, the earliest is enough."""
        if self.known.automaton is None:
            yield from super()._possible(first, shared)
            return
        attempt = _Attempt(self, self.known.automaton, first)
        try:
            end = attempt.preferred_end(self.fates)
            earliest = self.fates.of(self.known.automaton.start, first)[0]
        except TooComplexError:
            yield self.rows[first].start, first + 1
            return
        if end < 0:
            yield INFINITY, first + 1
        if end == OPEN:
            end = earliest
        if 0 <= end < NEVER:
            skips = self.spec.after_match == "past_last_row" and end > first
            yield self.rows[max(end - 1, first)].start, end if skips else first + 1

    def _holds(self, variable: str, path: Path, failed: Any) -> bool:
        known = self.known.holds.get(variable)
        return super()._holds(variable, path, failed) if known is None else known[self.known.first + path.last]


class _Attempt:
    """One attempt from the row `first`; `continues`: a path that takes all known rows may take further ones."""

    def __init__(self, group: MaskedGroupSearch, automaton: Automaton, first: int) -> None:
        self._automaton, self._first = automaton, first
        spec, values, known = group.spec, group.values, len(group.rows)
        self._holds, self._base = group.known.holds, group.known.first
        self._end = min(known, first + spec.max_rows)
        self._continues = not values.complete and known < first + spec.max_rows
        if spec.within is not None:
            until = group.row_starts[first] + spec.within
            self._end = bisect_left(group.row_starts, until, first, self._end)
            self._continues &= self._end == known and values.at < until

    def decide_shortly(self) -> Match | Unmatched | None:
        """Return the match, or the state of the attempt; None if it takes more than FEW_POINTS points."""
        choices, holds, base, end = self._automaton.choices, self._holds, self._base, self._end
        visited: set[tuple[int, int]] = set()
        pending: list[tuple[int, int, Link | None]] = [(self._automaton.start, self._first, None)]
        while pending:
            place, row, link = pending.pop()
            if place == DONE:
                return self._match(link)
            if (place, row) in visited:
                continue
            visited.add((place, row))
            if len(visited) > FEW_POINTS:
                return None
            if row < end:
                for step in reversed(choices[place]):
                    if step is None:
                        pending.append((DONE, row, link))
                    elif holds[step.take.variable][base + row]:
                        pending.append((step.to, row + 1, (link, step.take)))
            elif (found := self._after_rows(place, link)) is not None:
                return found
        return Unmatched.FAILED

    def _after_rows(self, place: int, link: Link | None) -> Match | Unmatched | None:
        choices = self._automaton.choices[place]
        if self._continues and choices[0] is not None:
            return Unmatched.OPEN
        return self._match(link) if None in choices else None

    def preferred_end(self, fates: Fates) -> int:
        """Return the row after the most preferred path, or OPEN or FAILED. Raises `TooComplexError`."""
        earliest, preferred = fates.of(self._automaton.start, self._first)
        if self._continues:
            return preferred
        if earliest > self._end:
            return FAILED
        return self._walk(fates).last + 1

    def decide(self, fates: Fates) -> Match | Unmatched:
        """Return the match, or the state of the attempt, by the fates of its points. Raises `TooComplexError`."""
        earliest, preferred = fates.of(self._automaton.start, self._first)
        if self._continues and preferred == OPEN:
            return Unmatched.OPEN
        if preferred == FAILED if self._continues else earliest > self._end:
            return Unmatched.FAILED
        return Match(self._walk(fates))

    def _walk(self, fates: Fates) -> Path:
        """Return the most preferred complete path; one exists."""
        place, path = self._automaton.start, Path.empty(self._first)
        while (step := self._next_step(place, path.last + 1, fates)) is not None:
            place, path = step.to, path.taking(step.take.variable, excluded=step.take.excluded)
        return path

    def _next_step(self, place: int, row: int, fates: Fates) -> Step | None:
        """Return the most preferred step from the point with a complete path; None if the path is complete here."""
        if row < self._end:
            for step in self._automaton.choices[place]:
                if step is None:
                    return None
                if self._holds[step.take.variable][self._base + row] and self._completes(step.to, row + 1, fates):
                    return step
        return None

    def _completes(self, place: int, row: int, fates: Fates) -> bool:
        earliest, preferred = fates.of(place, row)
        return preferred != FAILED if self._continues else earliest <= self._end

    def _match(self, link: Link | None) -> Match:
        taken: list[Take] = []
        while link is not None:
            link, take = link
            taken.append(take)
        path = Path.empty(self._first)
        for take in reversed(taken):
            path = path.taking(take.variable, excluded=take.excluded)
        return Match(path)
