"""Rows of a node that wait for a CTI, their end or their window, in unchanging segments that are found by time.

A segment is one table, written once. So a turn writes new rows and reads the rows that it needs, however many others
wait; the remaining rows of a segment that a turn has read are written as a new one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from streaming.engine.state.node_state import NodeState

MOST_SEGMENTS: Final = 64
"""With more segments some are merged: each is an entry of the head, which every turn reads and writes."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A table of `rows` rows: the least and the largest of their times, and a `bound` that its owner defines.

    `watched`: the outcome of its rows is open. Such rows have separate segments, because each turn reads them.
    """

    name: str
    rows: int
    first: int
    last: int
    bound: int
    watched: bool = False


class Segments:
    """The segments that the head of `state` lists in `key`, in the order in which they were written.

    `save` writes that list; changes without a `save` are lost.
    """

    def __init__(self, state: NodeState, key: str) -> None:
        self._state = state
        self._key = key
        self._listed = [Segment(*each) for each in state.head.get(key, ())]

    def __len__(self) -> int:
        """Return how many segments there are."""
        return len(self._listed)

    def __iter__(self) -> Iterator[Segment]:
        """Yield all segments; additions and removals during the iteration have no effect on it."""
        return iter(tuple(self._listed))

    def read(self, segment: Segment) -> pa.Table:
        """The rows of `segment`."""
        return self._state.get(segment.name)

    def add(self, rows: pa.Table, span: tuple[int, int], bound: int, *, watched: bool = False) -> None:
        """Add a new segment of `rows`, at least one, whose least and largest time are `span`."""
        name = self._state.fresh()
        self._state.put(name, rows)
        self._listed.append(Segment(name, rows.num_rows, *span, bound, watched))

    def take_out(self, segments: Iterable[Segment]) -> list[pa.Table]:
        """Remove `segments` and return the rows of each."""
        gone = list(segments)
        found = [self.read(segment) for segment in gone]
        self.drop(gone)
        return found

    def drop(self, segments: Sequence[Segment]) -> None:
        """Remove `segments`."""
        names = {segment.name for segment in segments}
        self._listed = [segment for segment in self._listed if segment.name not in names]
        self._state.drop(sorted(names))

    def rewrite(self, changed: Callable[[pa.Table], pa.Table]) -> None:
        """Rewrite the rows of every segment with `changed`, which keeps their number and their times."""
        every, self._listed = self._listed, []
        for segment in every:
            rows = changed(self._state.get(segment.name))
            self._state.drop([segment.name])
            self.add(rows, (segment.first, segment.last), segment.bound, watched=segment.watched)

    def crowded(self) -> list[Segment]:
        """Return the segments to merge: the smaller half if there are too many, so that large ones stay."""
        if len(self._listed) <= MOST_SEGMENTS:
            return []
        return sorted(self._listed, key=lambda segment: segment.rows)[: MOST_SEGMENTS // 2]

    def save(self) -> None:
        """Write the list of segments. The last call of a turn."""
        self._state.head[self._key] = [
            [each.name, each.rows, each.first, each.last, each.bound, each.watched] for each in self._listed
        ]
