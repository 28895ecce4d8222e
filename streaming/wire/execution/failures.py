"""Failures of expressions, counted by node, expression and kind."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from streaming.definition.expressions.failures import FAILURE_KINDS, FailureKind
from streaming.definition.payload.types import Timestamp, Type
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, Tick, format_instant

_MOST_FIELDS: Final = 6
_MOST_CHARACTERS: Final = 60
FAILURE_WORDS: Final[dict[FailureKind, str]] = {
    "overflow": "a number outside the range of its type",
    "division_by_zero": "a division by zero",
    "cast": "a failed cast",
    "argument": "an invalid argument of a function",
    "too_long": "a value longer than 1 MiB",
    "function_failed": "a failed call of a function in WebAssembly",
    "skip_target": "a match whose next search can't start at the row that AFTER MATCH names",
    "pattern_too_complex": "an attempt that tried more than 1,000,000 conditions",
}
ExpressionFailure = tuple[str, str, FailureKind]
"""A node, one of its expressions (`where`, `by`, `over`, `expression`, or the name of a column), the kind of
failure.
"""
Example = dict[str, str | None]
"""Fields with the text of their values, cut at 60 characters; at most 6 fields."""


@dataclass(frozen=True, slots=True)
class FailureCount:
    """The number of rows on which `field` of `node` failed with `kind`, and an example row."""

    node: str
    field: str
    kind: FailureKind
    count: int
    example: Example


class FailureTally:
    """Adds up failures. The example of a kind is the first that was added."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, FailureKind], FailureCount] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FailureTally) and self.counts() == other.counts()

    def __hash__(self) -> int:
        raise TypeError("a tally is mutable, so it has no hash")

    def __bool__(self) -> bool:
        return bool(self._counts)

    def add(self, count: FailureCount) -> None:
        """Add `count` to the count of the same expression and kind."""
        name = (count.node, count.field, count.kind)
        known = self._counts.get(name)
        if known is None:
            self._counts[name] = count
            return
        self._counts[name] = FailureCount(*name, known.count + count.count, known.example)

    def counts(self) -> list[FailureCount]:
        """Return all counts, sorted by node, field and kind."""
        order = {kind: place for place, kind in enumerate(FAILURE_KINDS)}
        return [self._counts[name] for name in sorted(self._counts, key=lambda name: (*name[:2], order[name[2]]))]

    def to_json(self) -> list[list[Any]]:
        """Return the counts in the form that `add_json` reads."""
        return [[each.node, each.field, each.kind, each.count, each.example] for each in self.counts()]

    def take(self, other: "FailureTally") -> None:
        """Add all counts of `other`."""
        for each in other.counts():
            self.add(each)

    def add_json(self, counts: Iterable[Iterable[Any]]) -> None:
        """Add the result of `to_json` of another tally."""
        for each in counts:
            self.add(FailureCount(*each))


def example_of(values: Mapping[str, tuple[Any, Type]]) -> Example:
    """Return the example of `values`, each with its type."""
    return {name: format_value(value, of) for name, (value, of) in list(values.items())[:_MOST_FIELDS]}


def format_value(value: Any, of: Type) -> str | None:
    """Return the text of a value, cut where it is long; None for None."""
    if value is None:
        return None
    if isinstance(of, Timestamp) and FIRST_TICK <= value <= LAST_TICK:
        return format_instant(Tick(value))
    text = value[: _MOST_CHARACTERS + 1] if isinstance(value, str) else str(value)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
