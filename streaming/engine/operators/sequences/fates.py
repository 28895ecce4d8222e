"""The ends of all paths from a point of an automaton, each point computed once for all attempts of a group."""

from collections.abc import Mapping, Sequence
from typing import Final

from streaming.engine.operators.sequences.automaton import Automaton
from streaming.reference.sequences.search import MOST_CONDITIONS, TooComplexError

FAILED: Final = -2
OPEN: Final = -1
NEVER: Final = 1 << 62
MOST_POINTS: Final = 250_000
"""More are forgotten before the next attempt, so that memory is bounded."""
Fate = tuple[int, int]
"""The earliest and the most preferred end of a path from a point, as the row after its last one.

The earliest is NEVER if no path completes in the known rows. The most preferred is OPEN if an open path is preferred to
every complete one, FAILED if no path is complete or open. It is valid only where no bound ends paths before the known
rows do.
"""


class Fates:
    """The fates of the points of one group: a place of `automaton`, and the next of `known` rows.

    `holds` has the conditions by variable, with the group's rows from the entry `base` on.
    """

    def __init__(self, automaton: Automaton, holds: Mapping[str, Sequence[bool]], base: int, known: int) -> None:
        self._automaton, self._holds, self._base, self._known = automaton, holds, base, known
        self._found: dict[tuple[int, int], Fate] = {}
        self._left = MOST_CONDITIONS

    def __bool__(self) -> bool:
        """Return whether any fate was computed."""
        return bool(self._found)

    def allow(self, points: int) -> None:
        """Allow `points` further points; another one raises `TooComplexError` (T37)."""
        self._left = points
        if len(self._found) > MOST_POINTS:
            self._found.clear()

    def of(self, place: int, row: int) -> Fate:
        """Return the fate of the point. Raises `TooComplexError`."""
        found = self._found
        pending = [(place, row)]
        while pending:
            point = pending[-1]
            if point in found:
                pending.pop()
                continue
            due = len(pending)
            fate = self._following(point, pending) if point[1] < self._known else self._last(point[0])
            if len(pending) == due:
                self._add(point, fate)
        return found[place, row]

    def _add(self, point: tuple[int, int], fate: Fate) -> None:
        if self._left <= 0:
            raise TooComplexError
        self._left -= 1
        self._found[point] = fate

    def _last(self, place: int) -> Fate:
        """Return the fate of a place after all known rows."""
        choices = self._automaton.choices[place]
        return self._known if None in choices else NEVER, self._known if choices[0] is None else OPEN

    def _following(self, point: tuple[int, int], pending: list[tuple[int, int]]) -> Fate:
        """Return the fate by those of the points that follow; add those that are not computed yet to `pending`."""
        place, row = point
        nearest, preferred = NEVER, FAILED
        for step in self._automaton.choices[place]:
            if step is None:
                fate: Fate | None = (row, row)
            elif self._holds[step.take.variable][self._base + row]:
                fate = self._found.get((step.to, row + 1))
            else:
                continue
            if fate is None:
                pending.append((step.to, row + 1))  # type: ignore[union-attr] # a step leads there
                continue
            nearest = min(nearest, fate[0])
            if preferred == FAILED:
                preferred = fate[1]
        return nearest, preferred
