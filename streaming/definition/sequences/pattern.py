"""The tree of a pattern (T29), and the properties that follow from the pattern alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from streaming.temporal.ticks import Ticks

MatchRows = Literal["one", "all", "all_omit_empty", "all_with_unmatched"]
"""The rows of a match that are emitted."""
MOST_PERMUTED: Final = 6
"""The largest number of parts of PERMUTE: six have 720 orders."""


@dataclass(frozen=True, slots=True)
class Take:
    """The variable takes one row; an `excluded` one is not among the rows of ALL ROWS. `at` is its place."""

    variable: str
    excluded: bool = False
    at: int = 0


@dataclass(frozen=True, slots=True)
class Sequence:
    """The parts one after another; without parts, nothing."""

    parts: tuple["Pattern", ...]


@dataclass(frozen=True, slots=True)
class Branches:
    """One of the parts; an earlier one is preferred."""

    parts: tuple["Pattern", ...]


@dataclass(frozen=True, slots=True)
class Permute:
    """The parts in every order, as alternatives in lexicographic order of their places."""

    parts: tuple["Pattern", ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """`part` at least `least` times and at most `most` times (None: any number).

    One more round is preferred to none, unless `reluctant`.
    """

    part: "Pattern"
    least: int
    most: int | None
    reluctant: bool


@dataclass(frozen=True, slots=True)
class Absent:
    """No later row that starts less than `duration` after the last row satisfies the condition of `variable` (T32)."""

    variable: str
    duration: Ticks
    at: int = 0


Pattern = Take | Sequence | Branches | Permute | Repeat | Absent
NOTHING: Final = Sequence(())


def parts_of(pattern: Pattern) -> tuple[Pattern, ...]:
    """Return the direct parts of `pattern`."""
    match pattern:
        case Sequence() | Branches() | Permute():
            return pattern.parts
        case Repeat():
            return (pattern.part,)
        case _:
            return ()


def leaves(pattern: Pattern) -> Iterator[Take | Absent]:
    """Yield the variables and absences of `pattern`, in the order of the text."""
    if isinstance(pattern, Take | Absent):
        yield pattern
    for part in parts_of(pattern):
        yield from leaves(part)


def variables(pattern: Pattern) -> tuple[str, ...]:
    """Return the names of the variables, each once, also those of absences."""
    return tuple(dict.fromkeys(leaf.variable for leaf in leaves(pattern)))


def absences(pattern: Pattern) -> tuple[Absent, ...]:
    """Return the absences."""
    return tuple(leaf for leaf in leaves(pattern) if isinstance(leaf, Absent))


def excludes(pattern: Pattern) -> bool:
    """Return whether some variable is excluded from ALL ROWS."""
    return any(isinstance(leaf, Take) and leaf.excluded for leaf in leaves(pattern))


def takes_rows(pattern: Pattern) -> bool:
    """Return whether some path through `pattern` takes a row."""
    return any(isinstance(leaf, Take) for leaf in leaves(pattern))


def may_be_empty(pattern: Pattern) -> bool:
    """Return whether some path through `pattern` takes no row."""
    match pattern:
        case Take():
            return False
        case Absent():
            return True
        case Branches():
            return any(may_be_empty(part) for part in pattern.parts)
        case Repeat():
            return pattern.least == 0 or may_be_empty(pattern.part)
        case _:
            return all(may_be_empty(part) for part in pattern.parts)


def wrong_absence(pattern: Pattern) -> tuple[Absent, str] | None:
    """Return an absence at a wrong place, and its place: `beginning`, `middle` or `repeated`; None without one (T32).

    It must be where nothing can follow it, and where every path has taken a row before it.
    """
    return _wrong(pattern, begun=False, last=True, once=True)


def _wrong(pattern: Pattern, *, begun: bool, last: bool, once: bool) -> tuple[Absent, str] | None:
    if isinstance(pattern, Absent):
        place = "repeated" if not once else "middle" if not last else "" if begun else "beginning"
        return (pattern, place) if place else None
    if isinstance(pattern, Repeat):
        return _wrong(pattern.part, begun=begun, last=last, once=once and pattern.most == 1)
    for number, part in enumerate(parts_of(pattern)):
        others = pattern.parts[:number] + pattern.parts[number + 1 :] if isinstance(pattern, Permute) else ()
        following = pattern.parts[number + 1 :] if isinstance(pattern, Sequence) else others
        free = last and not any(next(leaves(each), None) for each in following)
        found = _wrong(part, begun=begun, last=free, once=once)
        if found is not None:
            return found
        begun = begun or (isinstance(pattern, Sequence) and not may_be_empty(part))
    return None
