"""The limit on event streams open at once: each holds a connection to Redis and does work for every report."""

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from django.http import StreamingHttpResponse

from webapp.core.errors import Busy


@dataclass(frozen=True)
class StreamLimit:
    """Streams of one `kind` that may be open at once: for one person or token, and in one organisation."""

    kind: str
    person: int
    organisation: int


PAGES: Final = StreamLimit("live pages", person=12, organisation=60)
SUBSCRIBERS: Final = StreamLimit("streams of results", person=25, organisation=100)
_counting: Final = Lock()
_taken: Final[Counter[object]] = Counter()


class StreamSlot:
    """The place of one reader, from `take` until `leave`."""

    def __init__(self, organisation: object, reader: object, limit: StreamLimit = PAGES) -> None:
        self._limit = limit
        self._kinds = {
            (limit.kind, "organisation", organisation): limit.organisation,
            (limit.kind, organisation, reader): limit.person,
        }
        self._is_taken = False

    def take(self) -> None:
        """Take the place. Raises `Busy` when no place is left."""
        with _counting:
            for kind, most in self._kinds.items():
                if _taken[kind] >= most:
                    raise Busy(
                        f"{most} {self._limit.kind} are already open, by you or in this organisation. Close some, then "
                        "try again."
                    )
            for kind in self._kinds:
                _taken[kind] += 1
            self._is_taken = True

    def leave(self) -> None:
        """Give the place back; calling it again does nothing."""
        with _counting:
            if self._is_taken:
                for kind in self._kinds:
                    _taken[kind] -= 1
                self._is_taken = False


class SeatedStream(StreamingHttpResponse):
    """An event stream that frees its slot when it is closed, even if nothing of it was read."""

    def __init__(self, events: AsyncIterator[str], seat: StreamSlot) -> None:
        super().__init__(events, content_type="text/event-stream; charset=utf-8")
        self._seat = seat
        self.headers["Cache-Control"] = "no-store"
        self.headers["X-Accel-Buffering"] = "no"

    def close(self, *_: Any) -> None:
        """Close the stream and free its slot."""
        self._seat.leave()
        super().close()
