"""A pattern as an automaton whose conditions are known for all rows: places, and what each may take in order (T29)."""

from collections.abc import Sequence as Rows
from dataclasses import dataclass
from typing import Final

from streaming.definition.sequences.pattern import Absent, Take, leaves
from streaming.reference.sequences.search import PatternRests, Rest

MOST_PLACES: Final = 10_000
"""A larger automaton is not made: bounded repeats and PERMUTE have a copy of their parts for each round or order."""
DONE: Final = 0
"""The place at which a path is complete."""


@dataclass(frozen=True, slots=True)
class Step:
    """`take` takes a row and leads to the place `to`."""

    take: Take
    to: int


@dataclass
class Automaton:
    """`choices` has for each place its steps, the most preferred first; None among them completes the path."""

    start: int
    choices: Rows[tuple[Step | None, ...]]

    @classmethod
    def of(cls, rests: PatternRests) -> "Automaton | None":
        """Return the automaton of a pattern; None for absences and too many places.

        A place is what is left of the pattern after a row.
        """
        if any(isinstance(leaf, Absent) for leaf in leaves(rests.pattern)):
            return None
        places: dict[Rest | None, int] = {None: DONE}
        start = places.setdefault(rests.whole, len(places))
        pending, choices = [None, rests.whole], list[tuple[Step | None, ...]]()
        for rest in pending:
            steps: dict[object, Step | None] = {}
            for each in _next_takes(rests, rest):
                if each is None:
                    steps.setdefault(None, None)
                    continue
                after = rests.after_row(each.following)
                if after not in places:
                    places[after] = len(places)
                    pending.append(after)
                assert isinstance(each.item, Take)  # nosec B101 # all else takes no row first
                # of equal steps, only the most preferred matters
                steps.setdefault(
                    (each.item.variable, each.item.excluded, places[after]), Step(each.item, places[after])
                )
            choices.append(tuple(steps.values()))
            if len(places) > MOST_PLACES:
                return None
        return cls(start, choices)


def _next_takes(rests: PatternRests, rest: Rest | None) -> list[Rest | None]:
    """Return the rests that begin with a row and may follow without one, the most preferred first; None if done."""
    found = dict[Rest | None, None]()
    seen, pending = set[Rest](), [rest]
    while pending:
        at = pending.pop()
        if at is None or isinstance(at.item, Take):
            found.setdefault(at)
        elif at not in seen:
            seen.add(at)
            pending += reversed(rests.ways(at))
    return list(found)
