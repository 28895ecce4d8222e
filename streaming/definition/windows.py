"""The kinds of windows: what a definition says of one, and the panes that it makes, in ticks.

A window that `check_window` faults may have no panes: of sizes that are not positive `panes` raises ValueError.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from streaming.definition.names import DurationText, WholeNumber
from streaming.definition.strict import Strict
from streaming.temporal.ticks import Ticks, parse_duration
from streaming.temporal.windows import HoppingWindows


class TumblingWindow(Strict):
    """Windows `[offset + k*size, offset + (k+1)*size)`; `offset` counts from 1970-01-01T00:00Z (T23)."""

    kind: Literal["tumbling"]
    size: DurationText
    offset: DurationText = 0

    def panes(self) -> HoppingWindows:
        """Windows that hop by their size."""
        return HoppingWindows(parse_duration(self.size), parse_duration(self.size), parse_duration(self.offset))


class HoppingWindow(Strict):
    """Windows `[offset + k*hop, offset + k*hop + size)`; hop above size leaves gaps (T25)."""

    kind: Literal["hopping"]
    size: DurationText
    hop: DurationText
    offset: DurationText = 0

    def panes(self) -> HoppingWindows:
        """The same windows."""
        return HoppingWindows(parse_duration(self.size), parse_duration(self.hop), parse_duration(self.offset))


class TimeIntervalWindow(Strict):
    """SPL panes `[k*period + offset, k*period + offset + duration)`; `period` defaults to the duration.

    `discard_age` is SPL's name for the grace of the window (T19).
    """

    kind: Literal["time_interval"]
    duration: DurationText
    period: DurationText | None = None
    offset: DurationText = 0
    discard_age: DurationText = 0

    def panes(self) -> HoppingWindows:
        """Windows that hop by the period."""
        hop = self.duration if self.period is None else self.period
        return HoppingWindows(parse_duration(self.duration), parse_duration(hop), parse_duration(self.offset))


@dataclass(frozen=True)
class SessionPanes:
    """Sessions with a `gap`, no longer than `max`."""

    gap: Ticks
    max: Ticks | None


class SessionWindow(Strict):
    """For each group `[first start, last start + gap)`: an event that starts before that end belongs.

    `max` caps the length: the event that would exceed it opens the next session.
    """

    kind: Literal["session"]
    gap: DurationText
    max: DurationText | None = None

    def panes(self) -> SessionPanes:
        """The same sessions."""
        return SessionPanes(parse_duration(self.gap), None if self.max is None else parse_duration(self.max))


@dataclass(frozen=True)
class SnapshotPanes:
    """Snapshots."""


class SnapshotWindow(Strict):
    """For each group, between any two neighbouring starts or ends with at least one event alive."""

    kind: Literal["snapshot"]

    def panes(self) -> SnapshotPanes:
        """Snapshots, of which nothing is said."""
        return SnapshotPanes()


@dataclass(frozen=True)
class CountPanes:
    """Windows of `n` distinct starts."""

    n: int


class CountWindow(Strict):
    """For each group, from each distinct start to the `n`-th distinct start + 1 tick; holds what starts in it."""

    kind: Literal["count"]
    n: Annotated[WholeNumber, Field(gt=0, le=10_000)]

    def panes(self) -> CountPanes:
        """Windows of as many starts."""
        return CountPanes(self.n)


FixedWindow = TumblingWindow | HoppingWindow | TimeIntervalWindow
"""Windows that stand where the definition says, whatever events there are."""
WindowSpec = Annotated[
    FixedWindow | SessionWindow | SnapshotWindow | CountWindow,
    Field(discriminator="kind"),
]
"""Windows of any kind, as a definition writes them."""
EventPanes = SessionPanes | SnapshotPanes | CountPanes
"""Panes that follow from the events of a group: `reference/pane_rules.py` says which, and the engine's assigners."""
PaneKind = HoppingWindows | EventPanes
"""Panes of any kind, in ticks, as a plan has them."""
