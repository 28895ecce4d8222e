"""A pattern as an automaton whose conditions are known for all rows: places, and what each may take in order (T29)."""

from collections.abc import Sequence as Rows
from dataclasses import dataclass, field
from itertools import permutations
from typing import Final

from streaming.definition.sequences.pattern import (
    Absent,
    Branches,
    Pattern,
    Permute,
    Repeat,
    Sequence,
    Take,
    leaves,
    may_be_empty,
    parts_of,
)

MOST_PLACES: Final = 10_000
"""A larger automaton is not made: bounded repeats and PERMUTE have a copy of their parts for each round or order."""
DONE: Final = 0
"""The place at which a path is complete."""


@dataclass(frozen=True, slots=True)
class Step:
    """`take` takes a row and leads to the place `to`."""

    take: Take
    to: int


@dataclass(frozen=True, slots=True)
class _Fork:
    """Places that follow without a row, the most preferred first."""

    ways: tuple[int, ...]


@dataclass
class Automaton:
    """`choices` has for each place its steps, the most preferred first; None among them completes the path."""

    start: int
    choices: Rows[tuple[Step | None, ...]]

    @classmethod
    def of(cls, pattern: Pattern) -> "Automaton | None":
        """Return the automaton of `pattern`; None for absences, rounds that may be empty, and too many places."""
        if any(isinstance(leaf, Absent) for leaf in leaves(pattern)) or _has_empty_rounds(pattern):
            return None
        builder = _AutomatonBuilder()
        try:
            start = builder.place_of(pattern, DONE)
        except _TooLargeError:
            return None
        return cls(start, [builder.choices(place) for place in range(len(builder.places))])


class _TooLargeError(Exception):
    """The automaton has more than MOST_PLACES places."""


@dataclass
class _AutomatonBuilder:
    places: list[Step | _Fork | None] = field(default_factory=lambda: [None])

    def place_of(self, pattern: Pattern, after: int) -> int:
        """Return the place from which `pattern` leads to `after`."""
        match pattern:
            case Take():
                return self._add(Step(pattern, after))
            case Sequence():
                return self._all(pattern.parts, after)
            case Branches():
                return self._add(_Fork(tuple(self.place_of(part, after) for part in pattern.parts)))
            case Permute():
                return self._add(_Fork(tuple(self._all(parts, after) for parts in permutations(pattern.parts))))
            case Repeat():
                return self._rounds(pattern, after)
            case _:
                raise TypeError(f"{pattern} takes no row")

    def choices(self, place: int) -> tuple[Step | None, ...]:
        """Return the steps from `place`, past forks; of equal ones the most preferred."""
        found: dict[int, Step | None] = {}
        seen: set[int] = set()
        pending = [place]
        while pending:
            at = pending.pop()
            if at in seen:
                continue
            seen.add(at)
            here = self.places[at]
            if isinstance(here, _Fork):
                pending += reversed(here.ways)
            else:
                found.setdefault(at, here)
        return tuple(found.values())

    def _all(self, parts: Rows[Pattern], after: int) -> int:
        for part in reversed(parts):
            after = self.place_of(part, after)
        return after

    def _rounds(self, repeat: Repeat, after: int) -> int:
        if repeat.most is None:
            place = self._add(None)
            round_first = self.place_of(repeat.part, place)
            self.places[place] = self._fork(repeat, round_first, after)
        else:
            place = after
            for _ in range(repeat.most - repeat.least):
                place = self._add(self._fork(repeat, self.place_of(repeat.part, place), after))
        for _ in range(repeat.least):
            place = self.place_of(repeat.part, place)
        return place

    def _fork(self, repeat: Repeat, more: int, enough: int) -> _Fork:
        return _Fork((enough, more) if repeat.reluctant else (more, enough))

    def _add(self, place: Step | _Fork | None) -> int:
        if len(self.places) >= MOST_PLACES:
            raise _TooLargeError
        self.places.append(place)
        return len(self.places) - 1


def _has_empty_rounds(pattern: Pattern) -> bool:
    if isinstance(pattern, Repeat) and pattern.most != 1 and may_be_empty(pattern.part):
        return True
    return any(map(_has_empty_rounds, parts_of(pattern)))
