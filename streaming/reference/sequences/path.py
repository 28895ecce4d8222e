"""Paths: the rows that an attempt took, and the variable that took each (T29)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from streaming.definition.sequences.row_calls import RowsExpression
from streaming.reference.expressions.numbers import OperationFailure
from streaming.temporal.events import Payload
from streaming.temporal.ticks import Tick


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """The rows of a group that an attempt took, from the row `first` on; `variable` took the row `last`.

    Two paths of one search with the same variables are the same object.
    """

    first: int
    last: int
    length: int = 0
    variable: str = ""
    excluded: bool = False
    before: "Path | None" = None
    after: dict[tuple[str, bool], "Path"] = field(default_factory=dict)

    @classmethod
    def empty(cls, first: int) -> "Path":
        """Return the path without rows of an attempt that begins at the row `first`."""
        return cls(first, first - 1)

    def taking(self, variable: str, *, excluded: bool = False) -> "Path":
        """Return this path with the next row."""
        found = self.after.get((variable, excluded))
        if found is None:
            found = Path(self.first, self.last + 1, self.length + 1, variable, excluded, self)
            self.after[variable, excluded] = found
        return found

    def trying(self, variable: str, row: int) -> "Path":
        """Return this path with `row`, which need not be the next, as a candidate of an absence (T32)."""
        return Path(self.first, row, self.length + 1, variable, excluded=False, before=self)

    def backwards(self) -> Iterator["Path"]:
        """Yield the path up to each of its rows, the last first."""
        path: Path | None = self
        while path is not None and path.length:
            yield path
            path = path.before

    def prefixes(self) -> list["Path"]:
        """Return the path up to each of its rows, in order."""
        return list(self.backwards())[::-1]


@dataclass(frozen=True, slots=True)
class Match:
    """A complete path, and the moment at which its absence became certain (T32), None without one."""

    path: Path
    certain_at: Tick | None = None


class SequenceRow(Protocol):
    """One row of a group."""

    @property
    def start(self) -> Tick:
        """The start of the event."""

    @property
    def payload(self) -> Payload:
        """The fields that expressions read, with the start."""


class NotKnownError(Exception):
    """A NEXT refers to a row that is not known yet, and that may still come within reach (T31)."""


@dataclass(frozen=True, slots=True)
class MatchScope:
    """The path that an expression sees, the whole match for FINAL, and the number of the match."""

    path: Path
    whole: Path
    number: int = 0


class KnownRows(Protocol):
    """The known rows of a group, and the values of expressions over them."""

    @property
    def rows(self) -> Sequence[SequenceRow]:
        """The rows, in order."""

    @property
    def at(self) -> Tick:
        """The CTI, less the grace."""

    @property
    def complete(self) -> bool:
        """Return whether no further row will come."""

    def value(self, expression: RowsExpression, scope: MatchScope, failed: Callable[[OperationFailure], None]) -> Any:
        """Return the value of `expression`; `failed` receives the reasons of failures. Raises `NotKnownError`."""
