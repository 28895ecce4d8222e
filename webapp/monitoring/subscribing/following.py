"""The event stream of an output: committed rows after a cursor, then each new batch as it is committed."""

import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from functools import partial
from itertools import islice
from typing import Final

from asgiref.sync import sync_to_async

from streaming.wire import keys
from webapp.monitoring.committed_pieces import DamagedResults, MergedTooFast
from webapp.monitoring.live_stream import LOOK_S, NO_ENTRY, STILL_HERE, LiveEntries, StreamFailed, frame, live_stream
from webapp.monitoring.subscribing.output_rows import OutputCursor, OutputEvent, OutputEvents

EVENTS_AT_ONCE: Final = 200
"""Events, or parts of the results without one, that are read before they are sent."""
BYTES_AT_ONCE: Final = 4 << 20
SECONDS_AT_ONCE: Final = 1.0
UNREADABLE: Final = (
    "These results can't be read. Try again in a minute. If it keeps failing, contact your administrator, who can "
    "restore the file from a backup."
)
logger = logging.getLogger(__name__)


def output_stream(organisation: str, events: OutputEvents, run: str, allowed: Callable[[], bool]) -> AsyncIterator[str]:
    """Return frames of `events`; `run` is the newest run, whose reports announce committed batches."""
    return live_stream(lambda server: _FollowedOutput(server, organisation, events, run), allowed)


class _FollowedOutput:
    def __init__(self, server: LiveEntries, organisation: str, events: OutputEvents, run: str) -> None:
        self._server, self._organisation, self._events = server, organisation, events
        self._reports = keys.reports(organisation, run)
        self._run = events.run
        self._last = NO_ENTRY

    async def opening(self) -> AsyncGenerator[str]:
        """Yield how soon to reconnect, and after which event, then the rows that are committed already."""
        yield f"id: {self._events.cursor}\nretry: 2000\n\n"
        await self._watch()
        async for each in self._news():
            yield each

    async def following(self, seconds: float) -> AsyncGenerator[str]:
        """Yield the rows that are committed in the next `seconds`."""
        arrived = await self._server.wait({self._reports: self._last}, min(LOOK_S, seconds))
        for _, entries in arrived:
            self._last = entries[-1][0]
        is_quiet = True
        async for each in self._news():
            is_quiet = False
            yield each
        if is_quiet and seconds < LOOK_S:
            yield STILL_HERE

    async def _watch(self) -> None:
        """Wait for reports after the newest one: before the rows are read, so that none is missed in between."""
        newest = await self._server.newest(self._reports, 1)
        self._last = newest[-1][0] if newest else NO_ENTRY

    async def _news(self) -> AsyncGenerator[str]:
        events = self._events.read()
        while text := await sync_to_async(partial(next_frames, events), thread_sensitive=False)():
            yield text
        if self._events.run != self._run:
            self._run = self._events.run
            self._reports = keys.reports(self._organisation, str(self._run))
            await self._watch()


def next_frames(events: Iterator[OutputEvent | OutputCursor], clock: Callable[[], float] = time.monotonic) -> str:
    """Return the next frames as one text, empty at the end; the last one has the id after which a reader continues.

    The limits keep this short, so that heartbeats and checks of rights happen in between. Raises `StreamFailed`.
    """
    made: list[str] = []
    size, ends_at = 0, clock() + SECONDS_AT_ONCE
    silent: OutputCursor | None = None
    try:
        for each in islice(events, EVENTS_AT_ONCE):
            silent = each if isinstance(each, OutputCursor) else None
            if isinstance(each, OutputEvent):
                made.append(frame(each.name, each.cursor, each.data))
                size += len(made[-1])
            if size >= BYTES_AT_ONCE or clock() >= ends_at:
                break
    except MergedTooFast:
        pass  # the next turn reads on
    except (OSError, DamagedResults):
        if not made and silent is None:  # the next turn fails again
            logger.exception("The rows of a stream of results can't be read")
            raise StreamFailed(UNREADABLE) from None
    return "".join(made) + ("" if silent is None else f"id: {silent}\n\n")
