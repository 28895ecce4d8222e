"""Detection of disconnected clients: work that nobody waits for is ended."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock


class DisconnectHandler:
    """Runs callbacks when the client of a request disconnects."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._endings: list[Callable[[], None]] = []
        self.departed = False

    def depart(self) -> None:
        """Record that the client has disconnected, and run the callbacks."""
        with self._lock:
            self.departed = True
            endings, self._endings = self._endings, []
        for end in endings:
            end()

    @contextmanager
    def ends(self, end: Callable[[], None]) -> Iterator[None]:
        """Call `end` if the client disconnects inside the block, or has disconnected already."""
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


_departure: ContextVar[DisconnectHandler | None] = ContextVar("departure", default=None)


def departure() -> DisconnectHandler:
    """Return the handler of the current request; outside of requests, one that never fires."""
    return _departure.get() or DisconnectHandler()


@contextmanager
def answered_until(one: DisconnectHandler) -> Iterator[None]:
    """Answer a request inside the block, with the handler `one`."""
    token = _departure.set(one)
    try:
        yield
    finally:
        _departure.reset(token)
