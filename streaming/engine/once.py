"""What is made of a plan once and kept as long as the plan lives: a small binding would make it anew in every batch."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from streaming.engine.plan import Plan

T = TypeVar("T")


def once_of_plan(make: Callable[[Plan], T]) -> Callable[[Plan], T]:
    """`make`, called once for each plan, by identity. What it makes is shared by threads and must not change."""
    made: WeakKeyDictionary[Plan, T] = WeakKeyDictionary()

    @wraps(make)
    def found(plan: Plan) -> T:
        try:
            return made[plan]
        except KeyError:
            return made.setdefault(plan, make(plan))

    return found
