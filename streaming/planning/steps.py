"""Stateless steps between two nodes of a plan, each for one event at a time. Picklable."""

from dataclasses import dataclass

from streaming.definition.expressions.tree import Expression
from streaming.definition.payload.types import Type
from streaming.temporal.ticks import Ticks


@dataclass(frozen=True)
class FilterStep:
    """Keeps the rows for which `where` is true."""

    node: str
    where: Expression
    counted: bool = True


@dataclass(frozen=True)
class ProjectStep:
    """Replaces the payload with `columns`, in order."""

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
    """Counts failures of the `operands` of `node`, a window or top_k, without changing rows.

    `of` is evaluated if `where` is true. It is a step so that a row counts only once, even if it is in several panes.
    """

    node: str
    operands: tuple[Operand, ...]
    counted: bool = True


Step = FilterStep | ProjectStep | ShiftStep | SetDurationStep | ExtendStep | LookStep
"""Any stateless step.

`counted`: failures of its expressions are counted here; a node whose rows take several paths is on each of them.
"""
