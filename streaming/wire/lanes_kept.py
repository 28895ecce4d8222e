"""How far a lane was read, as restart points keep it, and how many rows lie between two such places."""

from collections.abc import Mapping
from typing import Any, Final

from streaming.definition.strict import Strict


class LaneKept(Strict):
    """A lane: `at` its position, `reach` the end of its last event (null: there was none, or it is not known), its
    `clock` as the feed keeps it, null where it is not kept.

    `rows`: how many rows of it were read so far, in all since it began; null in what was kept before 2026-11-26. A
    position may be far more than that: an offset counts rows that were deleted before anybody read them.
    """

    at: int
    reach: int | None
    clock: dict[str, Any] | None
    rows: int | None = None


LanesKept = Mapping[str, Mapping[str, LaneKept]]
"""By input and lane."""
_UNREAD: Final = LaneKept(at=0, reach=None, clock=None, rows=0)


def rows_left(read: LanesKept, reached: LanesKept) -> int:
    """How many rows a run that has `reached` so far has to read until it is where another one is, which has `read`.

    0 only where every lane has come as far: rows may be fewer when they are read again.
    """
    pairs = [(reached.get(name, {}).get(lane, _UNREAD), last) for name in read for lane, last in read[name].items()]
    return sum(max(1, _rows_of(first, last)[0]) for first, last in pairs if first.at < last.at)


def _rows_of(first: LaneKept, last: LaneKept) -> tuple[int, bool]:
    """The rows of a lane from `first` to `last`, and whether that is known; if not, as many as there are positions."""
    if first.rows is None or last.rows is None:
        return last.at - first.at, False
    return last.rows - first.rows, True


def rows_between(first: LanesKept, last: LanesKept) -> tuple[int, bool]:
    """How many rows all lanes of `last` gave since `first`, or since they began, where `first` does not name them.

    False: of some of them only positions are known, so that there may be fewer.
    """
    pairs = [(first.get(name, {}).get(lane, _UNREAD), each) for name in last for lane, each in last[name].items()]
    found = [_rows_of(begun, reached) for begun, reached in pairs]
    return sum(rows for rows, _ in found), all(exact for _, exact in found)
