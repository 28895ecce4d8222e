"""Calls that may never return, each in a thread: a caller gives up at a deadline and continues without the answer.

A thread cannot be ended from outside. The thread of an abandoned call stays in its process until the call returns;
then it drops the result and serves the next call. All threads are daemons, so none keeps a process from ending.
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
_DELAYED_S: Final = 0.05
"""A series gets another thread when one of its calls takes longer than this."""


class CallAbandoned(Exception):
    """The caller has given up and does not wait for the result."""


class AbandonableCall(Generic[T]):
    """`call`, started at once in another thread; a call of a `series` starts at its turn, in that series' thread."""

    def __init__(self, call: Callable[[], T], series: "CallSeries | None" = None) -> None:
        self._call: Callable[[], T] | None = call
        self._running = threading.Lock()  # a quarter of what an Event costs: there are four calls per binding and batch
        self._running.acquire()
        self._found: list[T] = []
        self._fault: BaseException | None = None
        self._series = series
        self._started_at = None if series is not None else time.monotonic()
        if series is None:
            _hand().inbox.put(self)

    @property
    def age_s(self) -> float:
        """Seconds since the call started; 0 before its turn."""
        return 0.0 if self._started_at is None else time.monotonic() - self._started_at

    def wait(self, seconds: float) -> bool:
        """Return True if the call finishes within `seconds`.

        If this call, or one before it, delays the series, another thread continues with the rest of the series.
        """
        left = max(0.0, seconds)
        while True:
            its_turn = self._series is None or self._started_at is not None
            some = left if its_turn else min(left, _DELAYED_S)
            if self._is_done(some):
                return True
            left -= some
            if self._series is not None:
                self._series.continue_elsewhere()
            if left <= 0:
                return False

    def _is_done(self, within_s: float) -> bool:
        if not self._running.acquire(timeout=within_s):
            return False
        self._running.release()
        return True

    def result(self) -> T:
        """Return what the finished call returned. Raises what it raised."""
        if self._fault is not None:
            raise self._fault
        return self._found.pop()

    def run(self) -> None:
        """Make the call, in its own thread."""
        call, self._call = self._call, None
        if self._started_at is None:
            self._started_at = time.monotonic()
        try:
            self._found.append(call())  # type: ignore[misc]
        except BaseException as fault:  # noqa: BLE001 - raised where somebody waits for the result
            self._fault = fault

    def release(self) -> None:
        """Wake the waiting caller, from the call's own thread."""
        self._running.release()


class CallSeries:
    """Calls that one thread makes one after the other, so that a caller who needs all of them is woken only once.

    To hand a call to another thread and be woken takes 50 us; an adapter answers in five. A series does not keep calls
    whose turn has come: calls refer to their series, and a reference cycle would keep their results in memory.
    """

    def __init__(self) -> None:
        self._left: deque[AbandonableCall[Any]] = deque()

    @classmethod
    def start(cls, calls: Iterable[Callable[[], Any]]) -> list[AbandonableCall[Any]]:
        """Start making `calls`, in this order."""
        series = cls()
        made = [AbandonableCall(call, series) for call in calls]
        series._left.extend(made)
        series.continue_elsewhere()
        return made

    def continue_elsewhere(self) -> None:
        """Let another thread make the remaining calls; a delayed thread helps with them when it is free again."""
        if self._left:
            _hand().inbox.put(self)

    def run(self) -> None:
        """Make all calls whose turn has not come, in the thread of the series."""
        while True:
            try:
                call = self._left.popleft()
            except IndexError:
                return
            call.run()
            call.release()
            del call

    def release(self) -> None:
        """Do nothing: nobody waits for the series as a whole."""


class _CallThread(threading.Thread):
    """A thread that runs one call or series after another."""

    def __init__(self) -> None:
        super().__init__(name="errand", daemon=True)
        self.inbox: SimpleQueue[AbandonableCall[Any] | CallSeries] = SimpleQueue()
        self.start()

    def run(self) -> None:
        while True:
            errand = self.inbox.get()
            errand.run()
            _FREE.append(self)
            errand.release()
            del errand  # its result belongs to the caller, and may be large


_FREE: deque[_CallThread] = deque()


def _hand() -> _CallThread:
    try:
        return _FREE.pop()
    except IndexError:
        return _CallThread()


class Patience(AbstractContextManager["Patience"]):
    """Add up the time spent waiting for others inside `with`; one thread waits, another may watch."""

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
        """Seconds that the current wait has lasted; 0 between two waits."""
        since = self._since
        return 0.0 if since is None else time.monotonic() - since

    @property
    def spent_s(self) -> float:
        """Seconds of all waits together."""
        return self._spent + self.waiting_s

    def give_up(self) -> None:
        """Make the next wait, and the end of the current one, raise `CallAbandoned`."""
        self._over = True

    def over(self, chunks: Iterator[T]) -> Iterator[T]:
        """Yield the same chunks, and count the time spent waiting for each."""
        while True:
            with self:
                found = next(chunks, None)
            if found is None:
                return
            yield found
