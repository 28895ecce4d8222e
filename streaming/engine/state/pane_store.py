"""Events that wait in open panes: rows in segments, found by the hash of their group or by their due time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.engine.columns.flows import Flows, Mask, concat_flows
from streaming.engine.columns.hashing import UInt64s
from streaming.engine.columns.ranks import distinct
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.tiers import FANOUT, tier_of
from streaming.temporal.ticks import INFINITY
from streaming.wire.rows.arrived import Int64s

_SEGMENTS: Final = "segments"
_FRESH: Final = 0
_SETTLED: Final = 1
_DEAD: Final = 2
_SMALLEST: Final = 1 << 10
_SPARSE: Final = 6
"""A filter has 2**6 bits for each hash it knows, so that one row in 64 passes it by chance."""


@dataclass(frozen=True, slots=True)
class WaitingRows:
    """Rows that wait: `begin` is the time before which no part of them is open, `group` the hash of their group.

    A row is processed when the time `due` is final; once it is `settled`, when `later` is.
    """

    flows: Flows
    group: UInt64s
    begin: Int64s
    due: Int64s
    later: Int64s
    settled: Mask

    def take(self, rows: Int64s) -> "WaitingRows":
        """The `rows` by index."""
        return WaitingRows(
            self.flows.take(rows),
            self.group[rows],
            self.begin[rows],
            self.due[rows],
            self.later[rows],
            self.settled[rows],
        )


@dataclass(eq=False)
class _Segment:
    """Rows that were written at once; `group`, `times` and `rows` never change.

    `state` marks each row fresh, settled or dead; without it all are fresh.
    """

    node_state: NodeState
    summary: dict[str, Any]
    changed: bool = False
    _keys: dict[str, pa.Table] = field(default_factory=dict)
    _state: npt.NDArray[np.int8] | None = None

    @property
    def size(self) -> int:
        return int(self.summary["size"])

    def key(self, name: str) -> Any:
        table = "group" if name == "group" else "times"
        if table not in self._keys:
            self._keys[table] = self.node_state.get(self.summary[table])
        return self._keys[table].column(name).to_numpy()

    @property
    def state(self) -> npt.NDArray[np.int8]:
        if self._state is None:
            name = self.summary["state"]
            stored = self.node_state.get(name).column("state").to_numpy() if name else np.zeros(self.size, np.int8)
            self._state = stored
        return self._state

    def mark(self, rows: Int64s, state: int | npt.NDArray[np.int8]) -> None:
        marked = self.state.copy()
        marked[rows] = state
        self._state = marked
        self.changed = True

    @property
    def live(self) -> Mask:
        live: Mask = self.state != _DEAD
        return live

    @property
    def due(self) -> Int64s:
        due: Int64s = np.where(self.state == _SETTLED, self.key("later"), self.key("due"))
        return due

    def waiting(self, rows: Int64s) -> WaitingRows:
        return WaitingRows(
            Flows.of_table(self.node_state.get(self.summary["rows"])).take(rows),
            self.key("group")[rows],
            self.key("begin")[rows],
            self.key("due")[rows],
            self.key("later")[rows],
            self.state[rows] == _SETTLED,
        )

    @property
    def tables(self) -> list[str]:
        return [self.summary[name] for name in ("group", "times", "rows", "state") if self.summary[name]]

    def sum_up(self) -> None:
        """Update the head's summary of this segment, and store which rows are dead."""
        live = self.live
        self.summary["live"] = int(live.sum())
        self.summary["due"] = int(self.due[live].min(initial=INFINITY))
        self.summary["begin"] = int(self.key("begin")[live].min(initial=INFINITY))


@dataclass
class PaneStore:
    """The rows that wait in one node, in its state.

    Adding rows reads nothing. Finding due rows reads the times (24 bytes a row) of segments that have some, finding
    groups reads the groups of all (8 bytes a row); rows themselves are read only if some of them are needed. Removed
    rows are marked, and a segment is rewritten without them when most are removed. Call `save` after changes.
    """

    node_state: NodeState
    _segments: list[_Segment] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._segments = [
            _Segment(self.node_state, dict(summary)) for summary in self.node_state.head.get(_SEGMENTS, ())
        ]

    def __len__(self) -> int:
        return sum(int(segment.summary["live"]) for segment in self._segments)

    @property
    def least(self) -> int:
        """Return the smallest `begin`; INFINITY if no row waits. Call it right after `save`."""
        return min((int(segment.summary["begin"]) for segment in self._segments), default=int(INFINITY))

    def due(self, at: int) -> UInt64s:
        """Return the groups that have a row due at or before `at`, rising."""
        found = [np.empty(0, np.uint64)]
        for segment in self._segments:
            if segment.summary["due"] <= at:
                found.append(segment.key("group")[segment.live & (segment.due <= at)])
        return distinct(np.concatenate(found))

    def among(self, groups: UInt64s | None) -> Int64s:
        """Return the places of all rows of `groups` (None: of all groups), and perhaps of a few others."""
        if groups is not None and not len(groups):
            return np.empty(0, np.int64)
        # a table of bits, not a search, because every turn checks every waiting row. A false positive comes with its
        # whole group, in which nothing is due, so it has no effect
        passes = None if groups is None else _filter(groups)
        found = [np.empty(0, np.int64)]
        base = 0
        for segment in self._segments:
            wanted = segment.live if passes is None else segment.live & passes[_bits(segment.key("group"), passes)]
            found.append(np.flatnonzero(wanted) + base)
            base += segment.size
        return np.concatenate(found)

    def rows(self, places: Int64s) -> WaitingRows | None:
        """Return the rows at `places`, which rise; None without places."""
        return joined([segment.waiting(rows) for segment, rows, _ in self._split(places)])

    def remove(self, places: Int64s) -> None:
        """Remove the rows at `places`, which rise."""
        for segment, rows, _ in self._split(places):
            segment.mark(rows, _DEAD)

    def settle(self, places: Int64s, settled: Mask) -> None:
        """Record for the rows at `places`, which rise, which are settled."""
        for segment, rows, part in self._split(places):
            wished = np.where(settled[part], np.int8(_SETTLED), np.int8(_FRESH))
            if (segment.state[rows] != wished).any():
                segment.mark(rows, wished)

    def save(self, added: WaitingRows | None) -> None:
        """Add rows and store all changes; earlier places are invalid afterwards."""
        kept = [segment for segment in self._segments if not self._worn(segment)]
        parts = [] if added is None or not len(added.flows) else [added]
        for segment in [segment for segment in self._segments if segment not in kept]:
            parts += [segment.waiting(rows)] if len(rows := np.flatnonzero(segment.live)) else []
            self.node_state.drop(segment.tables)
        size = sum(len(part.flows) for part in parts)
        while (
            size
            and len(
                near := [each for each in kept if tier_of(each.summary["live"], _SMALLEST) <= tier_of(size, _SMALLEST)]
            )
            >= FANOUT - 1
        ):
            for segment in near:
                kept.remove(segment)
                parts.append(segment.waiting(np.flatnonzero(segment.live)))
                size += len(parts[-1].flows)
                self.node_state.drop(segment.tables)
        whole = joined(parts)
        if whole is not None:
            kept.append(self._written(whole))
        for segment in kept:
            if segment.changed:
                self._store_state(segment)
        self._segments = kept
        self.node_state.head[_SEGMENTS] = [segment.summary for segment in kept]

    def _split(self, places: Int64s) -> list[tuple[_Segment, Int64s, slice]]:
        """Yield for each segment that has some of `places`: its rows there, and their positions in `places`."""
        found = []
        base = 0
        for segment in self._segments:
            low, high = np.searchsorted(places, (base, base + segment.size)).tolist()
            if low < high:
                found.append((segment, places[low:high] - base, slice(low, high)))
            base += segment.size
        return found

    def _worn(self, segment: _Segment) -> bool:
        if segment.changed:
            segment.sum_up()
        return bool(2 * segment.summary["live"] < segment.size)

    def _store_state(self, segment: _Segment) -> None:
        # tombstones take a byte a row next to the rows: an event that leaves a large segment does not rewrite it
        if segment.summary["state"]:
            self.node_state.drop([segment.summary["state"]])
        segment.summary["state"] = self.node_state.fresh()
        self.node_state.put(segment.summary["state"], pa.table({"state": segment.state}))

    def _written(self, rows: WaitingRows) -> _Segment:
        tables = {
            "group": pa.table({"group": rows.group}),
            "times": pa.table({"begin": rows.begin, "due": rows.due, "later": rows.later}),
            "rows": rows.flows.to_table(),
        }
        summary: dict[str, Any] = {"state": "", "size": len(rows.flows)}
        for name, table in tables.items():
            summary[name] = self.node_state.fresh()
            self.node_state.put(summary[name], table)
        segment = _Segment(self.node_state, summary)
        if rows.settled.any():
            segment.mark(np.flatnonzero(rows.settled), _SETTLED)
        segment.sum_up()
        return segment


def joined(parts: Sequence[WaitingRows]) -> WaitingRows | None:
    """Return all rows of `parts`, in their order; None without rows."""
    if len(parts) < 2:
        return parts[0] if parts else None
    return WaitingRows(
        concat_flows(part.flows for part in parts),
        np.concatenate([part.group for part in parts]),
        np.concatenate([part.begin for part in parts]),
        np.concatenate([part.due for part in parts]),
        np.concatenate([part.later for part in parts]),
        np.concatenate([part.settled for part in parts]),
    )


def _filter(groups: UInt64s) -> Mask:
    """Return a table of bits that is true at the low bits of one of `groups`."""
    passes = np.zeros(1 << min(24, len(groups).bit_length() + _SPARSE), np.bool_)
    passes[_bits(groups, passes)] = True
    return passes


def _bits(groups: UInt64s, table: Mask) -> Int64s:
    return (groups & np.uint64(len(table) - 1)).astype(np.int64)
