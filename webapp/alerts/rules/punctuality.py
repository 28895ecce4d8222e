"""The minutes of each day in which the results of a binding were on time, or late, by its freshness level."""

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final, NamedTuple

from webapp.alerts.rules.evaluation import TICKS_PER_S

MINUTE: Final = 60 * TICKS_PER_S
DAY: Final = 1_440 * MINUTE
DAYS: Final = 30
"""A level counts the day of its last minute and the 29 days before it, in UTC."""


class Punctuality(Enum):
    """A minute of a binding. `NOT_COUNTED`: it had no run, or the run had not reported anything yet."""

    ON_TIME = auto()
    LATE = auto()
    UNKNOWN = auto()
    NOT_COUNTED = auto()


class DayMinutes(NamedTuple):
    """The minutes of the day that starts at tick `begin`: on time or late (`counted`), late, and unknown."""

    begin: int
    counted: int = 0
    late: int = 0
    unknown: int = 0


def with_day(days: Sequence[DayMinutes], at: int, judged: Punctuality) -> tuple[DayMinutes, ...]:
    """Return `days` after the minute that ends at tick `at`, without those that are too old to count."""
    begin = (at - MINUTE) - (at - MINUTE) % DAY
    kept = [each for each in days if each.begin > begin - DAYS * DAY]
    if judged is Punctuality.NOT_COUNTED:
        return tuple(kept)
    last = kept.pop() if kept and kept[-1].begin == begin else DayMinutes(begin)
    known, late = judged is not Punctuality.UNKNOWN, judged is Punctuality.LATE
    return (*kept, DayMinutes(begin, last.counted + known, last.late + late, last.unknown + (not known)))
