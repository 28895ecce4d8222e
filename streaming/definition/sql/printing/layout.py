"""Clauses into lines: on one line what is short, else one clause a line, and one item a line where those are many."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

WIDTH: Final = 100
INDENT: Final = "  "


@dataclass(frozen=True)
class ClauseLines:
    """One clause: the words that begin it, and items with commas between them."""

    head: str
    items: tuple[str, ...] = ()

    def flat(self) -> str:
        """The clause on one line (but for line breaks inside of expressions)."""
        return " ".join(part for part in (self.head, ", ".join(self.items)) if part)

    def lines(self, indent: str) -> list[str]:
        """The clause on a line, or with each item on a line of its own when it is too long."""
        whole = indent + self.flat()
        if fits(whole) or len(self.items) < 2:
            return [whole]
        inner = [f"{indent}{INDENT}{item}" for item in self.items]
        return [indent + self.head, *(f"{line}," for line in inner[:-1]), inner[-1]]


def fits(line: str) -> bool:
    """Whether `line` is short enough, and one line."""
    return len(line) <= WIDTH and "\n" not in line


def flat(clauses: Sequence[ClauseLines]) -> str:
    """All clauses on one line."""
    return " ".join(clause.flat() for clause in clauses)


def step(name: str, clauses: Sequence[ClauseLines], indent: str = INDENT) -> list[str]:
    """The lines of a step of WITH, without the comma behind it."""
    line = f"{indent}{name} AS ({flat(clauses)})"
    if fits(line + ","):
        return [line]
    inner = [line for clause in clauses for line in clause.lines(indent + INDENT)]
    return [f"{indent}{name} AS (", *inner, f"{indent})"]


def statement(steps: Sequence[tuple[str, Sequence[ClauseLines]]], insert: Sequence[ClauseLines]) -> str:
    """A statement with its semicolon: `steps` are names with their clauses, `insert` may be empty."""
    short = "WITH " + ", ".join(f"{name} AS ({flat(clauses)})" for name, clauses in steps) if steps else ""
    whole = " ".join(part for part in (short, flat(insert)) if part) + ";"
    if fits(whole) and len(steps) < 2:
        return whole
    lines = ["WITH"] if steps else []
    for number, (name, clauses) in enumerate(steps, start=1):
        written = step(name, clauses)
        lines += [*written[:-1], written[-1] + ("," if number < len(steps) else "")]
    if steps and insert and fits(flat(insert) + ";"):
        lines.append(flat(insert))
    else:
        lines += [line for clause in insert for line in clause.lines("")]
    return "\n".join(lines) + ";"
