"""Values that are computed from a plan once and kept as long as the plan lives, instead of in every batch."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from streaming.planning.plan import PlannedStage

P = TypeVar("P", bound=PlannedStage)
T = TypeVar("T")


def once_of_plan(make: Callable[[P], T]) -> Callable[[P], T]:
    """Return `make`, called once for each plan or stage, by identity. The result is shared: do not change it."""
    made: WeakKeyDictionary[P, T] = WeakKeyDictionary()

    @wraps(make)
    def cached(plan: P) -> T:
        try:
            return made[plan]
        except KeyError:
            return made.setdefault(plan, make(plan))

    return cached
