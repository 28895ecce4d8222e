"""The variables that a complete match waits for, from its pattern alone, without its conditions (T34)."""

from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, islice, permutations
from typing import Final

from streaming.definition.sequences.pattern import Absent, Branches, Pattern, Permute, Repeat, Sequence, Take, leaves

_MOST_ROUNDS: Final = 20
_MOST_PATHS: Final = 50
_MOST_ROWS_TRIED: Final = 1_000
_MOST_VARIABLES: Final = 50

_Rest = tuple[Pattern, ...]
"""The parts that a path has not taken yet: without parts it is complete, otherwise the first one takes a row."""
_Paths = tuple[_Rest, ...]
"""The paths of an attempt, the most preferred first; a complete one is the last, because it decides over those after
it.
"""


@lru_cache(maxsize=512)
def extending_variables(pattern: Pattern) -> tuple[str, ...]:
    """Return the variables whose rows may replace a complete match by a more preferred one, by name.

    Without them a match is final with its last row, as that of `A B` and `A B+?` is, but for absences and NEXT. Every
    row may satisfy every combination of conditions. The search is bounded: in a pattern with many alternatives or more
    than 20 rounds names may be missing, and one in which variables occur more than 50 times is not searched.
    """
    if sum(1 for _ in leaves(pattern)) > _MOST_VARIABLES:
        return ()
    found: set[str] = set()
    pending = deque([_choices((pattern,))])
    seen: set[_Paths] = set()
    tried = 0
    while pending and tried < _MOST_ROWS_TRIED:
        for paths in _after_a_row(pending.popleft()):
            tried += 1
            if paths in seen:
                continue
            seen.add(paths)
            pending.append(paths)
            if not paths[-1]:
                found.update(_variables(paths))
    return tuple(sorted(found))


def _after_a_row(paths: _Paths) -> Iterator[_Paths]:
    """Yield the paths after a row, for each combination of conditions that it satisfies."""
    names = sorted(_variables(paths))
    for count in range(1, len(names) + 1):
        for satisfied in combinations(names, count):
            after = tuple(islice(_taking(paths, satisfied), _MOST_PATHS))
            if any(after):
                yield after


def _taking(paths: _Paths, satisfied: tuple[str, ...]) -> Iterator[_Rest]:
    seen: set[_Rest] = set()
    for path in paths:
        for rest in _choices(path[1:]) if path and _variable(path) in satisfied else () if path else (path,):
            if rest not in seen:
                seen.add(rest)
                yield rest
            if not rest:
                return


def _variables(paths: _Paths) -> set[str]:
    return {_variable(path) for path in paths if path}


def _variable(rest: _Rest) -> str:
    first = rest[0]
    return first.variable if isinstance(first, Take) else ""


@lru_cache(maxsize=4096)
def _choices(rest: _Rest) -> _Paths:
    """Return the paths that continue with `rest`, the most preferred first, up to a complete one."""
    return tuple(islice(_expanded(rest), _MOST_PATHS))


def _expanded(rest: _Rest) -> Iterator[_Rest]:
    seen: set[_Rest] = set()
    pending = [rest]
    while pending:
        here = pending.pop()
        if here in seen:  # a round that took no row, or a less preferred way to the same rest
            continue
        seen.add(here)
        if not here:
            yield here
            return
        if isinstance(here[0], Take):
            yield here
        else:
            pending += reversed([(*way, *here[1:]) for way in _ways(here[0])])


def _ways(pattern: Pattern) -> Iterator[_Rest]:
    """Yield the replacements of a part that is not a variable, the most preferred first."""
    match pattern:
        case Sequence():
            yield pattern.parts
        case Branches():
            yield from ((part,) for part in pattern.parts)
        case Permute():
            yield from permutations(pattern.parts)
        case Repeat():
            yield from _rounds(pattern)
        case Absent() | Take():
            yield ()


def _rounds(repeat: Repeat) -> Iterator[_Rest]:
    least = min(repeat.least, _MOST_ROUNDS)
    most = None if repeat.most is None else least + min(repeat.most - repeat.least, _MOST_ROUNDS)
    if most == 0:
        yield ()
        return
    left = None if most is None else most - 1
    more = (repeat.part, Repeat(repeat.part, max(least - 1, 0), left, repeat.reluctant))
    if least > 0:
        yield more
    else:
        yield from ((), more) if repeat.reluctant else (more, ())
