"""The variables that a complete match waits for, from its pattern alone, without its conditions (T34)."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, islice, permutations, product
from typing import Final

from streaming.definition.sequences.pattern import Absent, Branches, Pattern, Permute, Repeat, Sequence, Take, leaves

_MOST_ROUNDS: Final = 20
_MOST_CHOICES: Final = 100
_MOST_PAIRS: Final = 20_000
_MOST_VARIABLES: Final = 200

_Rest = tuple[Pattern, ...]
"""The parts that a path has not taken yet: without parts it is complete, otherwise the first one takes a row."""


@lru_cache(maxsize=512)
def extending_variables(pattern: Pattern) -> tuple[str, ...]:
    """Return the variables whose rows may replace a complete match by a more preferred one, by name.

    Without them a match is final with its last row, as that of `A B` and `A B+?` is, but for absences and NEXT. In a
    pattern of more than 100 choices at a row, or 20,000 pairs of paths, names may be missing; a pattern in which
    variables occur more than 200 times is not searched. More than 20 rounds are read as 20.
    """
    if sum(1 for _ in leaves(pattern)) > _MOST_VARIABLES:
        return ()
    found: set[str] = set()
    first = _choices((pattern,))
    pending: list[tuple[_Rest | None, _Rest]] = [(None, rest) for rest in first if rest]
    pending += [(better, other) for better, other in combinations(first, 2) if better and other]
    seen: set[tuple[_Rest | None, _Rest]] = set()
    tried = 0
    while pending and tried < _MOST_PAIRS:
        pair = pending.pop()
        if pair in seen:
            continue
        seen.add(pair)
        better, other = pair
        if better and not other:
            found.add(_variable(better))
        before = len(pending)
        pending += _next_pairs(better, other)
        tried += len(pending) - before
    return tuple(sorted(found))


def _next_pairs(better: _Rest | None, other: _Rest) -> Iterator[tuple[_Rest | None, _Rest]]:
    """Yield two paths one row later, the more preferred one first, which is not complete.

    `better` is None for one path alone. An `other` that is complete stays as it is.
    """
    after = _choices(other[1:]) if other else ((),)
    if better is None:
        yield from ((None, each) for each in after if each)
        yield from ((left, right) for left, right in combinations(after, 2) if left)
    else:
        yield from ((left, right) for left, right in product(_choices(better[1:]), after) if left and left != right)


def _variable(rest: _Rest) -> str:
    first = rest[0]
    return first.variable if isinstance(first, Take) else ""


@lru_cache(maxsize=4096)
def _choices(rest: _Rest) -> tuple[_Rest, ...]:
    """Return what a path with this rest may continue with, the most preferred first."""
    return tuple(islice(_expanded(rest), _MOST_CHOICES))


def _expanded(rest: _Rest) -> Iterator[_Rest]:
    seen: set[_Rest] = set()
    pending = [rest]
    while pending:
        here = pending.pop()
        if here in seen:  # a round that took no row, or a less preferred way to the same rest
            continue
        seen.add(here)
        if not here or isinstance(here[0], Take):
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
