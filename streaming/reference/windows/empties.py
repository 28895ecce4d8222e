"""Fixed windows that also fill gaps: panes for windows without events between two that have some (T21)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from streaming.reference.flow import Flow, TraceRecorder
from streaming.reference.windows.fixed_windows import FixedWindows
from streaming.reference.windows.panes import Key, Members, PaneId
from streaming.temporal.ticks import INFINITY, Tick, Ticks


@dataclass
class FilledWindows:
    """The panes of `fixed`, and for each of `groups` empty ones between neighbours that are near enough.

    A window without events between two neighbours that have some is filled iff the later starts at most `gap` after the
    earlier ends. That is decided once it is closed and an event after it is certain. By group, `latest` is the last
    closed window with events, `next` the first after it that is not decided.
    """

    fixed: FixedWindows
    gap: Ticks
    groups: Sequence[Key]
    latest: dict[Key, int] = field(default_factory=dict)
    next: dict[Key, int] = field(default_factory=dict)

    def take(self, key: Key, flow: Flow, witness: TraceRecorder) -> None:
        """Take a flow; see `PaneSet`."""
        self.fixed.take(key, flow, witness)

    def close(self, cti: Tick, horizon: Tick, witness: TraceRecorder) -> Members:
        """Close panes; see `PaneSet`. Panes without members fill gaps that were just decided."""
        closed = self.fixed.close(cti, horizon, witness)
        windows = defaultdict(list)
        for pane in closed:
            windows[pane.key].append(self.fixed.windows.last_index(Tick(pane.start + 1)))
        coming = self.fixed.coming()
        filled: dict[PaneId, Sequence[Flow]] = {}
        for key in self.groups:
            for index in self._decided(key, sorted(windows[key]), coming):
                filled[PaneId(*self.fixed.windows.bounds(index), key)] = ()
        return {**closed, **filled}

    def open_members(self, cti: Tick) -> Members:
        """Return the open panes; see `PaneSet`.

        Empty ones are left out, because they are released only when they are final.
        """
        return self.fixed.open_members(cti)

    def output_cti(self, cti: Tick) -> Tick:
        """Return the CTI of the windows, but at most the start of a closed window that may still be filled."""
        unclosed = self.fixed.unclosed
        if cti == INFINITY or unclosed is None:
            return self.fixed.output_cti(cti)
        undecided = (
            self.fixed.windows.bounds(first)[0]
            for key, first in self.next.items()
            if first < unclosed and self._near(self.latest[key], unclosed)
        )
        return min([self.fixed.output_cti(cti), *undecided])

    def _decided(self, key: Key, closed: Sequence[int], coming: Mapping[Key, int]) -> Iterator[int]:
        """Yield the windows of the group that are filled because one of `closed`, or the coming one, has events."""
        for index in closed:
            yield from self._between(key, index, index)
            self.latest[key], self.next[key] = index, index + 1
        if key in coming and self.fixed.unclosed is not None:
            yield from self._between(key, coming[key], min(coming[key], self.fixed.unclosed))

    def _between(self, key: Key, later: int, stop: int) -> Iterator[int]:
        """Yield the undecided windows before `stop`, if `later`, the next with an event, is near enough."""
        if key in self.latest and self._near(self.latest[key], later):
            yield from range(self.next[key], stop)
            self.next[key] = max(self.next[key], stop)

    def _near(self, earlier: int, later: int) -> bool:
        return self.fixed.windows.bounds(later)[0] - self.fixed.windows.bounds(earlier)[1] <= self.gap
