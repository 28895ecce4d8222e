"""The lane of a table whose rows were stored as pages: a whole adapter except for polling the server."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from streaming.adapters.contract import AdapterError, Position
from streaming.adapters.postgresql.decoding import RowDecoder
from streaming.adapters.postgresql.pages import RowPages
from streaming.adapters.seeking import BegunLanes, LaneHeld, SoughtWay, positions_within, require_way
from streaming.definition.counts import counted
from streaming.temporal.ticks import TICKS_PER_S
from streaming.wire.beginning import BeginAtPositions, SoughtBegin
from streaming.wire.execution.case import ONLY_LANE
from streaming.wire.rows.arrived import Arrived

_REMEDY: Final = "Start the binding from the beginning."


class PagedLane:
    """The lane "0" over `pages`, whose lines are named `line` ("row", "change") and come from `shown`; it never ends.

    The server is polled again `poll_s` seconds after `asked` (ticks; None: at once). A subclass provides the `decoder`.
    """

    def __init__(self, pages: RowPages[Any], line: str, shown: str, poll_s: int) -> None:
        self._paged = pages
        self._line = line
        self._shown = shown
        self._poll_ticks = poll_s * TICKS_PER_S
        self._asked: int | None = None

    @property
    def decoder(self) -> RowDecoder:
        """The decoder of lines. Raises `AdapterError` for a stream that does not fit."""
        raise NotImplementedError

    def lanes(self) -> Sequence[str]:
        """The one lane "0"."""
        return (ONLY_LANE,)

    def bounds(self, start: Mapping[str, Position]) -> Mapping[str, Position]:
        """The bounds set by `RowPages.bound`."""
        end = self._paged.bound(start.get(ONLY_LANE, 0))
        return {} if end is None else {ONLY_LANE: end}

    def finished(self, positions: Mapping[str, Position]) -> bool:  # noqa: ARG002
        """Always False: more rows may be written."""
        return False

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:  # noqa: ARG002
        """Yield the stored lines `[start, end)`. Raises `AdapterError`."""
        if end <= start:
            return
        if self._kept_end() < end:
            raise AdapterError(f"The {self._line}s {start} to {end} that were read are no longer stored. {_REMEDY}")
        yield from self.decoder.chunks(self._paged, start, end)

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:  # noqa: ARG002
        """Start at a line that was already stored. Raises `AdapterError` for another place."""
        require_way(self, place)
        assert isinstance(place, BeginAtPositions)  # nosec B101 # a subclass with other start positions overrides this
        return positions_within(place, input_id, {ONLY_LANE: (0, self._kept_end())})

    def cannot_begin(self) -> Mapping[SoughtWay, str]:
        """All start positions except a position. Raises `AdapterError`."""
        raise NotImplementedError

    @property
    def time_means(self) -> str:
        """The meaning of a time: when the line was read."""
        return "was read then or later"

    def held(self, *, now: int, since: int | None) -> Sequence[LaneHeld]:  # noqa: ARG002
        """Lines are stored by the run that reads them. Raises `AdapterError`."""
        return [LaneHeld(ONLY_LANE, earliest=0)]

    def _kept_end(self) -> Position:
        """The position after the last stored line."""
        last = self._paged.last()
        return 0 if last is None else last.end

    def _held(self, reached: Position) -> Position:
        """As `_kept_end`, for a run that has read up to `reached`. Raises `AdapterError` if fewer lines are stored."""
        held = self._kept_end()
        if reached > held:
            read = f"This run has read {counted(reached, self._line)} of {self._shown}"
            raise AdapterError(f"{read}, but its journal holds only {held} because it was removed. {_REMEDY}")
        return held

    def _is_due(self, now: int) -> bool:
        asked = self._asked
        return asked is None or not 0 <= now - asked < self._poll_ticks
