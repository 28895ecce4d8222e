"""The search in one group where conditions are known for all rows, without a path or a value for each try."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from streaming.definition.sequences.pattern import Take
from streaming.engine.operators.sequences.automaton import DONE, Automaton
from streaming.reference.sequences.group import GroupSearch
from streaming.reference.sequences.path import Match, Path
from streaming.reference.sequences.search import MOST_CONDITIONS, Dead, TooComplexError, Unmatched

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

    def _start_from(self, position: int) -> int:
        """Return the first row from `position` on at which a match can begin; after the known rows without one."""
        if self.known.starts is None:
            return position
        at = bisect_left(self.known.starts, position)
        return self.known.starts[at] if at < len(self.known.starts) else len(self.rows)

    def _attempt(self, first: int, dead: Dead | None, holds: Callable[[str, Path], bool]) -> Match | Unmatched:
        if self.known.automaton is None:
            return super()._attempt(first, dead, holds)
        shared = dead if self._shares_dead() else None
        attempt = _Attempt(self, self.known.automaton, first, shared or set())
        try:
            found = next(attempt.complete(possible=False), Unmatched.FAILED)
        except TooComplexError:
            return Unmatched.TOO_COMPLEX
        if shared is not None and found is Unmatched.FAILED:
            shared |= attempt.visited
        return found

    def _completions(self, first: int) -> Iterator[Match]:
        if self.known.automaton is None:
            return super()._completions(first)
        complete: Any = _Attempt(self, self.known.automaton, first, set()).complete(possible=True)
        return complete  # type: ignore[no-any-return] # it yields OPEN only if it is not `possible`

    def _holds(self, variable: str, path: Path, failed: Any) -> bool:
        known = self.known.holds.get(variable)
        return super()._holds(variable, path, failed) if known is None else known[self.known.first + path.last]


class _Attempt:
    """One attempt from the row `first`; points that are `dead` lead to no complete path."""

    def __init__(self, group: MaskedGroupSearch, automaton: Automaton, first: int, dead: Dead) -> None:
        self._automaton, self._first, self._dead = automaton, first, dead
        self.visited: Dead = set()
        spec, values, known = group.spec, group.values, len(group.rows)
        self._holds, self._base = group.known.holds, group.known.first
        self._end = min(known, first + spec.max_rows)
        self._continues = not values.complete and known < first + spec.max_rows
        if spec.within is not None:
            until = group.row_starts[first] + spec.within
            self._end = bisect_left(group.row_starts, until, first, self._end)
            self._continues &= self._end == known and values.at < until

    def complete(self, *, possible: bool) -> Iterator[Match | Unmatched]:
        """Yield complete paths, the most preferred first; OPEN before those that an open path is preferred to.

        `possible`: paths end with the known rows. Raises `TooComplexError` after MOST_CONDITIONS points (T37).
        """
        choices, holds, base, end = self._automaton.choices, self._holds, self._base, self._end
        continues = self._continues and not possible
        pending: list[tuple[int, int, Link | None]] = [(self._automaton.start, self._first, None)]
        while pending:
            place, row, link = pending.pop()
            if place == DONE:
                yield self._match(link)
                continue
            if not self._visit(place, row):
                continue
            if row < end:
                for step in reversed(choices[place]):
                    if step is None:
                        pending.append((DONE, row, link))
                    elif holds[step.take.variable][base + row]:
                        pending.append((step.to, row + 1, (link, step.take)))
            elif continues and choices[place][0] is not None:
                yield Unmatched.OPEN
            elif None in choices[place]:
                yield self._match(link)

    def _visit(self, place: int, row: int) -> bool:
        """Return whether the point is new and may lead to a complete path."""
        point = place, row
        if point in self.visited or point in self._dead:
            return False
        self.visited.add(point)
        if len(self.visited) > MOST_CONDITIONS:
            raise TooComplexError
        return True

    def _match(self, link: Link | None) -> Match:
        taken: list[Take] = []
        while link is not None:
            link, take = link
            taken.append(take)
        path = Path.empty(self._first)
        for take in reversed(taken):
            path = path.taking(take.variable, excluded=take.excluded)
        return Match(path)
