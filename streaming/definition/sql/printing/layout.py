"""Layout of clauses: short texts on one line, else one clause per line, and long lists with one item per line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

WIDTH: Final = 100
INDENT: Final = "  "


@dataclass(frozen=True)
class ClauseLines:
    """One clause: its first words, and its items, separated by commas; or its `inner` clauses in parentheses."""

    head: str
    items: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()

    def flat(self) -> str:
        """Return the clause on one line, except for line breaks inside expressions."""
        inner = f"({' '.join(self.inner)})" if self.inner else ""
        return " ".join(part for part in (self.head, ", ".join(self.items), inner) if part)

    def lines(self, indent: str) -> list[str]:
        """Return the clause on one line, or with one item per line if it is too long."""
        whole = indent + self.flat()
        if self.inner and not fits(whole):
            return [f"{indent}{self.head} (", *(f"{indent}{INDENT}{each}" for each in self.inner), f"{indent})"]
        if fits(whole) or len(self.items) < 2:
            return [whole]
        inner = [f"{indent}{INDENT}{item}" for item in self.items]
        return [indent + self.head, *(f"{line}," for line in inner[:-1]), inner[-1]]


def fits(line: str) -> bool:
    """Return whether `line` is short enough, and a single line."""
    return len(line) <= WIDTH and "\n" not in line


def flat(clauses: Sequence[ClauseLines]) -> str:
    """Return all clauses on one line."""
    return " ".join(clause.flat() for clause in clauses)


def step(name: str, clauses: Sequence[ClauseLines], indent: str = INDENT) -> list[str]:
    """Return the lines of a step of WITH, without the comma after it."""
    line = f"{indent}{name} AS ({flat(clauses)})"
    if fits(line + ","):
        return [line]
    inner = [line for clause in clauses for line in clause.lines(indent + INDENT)]
    return [f"{indent}{name} AS (", *inner, f"{indent})"]


def statement(steps: Sequence[tuple[str, Sequence[ClauseLines]]], insert: Sequence[ClauseLines]) -> str:
    """Return a statement with its semicolon: `steps` are names with their clauses, `insert` may be empty."""
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
