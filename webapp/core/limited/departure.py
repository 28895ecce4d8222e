"""Whether whoever asked still waits for the answer: what is done for nobody is ended."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock


class Departure:
    """Of one request: `depart` is called when the connection is closed, and calls what is to be ended then."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._endings: list[Callable[[], None]] = []
        self.departed = False

    def depart(self) -> None:
        """Note that nobody waits any more."""
        with self._lock:
            self.departed = True
            endings, self._endings = self._endings, []
        for end in endings:
            end()

    @contextmanager
    def ends(self, end: Callable[[], None]) -> Iterator[None]:
        """Call `end` if the client leaves inside the block, or has left."""
        with self._lock:
            self._endings.append(end)
            gone = self.departed
        if gone:
            end()
        try:
            yield
        finally:
            with self._lock:
                if end in self._endings:
                    self._endings.remove(end)


_departure: ContextVar[Departure | None] = ContextVar("departure", default=None)


def departure() -> Departure:
    """Return that of the current request; outside of requests one that never happens."""
    return _departure.get() or Departure()


@contextmanager
def answered_until(one: Departure) -> Iterator[None]:
    """Answer a request whose client leaves by `one` inside the block."""
    token = _departure.set(one)
    try:
        yield
    finally:
        _departure.reset(token)
