"""How many event streams are open at once: each holds a connection to Redis, and work with every report."""

from collections import Counter
from collections.abc import AsyncIterator
from threading import Lock
from typing import Any, Final

from django.http import StreamingHttpResponse

from webapp.core.errors import Busy

OF_A_PERSON: Final = 12
"""Pages that one person, or one token, watches in one organisation."""
OF_AN_ORGANISATION: Final = 60
_counting: Final = Lock()
_taken: Final[Counter[object]] = Counter()


class Seat:
    """The place of one reader, from `take` until `leave`."""

    def __init__(self, organisation: object, reader: object) -> None:
        self._kinds = {("organisation", organisation): OF_AN_ORGANISATION, (organisation, reader): OF_A_PERSON}
        self._is_taken = False

    def take(self) -> None:
        """Take the place. Raises `Busy` when there is none."""
        with _counting:
            for kind, most in self._kinds.items():
                if _taken[kind] >= most:
                    raise Busy(
                        f"{most} pages are watched at once already, by you or in this organisation. Close some, and "
                        "load this one again."
                    )
            for kind in self._kinds:
                _taken[kind] += 1
            self._is_taken = True

    def leave(self) -> None:
        """Give the place back; again is no harm."""
        with _counting:
            if self._is_taken:
                for kind in self._kinds:
                    _taken[kind] -= 1
                self._is_taken = False


class SeatedStream(StreamingHttpResponse):
    """An event stream that gives its seat back when it is closed, whether anything of it was read or not."""

    def __init__(self, events: AsyncIterator[str], seat: Seat) -> None:
        super().__init__(events, content_type="text/event-stream; charset=utf-8")
        self._seat = seat

    def close(self, *_: Any) -> None:
        """Close it."""
        self._seat.leave()
        super().close()
