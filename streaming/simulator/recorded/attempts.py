"""The attempts of a sequence from row to row: those that were decided, and the one that each group waits for."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from streaming.reference.flow import CausingCti, Flow
from streaming.reference.sequences.group import DecidedAttempt
from streaming.reference.sequences.path import Match, Path
from streaming.reference.sequences.sequence import SequenceOperator
from streaming.reference.sequences.traced import AttemptTrace
from streaming.reference.windows.panes import Key
from streaming.temporal.ticks import INFINITY, Tick

MOST_TRIED: Final = 20_000
"""Conditions that are tried to explain one state of an attempt."""
MOST_TRIED_IN_ALL: Final = 400_000
"""Conditions that are tried to explain all attempts of one sequence; later ones have no path."""


@dataclass(frozen=True)
class AttemptStep:
    """The state of an attempt from `after` on. `cause` is the CTI that decided it, None for a state that is open."""

    after: int
    decided: DecidedAttempt | None
    trace: AttemptTrace
    cause: CausingCti | None = None

    @property
    def path(self) -> Path | None:
        """The path that shows how far the attempt came; None without one."""
        if self.decided is not None and isinstance(self.decided.found, Match):
            return self.decided.found.path
        return self.trace.path


@dataclass
class RecordedAttempt:
    """The attempt that begins at the row `first` of the group `key`, and its states."""

    key: Key
    first: int
    flow: Flow
    steps: list[AttemptStep] = field(default_factory=list)

    @property
    def last(self) -> AttemptStep:
        """The last state."""
        return self.steps[-1]


@dataclass
class NodeAttempts:
    """The attempts of one sequence. `after` counts the arrived rows, `cause` returns the CTI that is being carried."""

    node: str
    operator: SequenceOperator
    cause: Callable[[], CausingCti | None]
    after: int = 0
    all: list[RecordedAttempt] = field(default_factory=list)
    open: dict[Key, RecordedAttempt] = field(default_factory=dict)
    left: int = MOST_TRIED_IN_ALL
    _traced: dict[Key, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.operator.listener = self._decided

    def _decided(self, key: Key, attempt: DecidedAttempt) -> None:
        recorded = self._attempt(key, attempt.first)
        trace = self._trace(key, attempt.first)
        recorded.steps.append(AttemptStep(self.after, attempt, trace, self.cause()))
        self.open.pop(key, None)

    def step_done(self) -> None:
        """Record the attempts that are not decided, as far as known rows have changed them."""
        for key, group in self.operator.groups.items():
            first, known = group.progress.position, len(self.operator.known_rows(key))
            if first < known and self._traced.get(key) != (first, known):
                self._traced[key] = first, known
                self._attempt(key, first).steps.append(AttemptStep(self.after, None, self._trace(key, first)))

    def _trace(self, key: Key, first: int) -> AttemptTrace:
        trace = self.operator.trace(key, first, min(MOST_TRIED, self.left))
        self.left -= trace.tried
        return trace

    def _attempt(self, key: Key, first: int) -> RecordedAttempt:
        found = self.open.get(key)
        if found is None or found.first != first:
            found = RecordedAttempt(key, first, self.flows(key)[first])
            self.all.append(found)
            self.open[key] = found
        return found

    def flows(self, key: Key) -> Sequence[Flow]:
        """Return the rows of a group, in order."""
        return [row.flow for row in self.operator.rows.groups[key]]

    def waiting(self, key: Key) -> Sequence[Flow]:
        """Return the rows of a group that have arrived and are not known yet."""
        return self.flows(key)[len(self.operator.known_rows(key)) :]

    def taken(self, attempt: RecordedAttempt) -> list[tuple[Path, Flow]]:
        """Return the rows that the attempt has taken, in order; each with the path up to it."""
        flows, path = self.flows(attempt.key), attempt.last.path
        return [] if path is None else [(each, flows[each.last]) for each in path.prefixes()]

    def until(self, attempt: RecordedAttempt) -> Tick | None:
        """Return the first start at which a row is too late for WITHIN; None without WITHIN."""
        within = self.operator.spec.within
        return None if within is None else Tick(attempt.flow.start + within)

    def span_end(self, attempt: RecordedAttempt) -> Tick:
        """Return the last time that the attempt concerns: of WITHIN, of its absences, of the row at which it ended."""
        if attempt.last.decided is None:
            return INFINITY
        flows, path = self.flows(attempt.key), attempt.last.path
        if not isinstance(attempt.last.decided.found, Match) and (path is None or not path.length):
            return attempt.flow.start
        ends = [attempt.flow.start, *(flows[row].start for row in self._rows(attempt))]
        moments = [each for each in (self.until(attempt), self._certain_at(attempt)) if each is not None]
        return max(*ends, *moments, *(each.until for each in attempt.last.trace.reasons if each.until is not None))

    @staticmethod
    def _certain_at(attempt: RecordedAttempt) -> Tick | None:
        found = None if attempt.last.decided is None else attempt.last.decided.found
        return found.certain_at if isinstance(found, Match) else None

    @staticmethod
    def _rows(attempt: RecordedAttempt) -> Iterator[int]:
        path = attempt.last.path
        if path is not None and path.length:
            yield path.last
        yield from (each.row for each in attempt.last.trace.reasons if each.row is not None)
