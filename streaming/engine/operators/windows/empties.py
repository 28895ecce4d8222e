"""Rows for windows without events between two that have some (T21)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.windows import FixedPanes
from streaming.engine.columns import spans
from streaming.engine.columns.grouping import combine, encode
from streaming.engine.columns.window_indices import AFTER_ALL, BEFORE_ALL, WindowIndices, window_indices
from streaming.engine.operators.windows.emission import PaneTable
from streaming.engine.state.node_state import NodeState
from streaming.planning.columns import AggregateColumn
from streaming.planning.plan import WindowSpec
from streaming.temporal.ticks import NO_CTI
from streaming.wire.rows.arrived import Int64s
from streaming.wire.rows.arrow_types import arrow_type

_FILL: Final = "fill"


@dataclass(frozen=True, slots=True)
class WindowSpans:
    """Windows with events: in row i, group `group[i]` has some in all of `first[i]..last[i]`."""

    group: Int64s
    first: Int64s
    last: Int64s

    def upto(self, window: int) -> "WindowSpans":
        """Return the part that is not after `window`."""
        rows = self.first <= window
        return WindowSpans(self.group[rows], self.first[rows], np.minimum(self.last[rows], window))

    def after(self, window: int) -> "WindowSpans":
        """Return the part that is after `window`."""
        rows = self.last > window
        return WindowSpans(self.group[rows], np.maximum(self.first[rows], window + 1), self.last[rows])


@dataclass(frozen=True, slots=True)
class FilledIndices:
    """Windows by index, each with the position of its group in the `fill_groups`."""

    index: Int64s
    group: Int64s


NOTHING: Final = FilledIndices(np.empty(0, np.int64), np.empty(0, np.int64))


@dataclass(frozen=True, slots=True)
class FillTurn:
    """The windows that a turn fills, and the node's CTIs that moved in it."""

    windows: FilledIndices
    ctis: tuple[int, ...]


class WindowFilling:
    """The windows of a node's `fill_groups` that are filled: a function of the set of events and of the CTI.

    A window without events between two neighbours that have some is filled iff the later starts at most `fill_gap`
    after the earlier ends. That is decided once it is closed and an event after it is certain. In the head, in `fill`:
    `runs`, the open windows with events as columns of group, first and last; by group `decided`, the last closed window
    with events and the first after it that is not decided; `cti`, the last output CTI.
    """

    def __init__(self, spec: WindowSpec, panes: WindowIndices) -> None:
        if spec.fill_gap is None:
            raise ValueError(f"{spec.node!r} fills no empty windows")
        self._spec = spec
        self._gap = spec.fill_gap
        self._panes = panes
        self._groups = groups_of(spec)

    @property
    def group_by(self) -> tuple[str, ...]:
        """The fields of a group."""
        return self._spec.group_by

    def spans(self, groups: Sequence[pa.Array], first: Int64s, last: Int64s) -> WindowSpans:
        """Return the spans of the rows with the group values `groups` that are in `fill_groups`.

        The rows are in the windows `first..last`.
        """
        listed = len(self._spec.fill_groups)
        columns = [pa.concat_arrays([own, theirs]) for own, theirs in zip(self._groups, groups, strict=True)]
        codes = combine([encode(column) for column in columns], listed + len(first)).codes
        own, theirs = codes[:listed], codes[listed:]
        order = np.argsort(own, kind="stable")
        if not listed:
            return WindowSpans(theirs[:0], first[:0], last[:0])
        place = np.minimum(np.searchsorted(own[order], theirs), listed - 1)
        rows = np.flatnonzero(own[order][place] == theirs)
        return WindowSpans(order[place[rows]], first[rows], last[rows])

    def turn(
        self, state: NodeState, entered: WindowSpans, closing: WindowSpans | None, ctis: Sequence[int], closed: int
    ) -> FillTurn:
        """Return the windows that are filled when `ctis`, if any, have closed all windows up to `closed`.

        `entered` are the windows of events that certainly came in this turn. `closing` are those of further events in
        windows that this turn closes: open edges, which are certain only there.
        """
        fill = state.head.setdefault(_FILL, {"runs": [[], [], []], "decided": {}, "cti": NO_CTI})
        known = WindowSpans(*(np.array(column, np.int64) for column in fill["runs"]))
        runs = _united([known, entered])
        if not ctis:
            fill["runs"] = _listed(runs)
            return FillTurn(NOTHING, ())
        over = runs.upto(closed)
        rest = runs.after(closed)
        fill["runs"] = _listed(rest)
        found = list(self._decided(fill["decided"], _united([over, closing or over]), rest, closed))
        left = self._cti(fill["decided"], closed)
        moved = (left,) if left > fill["cti"] else ()
        fill["cti"] = left
        return FillTurn(_windows(found), moved)

    def _decided(
        self, decided: dict[str, list[int]], over: WindowSpans, rest: WindowSpans, closed: int
    ) -> Iterator[tuple[int, int, int]]:
        """Yield (group, first, stop) of windows that are filled.

        They are filled because one of `over`, or the next of `rest`, has events.
        """
        for group, first, last in zip(*_listed(over), strict=True):
            yield from self._between(decided, group, first, first)
            decided[str(group)] = [last, last + 1]
        coming = dict(zip(rest.group[::-1].tolist(), rest.first[::-1].tolist(), strict=True))
        for group in sorted(coming):
            yield from self._between(decided, group, coming[group], min(coming[group], closed + 1))

    def _between(
        self, decided: dict[str, list[int]], group: int, later: int, stop: int
    ) -> Iterator[tuple[int, int, int]]:
        """Yield the undecided windows before `stop`, if `later`, the next with an event, is near enough."""
        if str(group) not in decided:
            return
        latest, first = decided[str(group)]
        if first < stop and self._near(latest, later):
            decided[str(group)] = [latest, stop]
            yield group, first, stop

    def _near(self, earlier: int, later: int) -> bool:
        return self._panes.start(later) - self._panes.end(earlier) <= self._gap

    def _cti(self, decided: Mapping[str, list[int]], closed: int) -> int:
        """Return the CTI of the windows, but at most the start of a closed window that may still be filled."""
        left = self._panes.output_cti(closed)
        if closed in (BEFORE_ALL, AFTER_ALL):
            return left
        undecided = (
            self._panes.start(first)
            for latest, first in decided.values()
            if first <= closed and self._near(latest, closed + 1)
        )
        return min([left, *undecided])

    def with_empty(self, panes: PaneTable, windows: FilledIndices) -> PaneTable:
        """Return `panes` and the empty `windows`, with the values of their aggregates over nothing."""
        if not len(windows.index):
            return panes
        rows = len(windows.index)
        values = [group.take(pa.array(windows.group)) for group in self._groups]
        values += [over_nothing(column, rows) for column in self._spec.aggregates]
        start, end = self._panes.bounds(windows.index)
        return PaneTable(
            np.concatenate((panes.start, start)),
            np.concatenate((panes.end, end)),
            [pa.concat_arrays([own, empty]) for own, empty in zip(panes.columns, values, strict=True)],
            None if panes.stamp is None else np.concatenate((panes.stamp, start)),
            np.concatenate((panes.extent, np.zeros(rows, np.int64))),
            panes.failed,
        )


def filling_of(spec: WindowSpec) -> WindowFilling | None:
    """Return the filling of empty windows of the node; None if they are skipped (T21)."""
    if spec.fill_gap is None or not isinstance(spec.panes, FixedPanes):
        return None
    return WindowFilling(spec, window_indices(spec.panes))


def groups_of(spec: WindowSpec) -> list[pa.Array]:
    """The `fill_groups` in columns, one for each field of `group_by`."""
    kinds = [arrow_type(spec.fields[name]) for name in spec.group_by]
    return [pa.array([group[place] for group in spec.fill_groups], kind) for place, kind in enumerate(kinds)]


def over_nothing(column: AggregateColumn, rows: int) -> pa.Array:
    """Return the aggregate over no values, `rows` times: 0 for counts, an empty list for lists, null for others."""
    kind = arrow_type(column.type)
    match AGGREGATES[column.function].over_nothing:
        case "zero":
            return pa.array(np.zeros(rows, np.int64))
        case "list":
            return pa.array([[]] * rows, kind)
        case _:
            return pa.nulls(rows, kind)


def _united(parts: Sequence[WindowSpans]) -> WindowSpans:
    """Return the same windows as runs: no two of a group touch or overlap; by group, then by time."""
    group, first, last = (np.concatenate([getattr(part, name) for part in parts]) for name in WindowSpans.__slots__)
    if not len(group):
        return WindowSpans(group, first, last)
    cells = spans.cut(group, first, last)
    full = spans.sums(cells, np.ones(len(group), np.int64)) > 0
    begins = full & ~np.concatenate(([False], full[:-1]))
    stops = np.concatenate((full[:-1] & ~full[1:], [False]))
    after = cells.first_window[np.flatnonzero(stops) + 1]
    return WindowSpans(cells.group[begins], cells.first_window[begins], after - 1)


def _listed(runs: WindowSpans) -> list[list[int]]:
    return [runs.group.tolist(), runs.first.tolist(), runs.last.tolist()]


def _windows(found: Sequence[tuple[int, int, int]]) -> FilledIndices:
    if not found:
        return NOTHING
    index = np.concatenate([np.arange(first, stop) for _, first, stop in found])
    return FilledIndices(index, np.concatenate([np.full(stop - first, group) for group, first, stop in found]))
