"""What is made of a plan once and kept as long as the plan lives: a small binding would make it anew in every batch."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from streaming.planning.plan import PlannedStage

P = TypeVar("P", bound=PlannedStage)
T = TypeVar("T")


def once_of_plan(make: Callable[[P], T]) -> Callable[[P], T]:
    """`make`, called once for each plan or stage, by identity. What it makes is shared: leave it as it is."""
    made: WeakKeyDictionary[P, T] = WeakKeyDictionary()

    @wraps(make)
    def found(plan: P) -> T:
        try:
            return made[plan]
        except KeyError:
            return made.setdefault(plan, make(plan))

    return found
