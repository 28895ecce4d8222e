"""Failures of expressions as they are counted, added up and shown: which expression of which node, how, how often."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from streaming.definition.expressions.failures import FAILURE_KINDS, FailureKind
from streaming.definition.types import Timestamp, Type
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, Tick, format_instant

_MOST_FIELDS: Final = 6
_MOST_CHARACTERS: Final = 60
FAILURE_WORDS: Final[dict[FailureKind, str]] = {
    "overflow": "a number beyond its type",
    "division_by_zero": "a division by zero",
    "cast": "a failed cast",
    "argument": "an argument that the function does not take",
    "too_long": "a value longer than 1 MiB",
}
ExpressionFailure = tuple[str, str, FailureKind]
"""A node, one of its expressions (`where`, `by`, `over`, `expression`, or the name of a column), how it failed."""
Example = dict[str, str | None]
"""By field the text of its value, cut at 60 characters; at most 6 fields."""


@dataclass(frozen=True, slots=True)
class FailureCount:
    """On how many rows `field` of `node` failed in the way `kind`, and what one of them was."""

    node: str
    field: str
    kind: FailureKind
    count: int
    example: Example


class FailureTally:
    """Adds up failures. The example of a kind is the first that was told."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, FailureKind], FailureCount] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FailureTally) and self.counts() == other.counts()

    def __hash__(self) -> int:
        raise TypeError("a tally changes; it is no key")

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, count: FailureCount) -> None:
        """Add `count` to what is known of the same expression and kind."""
        name = (count.node, count.field, count.kind)
        known = self._found.get(name)
        if known is None:
            self._found[name] = count
            return
        self._found[name] = FailureCount(*name, known.count + count.count, known.example)

    def counts(self) -> list[FailureCount]:
        """All of them by node, field and kind."""
        order = {kind: place for place, kind in enumerate(FAILURE_KINDS)}
        return [self._found[name] for name in sorted(self._found, key=lambda name: (*name[:2], order[name[2]]))]

    def to_json(self) -> list[list[Any]]:
        """What `add_json` takes."""
        return [[each.node, each.field, each.kind, each.count, each.example] for each in self.counts()]

    def take(self, other: "FailureTally") -> None:
        """Add all that `other` has."""
        for each in other.counts():
            self.add(each)

    def add_json(self, told: Iterable[Iterable[Any]]) -> None:
        """Add what `to_json` of another tally gave."""
        for each in told:
            self.add(FailureCount(*each))


def example_of(values: Mapping[str, tuple[Any, Type]]) -> Example:
    """The example that shows `values`, each with its type."""
    return {name: shown(value, of) for name, (value, of) in list(values.items())[:_MOST_FIELDS]}


def shown(value: Any, of: Type) -> str | None:
    """The text of a value, cut where it is long; null for null."""
    if value is None:
        return None
    if isinstance(of, Timestamp) and FIRST_TICK <= value <= LAST_TICK:
        return format_instant(Tick(value))
    text = value[: _MOST_CHARACTERS + 1] if isinstance(value, str) else str(value)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
