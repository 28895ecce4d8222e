"""The kinds of windows: their models, and their panes in ticks.

A window with errors from `check_window` may have no panes: `panes` raises ValueError for sizes that are not positive.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from streaming.definition.names import DurationText, WholeNumber, ZoneName
from streaming.definition.strict import Strict
from streaming.temporal.calendar_windows import CalendarUnit, CalendarWindows
from streaming.temporal.ticks import Ticks, parse_duration
from streaming.temporal.windows import HoppingWindows


class TumblingWindow(Strict):
    """Windows `[offset + k*size, offset + (k+1)*size)`; `offset` counts from 1970-01-01T00:00Z (T23)."""

    kind: Literal["tumbling"]
    size: DurationText
    offset: DurationText = 0

    def panes(self) -> HoppingWindows:
        """Return windows that hop by their size."""
        return HoppingWindows(parse_duration(self.size), parse_duration(self.size), parse_duration(self.offset))


class HoppingWindow(Strict):
    """Windows `[offset + k*hop, offset + k*hop + size)`; hop above size leaves gaps (T25)."""

    kind: Literal["hopping"]
    size: DurationText
    hop: DurationText
    offset: DurationText = 0

    def panes(self) -> HoppingWindows:
        """Return the same windows in ticks."""
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
        """Return windows that hop by the period."""
        hop = self.duration if self.period is None else self.period
        return HoppingWindows(parse_duration(self.duration), parse_duration(hop), parse_duration(self.offset))


class CalendarWindow(Strict):
    """The days, weeks (from Monday), months, quarters or years of a time zone: `[start of one, start of the next)`.

    With a clock change, a day has 23 or 25 hours. If the change skips midnight, the day starts at the change; if
    midnight occurs twice, it starts at the first. A day that the zone skips has no window (T63).
    """

    kind: Literal["calendar"]
    unit: CalendarUnit
    zone: ZoneName = "UTC"

    def panes(self) -> CalendarWindows:
        """Return the same windows in ticks."""
        return CalendarWindows(self.unit, self.zone)


@dataclass(frozen=True)
class SessionPanes:
    """Sessions with a `gap`, no longer than `max`."""

    gap: Ticks
    max: Ticks | None


class SessionWindow(Strict):
    """For each group `[first start, last start + gap)`: an event that starts before that end belongs to it.

    `max` limits the length: an event that would exceed it opens the next session.
    """

    kind: Literal["session"]
    gap: DurationText
    max: DurationText | None = None

    def panes(self) -> SessionPanes:
        """Return the same sessions in ticks."""
        return SessionPanes(parse_duration(self.gap), None if self.max is None else parse_duration(self.max))


@dataclass(frozen=True)
class SnapshotPanes:
    """Snapshots."""


class SnapshotWindow(Strict):
    """For each group, a window between any two adjacent starts or ends with at least one live event."""

    kind: Literal["snapshot"]

    def panes(self) -> SnapshotPanes:
        """Return snapshots, which have no parameters."""
        return SnapshotPanes()


@dataclass(frozen=True)
class CountPanes:
    """Windows of `n` distinct starts."""

    n: int


class CountWindow(Strict):
    """For each group, from each distinct start to the `n`-th distinct start + 1 tick; holds events that start in it."""

    kind: Literal["count"]
    n: Annotated[WholeNumber, Field(gt=0, le=10_000)]

    def panes(self) -> CountPanes:
        """Return windows of `n` starts."""
        return CountPanes(self.n)


FixedWindow = TumblingWindow | HoppingWindow | TimeIntervalWindow | CalendarWindow
"""Windows at times fixed by the definition, independent of events."""
FixedPanes = HoppingWindows | CalendarWindows
"""Panes at times fixed by the definition, each with an index."""
WindowSpec = Annotated[
    FixedWindow | SessionWindow | SnapshotWindow | CountWindow,
    Field(discriminator="kind"),
]
"""Windows of any kind, in the form of a definition."""
EventPanes = SessionPanes | SnapshotPanes | CountPanes
"""Panes determined by the events of a group; see `reference/pane_rules.py` and the engine's assigners."""
PaneKind = FixedPanes | EventPanes
"""Panes of any kind, in ticks, in the form of a plan."""
