"""Read positions of lanes, as restart points store them, and the number of rows between two of them."""

from collections.abc import Mapping
from typing import Any, Final

from streaming.wire.message import Message


class LaneState(Message):
    """The state of a lane: its position `at`, the end `reach` of its last event, and its `clock` in the feed's form.

    `reach` is null without an event, or if unknown; `clock` is null where the feed stores none.

    `rows` counts all rows read since the lane's first start; null in states from before 2026-11-26. A position may be
    far larger: an offset also counts rows that were deleted before anybody read them.
    """

    at: int
    reach: int | None
    clock: dict[str, Any] | None
    rows: int | None = None


LanesKept = Mapping[str, Mapping[str, LaneState]]
"""By input and lane."""
_UNREAD: Final = LaneState(at=0, reach=None, clock=None, rows=0)


def rows_left(read: LanesKept, reached: LanesKept) -> int:
    """Return how many rows a run at `reached` has to read to catch up with a run at `read`.

    0 only when every lane has caught up: rereading may yield fewer rows.
    """
    pairs = [(reached.get(name, {}).get(lane, _UNREAD), last) for name in read for lane, last in read[name].items()]
    return sum(max(1, _rows_of(first, last)[0]) for first, last in pairs if first.at < last.at)


def _rows_of(first: LaneState, last: LaneState) -> tuple[int, bool]:
    """Return the number of rows from `first` to `last`, and whether it is exact; if not, the number of positions."""
    if first.rows is None or last.rows is None:
        return last.at - first.at, False
    return last.rows - first.rows, True


def rows_between(first: LanesKept, last: LanesKept) -> tuple[int, bool]:
    """Return how many rows all lanes of `last` yielded since `first`; lanes missing in `first` count from their start.

    The flag is False if only positions are known for some lane, so that there may be fewer rows.
    """
    pairs = [(first.get(name, {}).get(lane, _UNREAD), each) for name in last for lane, each in last[name].items()]
    counts = [_rows_of(start, reached) for start, reached in pairs]
    return sum(rows for rows, _ in counts), all(exact for _, exact in counts)
