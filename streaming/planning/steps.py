"""What stands between two nodes of a plan: steps that look at one event at a time and remember nothing. Picklable."""

from dataclasses import dataclass

from streaming.definition.expressions.tree import Expression
from streaming.definition.types import Type
from streaming.temporal.ticks import Ticks


@dataclass(frozen=True)
class FilterStep:
    """Keeps the rows for which `where` is true."""

    node: str
    where: Expression
    counted: bool = True


@dataclass(frozen=True)
class ProjectStep:
    """Replaces the payload by `columns`, in order."""

    node: str
    columns: tuple[tuple[str, Expression, Type], ...]
    counted: bool = True


@dataclass(frozen=True)
class ShiftStep:
    """Moves both ends of every lifetime, and CTIs, by `by` ticks."""

    node: str
    by: Ticks


@dataclass(frozen=True)
class SetDurationStep:
    """Gives every event the lifetime `[start, start + duration)`, constant ticks or a long for each event."""

    node: str
    duration: Ticks | Expression
    counted: bool = True


@dataclass(frozen=True)
class ExtendStep:
    """Moves the end of every lifetime by `by` ticks, which are not negative."""

    node: str
    by: Ticks


Operand = tuple[str, Expression | None, Expression | None]
"""The name of an aggregate, its `of` and its `where`."""


@dataclass(frozen=True)
class LookStep:
    """Changes nothing: counts where the `operands` of `node`, a window or top_k, fail.

    `of` is evaluated where `where` is true. A step, so that a row counts once, in however many panes it will be.
    """

    node: str
    operands: tuple[Operand, ...]
    counted: bool = True


Step = FilterStep | ProjectStep | ShiftStep | SetDurationStep | ExtendStep | LookStep
"""What looks at one event at a time and remembers nothing.

`counted`: the failures of its expressions are counted here; a node whose rows go several ways stands in each of them.
"""
