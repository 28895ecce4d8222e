"""Calls that may never return, each in a thread: who waits gives one up at its deadline and goes on without it.

A thread cannot be ended from outside. One that is given up stays in its process until its call returns; then what it
brings is dropped and it serves the next errand. All are daemons, so none keeps a process from ending.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")
_HELD_UP_S: Final = 0.05
"""A series of which a call is not done after so long gets another thread."""


class CallAbandoned(Exception):
    """Nobody waits for this any more."""


class AbandonableCall(Generic[T]):
    """`call`, begun at once in another thread; one of a `series` when its turn comes there."""

    def __init__(self, call: Callable[[], T], series: "CallSeries | None" = None) -> None:
        self._call: Callable[[], T] | None = call
        self._running = threading.Lock()  # a quarter of what an Event costs: there are four calls a binding and batch
        self._running.acquire()
        self._found: list[T] = []
        self._fault: BaseException | None = None
        self._series = series
        self._begun = None if series is not None else time.monotonic()
        if series is None:
            _hand().inbox.put(self)

    @property
    def age_s(self) -> float:
        """For how many seconds it has been on its way; 0 before its turn."""
        return 0.0 if self._begun is None else time.monotonic() - self._begun

    def wait(self, seconds: float) -> bool:
        """Whether it is done within `seconds`. A series that is held up, by this call or one before it, goes on."""
        left = max(0.0, seconds)
        while True:
            its_turn = self._series is None or self._begun is not None
            some = left if its_turn else min(left, _HELD_UP_S)
            if self._is_done(some):
                return True
            left -= some
            if self._series is not None:
                self._series.go_on()
            if left <= 0:
                return False

    def _is_done(self, within_s: float) -> bool:
        if not self._running.acquire(timeout=within_s):
            return False
        self._running.release()
        return True

    def result(self) -> T:
        """What the call of an errand that is done returned. Raises what it raised."""
        if self._fault is not None:
            raise self._fault
        return self._found.pop()

    def run(self) -> None:
        """Make the call; in the errand's own thread."""
        call, self._call = self._call, None
        if self._begun is None:
            self._begun = time.monotonic()
        try:
            self._found.append(call())  # type: ignore[misc]
        except BaseException as fault:  # noqa: BLE001 - it is raised where somebody waits for the result
            self._fault = fault

    def tell(self) -> None:
        """Let those who wait go on; in the errand's own thread."""
        self._running.release()


class CallSeries:
    """Calls that one thread makes one after the other, so that who asks for all of them is not woken for each.

    To hand a call to another thread and be woken takes 50 us, and an adapter answers in five. It knows no call whose
    turn has come: calls know their series, and a cycle would keep what they brought.
    """

    def __init__(self) -> None:
        self._left: deque[AbandonableCall[Any]] = deque()

    @classmethod
    def begun(cls, calls: Iterable[Callable[[], Any]]) -> list[AbandonableCall[Any]]:
        """Begin to make `calls`, in their order."""
        series = cls()
        made = [AbandonableCall(call, series) for call in calls]
        series._left.extend(made)
        series.go_on()
        return made

    def go_on(self) -> None:
        """Let another thread make what is left; the one that is held up helps with it when it is free again."""
        if self._left:
            _hand().inbox.put(self)

    def run(self) -> None:
        """Make all calls whose turn has not come; in the series' own thread."""
        while True:
            try:
                call = self._left.popleft()
            except IndexError:
                return
            call.run()
            call.tell()
            del call

    def tell(self) -> None:
        """Nobody waits for all of them."""


class _CallThread(threading.Thread):
    """A thread that runs one errand after another."""

    def __init__(self) -> None:
        super().__init__(name="errand", daemon=True)
        self.inbox: SimpleQueue[AbandonableCall[Any] | CallSeries] = SimpleQueue()
        self.start()

    def run(self) -> None:
        while True:
            errand = self.inbox.get()
            errand.run()
            _FREE.append(self)
            errand.tell()
            del errand  # what it brought is another's, and may be large


_FREE: deque[_CallThread] = deque()


def _hand() -> _CallThread:
    try:
        return _FREE.pop()
    except IndexError:
        return _CallThread()


class Patience(AbstractContextManager["Patience"]):
    """Adds up how long others were waited for inside `with`; one thread waits, another may look on."""

    def __init__(self) -> None:
        self._spent = 0.0
        self._since: float | None = None
        self._over = False

    def __enter__(self) -> "Patience":
        if self._over:
            raise CallAbandoned
        self._since = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._spent, self._since = self.spent_s, None
        if self._over and fault is None:
            raise CallAbandoned

    @property
    def waiting_s(self) -> float:
        """For how many seconds the wait that goes on has lasted; 0 between two."""
        since = self._since
        return 0.0 if since is None else time.monotonic() - since

    @property
    def spent_s(self) -> float:
        """All waits together, in seconds."""
        return self._spent + self.waiting_s

    def give_up(self) -> None:
        """The next wait, and the end of the one that goes on, raise `CallAbandoned`."""
        self._over = True

    def over(self, chunks: Iterator[T]) -> Iterator[T]:
        """The same chunks, each of them waited for."""
        while True:
            with self:
                found = next(chunks, None)
            if found is None:
                return
            yield found
