"""Received and lost rows of the known minutes of three days, over all runs of a binding, at ever fewer ticks."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from webapp.alerts.rules.evaluation import TICKS_PER_S

_MINUTE: Final = 60 * TICKS_PER_S
_HOUR: Final = 60 * _MINUTE
_LONGEST: Final = 75 * _HOUR
_KEPT: Final = (
    (_MINUTE, 15 * _MINUTE),
    (5 * _MINUTE, _HOUR + 5 * _MINUTE),
    (30 * _MINUTE, 6 * _HOUR + 30 * _MINUTE),
    (3 * _HOUR, _LONGEST),
)
"""Steps, and the age up to which a tally at a multiple of the step is kept: about 60 tallies."""


class LossTally(NamedTuple):
    """The rows that were received and lost in all known minutes before tick `at`, from an arbitrary begin."""

    at: int
    received: int = 0
    lost: int = 0


def with_minute(tallies: Sequence[LossTally], at: int, received: int, lost: int) -> tuple[LossTally, ...]:
    """Return `tallies` after a known minute that ends at tick `at`, without those that no span needs any more.

    Nothing counts in minutes that were left out since the last one.
    """
    last = tallies[-1] if tallies else LossTally(at - _MINUTE)
    unknown = range(max(last.at + _MINUTE, at - _LONGEST), at, _MINUTE)
    before = [*(tallies or (last,)), *(LossTally(tick, last.received, last.lost) for tick in unknown)]
    kept = [each for index, each in enumerate(before) if _is_needed(each.at, at, first=index == 0)]
    return (*kept, LossTally(at, last.received + received, last.lost + lost))


def _is_needed(tick: int, now: int, *, first: bool) -> bool:
    return any(now - tick <= age and (first or tick % step == 0) for step, age in _KEPT)


def counted(tallies: Sequence[LossTally], at: int, minutes: int) -> LossTally:
    """Return the rows in the known minutes of a span before tick `at`, or of the whole life if that is shorter.

    The span is `minutes` long, and up to a sixth longer: it begins at a tally.
    """
    if not tallies:
        return LossTally(at)
    early = [each for each in tallies if each.at <= at - minutes * _MINUTE]
    begin, end = early[-1] if early else tallies[0], tallies[-1]
    return LossTally(at, end.received - begin.received, end.lost - begin.lost)
