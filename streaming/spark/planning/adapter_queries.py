"""The planner's questions to adapters. A question without an answer yet delays no batch, and fails at its deadline."""

import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

from streaming.adapters.contract import InputAdapter
from streaming.spark.abandonable_calls import AbandonableCall, CallSeries
from streaming.spark.errors import no_answer

T = TypeVar("T")
LANES_S = 10.0
"""The time that an adapter may take to name its lanes."""
PATIENCE_S = 2.0
"""The longest that one planning waits in total for late answers, and the longest that any question is waited for."""


class AdapterQueries:
    """Questions of one planner. A question that is repeated before its answer remains the same question."""

    def __init__(self, deadline_s: float, patience_s: float = PATIENCE_S) -> None:
        self._deadline_s = deadline_s
        self._patience_s = min(patience_s, deadline_s)
        self._open: dict[Hashable, AbandonableCall[Any]] = {}
        self._asked: set[Hashable] = set()
        self._ahead: dict[Hashable, AbandonableCall[Any]] = {}
        self._left = 0.0

    @property
    def unanswered(self) -> set[Hashable]:
        """Return the first parts of the names of questions that have no answer yet.

        The next planning must repeat these questions, or they are forgotten, together with their age.
        """
        return {name[0] for name in self._open if isinstance(name, tuple)}

    def begin(self) -> None:
        """Start a planning: reset the waiting time, and forget questions that the previous planning did not repeat."""
        self._open = {name: errand for name, errand in self._open.items() if name in self._asked}
        self._asked = set()
        self._ahead = {}
        self._left = self._patience_s

    def prepare(self, questions: Iterable[tuple[Hashable, Callable[[], Any]]]) -> None:
        """Start the calls of `questions`, by name, which this planning asks next; skip questions in progress."""
        new = {name: call for name, call in questions if name not in self._open}
        self._ahead = dict(zip(new, CallSeries.start(new.values()), strict=True))

    def ask(self, name: Hashable, whom: str, call: Callable[[], T], otherwise: T) -> T:
        """Return the result of `call`, or `otherwise` if it has not answered yet.

        `name` identifies the question, `whom` names the input in the error message. Raises what the call raised, and
        `AdapterError` at the deadline.
        """
        self._asked.add(name)
        errand: AbandonableCall[T] = self._open.get(name) or self._ahead.pop(name, None) or AbandonableCall(call)
        begun = time.monotonic()
        answered = errand.wait(min(self._left, self._patience_s - errand.age_s))
        self._left -= time.monotonic() - begun
        if answered:
            self._open.pop(name, None)
            return errand.result()
        if errand.age_s >= self._deadline_s:
            self._open.pop(name, None)
            raise no_answer(whom, self._deadline_s)
        self._open[name] = errand
        return otherwise


def lanes_of(name: str, adapter: InputAdapter, deadline_s: float) -> Sequence[str]:
    """Return the lanes of the adapter of input `name`. Raises what the adapter raised, and `AdapterError`."""
    return answer_within(f"The input {name}", adapter.lanes, min(deadline_s, LANES_S))


def answer_within(whom: str, call: Callable[[], T], deadline_s: float) -> T:
    """Return the result of `call` within `deadline_s`. Raises what it raised, and `AdapterError`."""
    errand = AbandonableCall(call)
    if not errand.wait(deadline_s):
        raise no_answer(whom, deadline_s)
    return errand.result()
