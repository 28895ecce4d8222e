"""What the planner asks of adapters: a question without an answer yet holds no batch up, and ends at its deadline."""

import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

from streaming.adapters.contract import InputAdapter
from streaming.spark.abandonable_calls import AbandonableCall, CallSeries
from streaming.spark.errors import no_answer

T = TypeVar("T")
LANES_S = 10.0
"""So long an adapter may take to name its lanes."""
PATIENCE_S = 2.0
"""So long one planning waits in all for answers that do not come, and so long any one is waited for in all."""


class AdapterQueries:
    """Questions of one planner. One that is asked again before its answer is the same question."""

    def __init__(self, deadline_s: float, patience_s: float = PATIENCE_S) -> None:
        self._deadline_s = deadline_s
        self._patience_s = min(patience_s, deadline_s)
        self._open: dict[Hashable, AbandonableCall[Any]] = {}
        self._asked: set[Hashable] = set()
        self._ahead: dict[Hashable, AbandonableCall[Any]] = {}
        self._left = 0.0

    @property
    def unanswered(self) -> set[Hashable]:
        """Who of those that were asked have not answered yet: the first parts of the names of such questions.

        A planning that asks others asks these too, or their questions are forgotten, with how old they are.
        """
        return {name[0] for name in self._open if isinstance(name, tuple)}

    def begin(self) -> None:
        """A planning begins: it may wait again, and what the one before asked no more is forgotten."""
        self._open = {name: errand for name, errand in self._open.items() if name in self._asked}
        self._asked = set()
        self._ahead = {}
        self._left = self._patience_s

    def prepare(self, questions: Iterable[tuple[Hashable, Callable[[], Any]]]) -> None:
        """Begin with `questions`, which are asked next in this planning, each by its name; an open one is not begun."""
        new = {name: call for name, call in questions if name not in self._open}
        self._ahead = dict(zip(new, CallSeries.begun(new.values()), strict=True))

    def ask(self, name: Hashable, whom: str, call: Callable[[], T], otherwise: T) -> T:
        """What `call` returns; `otherwise` where it has not answered yet. Raises what it raised, and `AdapterError`.

        `name` says which question this is, `whom` names the input in the sentence of one that came to its deadline.
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
    """The lanes that the adapter of input `name` has. Raises what it raised, and `AdapterError`."""
    return asked_within(f"The input {name}", adapter.lanes, min(deadline_s, LANES_S))


def asked_within(whom: str, call: Callable[[], T], deadline_s: float) -> T:
    """What `call` returns within `deadline_s`. Raises what it raised, and `AdapterError`."""
    errand = AbandonableCall(call)
    if not errand.wait(deadline_s):
        raise no_answer(whom, deadline_s)
    return errand.result()
