"""Every kind of windows for the laws: how one is drawn, and its panes, every window against every event."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from hypothesis import strategies as st

from streaming.definition.windows import (
    CalendarWindow,
    CountWindow,
    HoppingWindow,
    SessionWindow,
    SnapshotWindow,
    TimeIntervalWindow,
    TumblingWindow,
    WindowSpec,
)
from tests.reference.batch.lives import FOREVER, Life

Spec = dict[str, Any]

SIZES = st.integers(1, 25)
OFFSETS = st.integers(-20, 20)
SCANNED = range(-500, 501)
"""The indices of all fixed windows that drawn events can be in."""
CALENDAR_DAYS = {
    "day": range(-3, 4),
    "week": (-10, -3, 4, 11),
    "month": (-62, -31, 0, 31, 59),
    "quarter": (-184, -92, 0, 90, 181),
    "year": (-731, -365, 0, 365, 730),
}
"""The starts of calendar windows around 1970-01-01, a Thursday, in days: drawn events are microseconds from it."""
DAY = 86_400_000_000


@st.composite
def tumbling(draw: st.DrawFn) -> Spec:
    return {"kind": "tumbling", "size": draw(SIZES), "offset": draw(OFFSETS)}


@st.composite
def hopping(draw: st.DrawFn) -> Spec:
    return {"kind": "hopping", "size": draw(SIZES), "hop": draw(SIZES), "offset": draw(OFFSETS)}


@st.composite
def time_interval(draw: st.DrawFn) -> Spec:
    spec = {"kind": "time_interval", "duration": draw(SIZES), "offset": draw(OFFSETS)}
    if draw(st.booleans()):
        spec["period"] = draw(SIZES)
    return spec


def calendar() -> st.SearchStrategy[Spec]:
    units = st.sampled_from(sorted(CALENDAR_DAYS))
    return units.map(lambda unit: {"kind": "calendar", "unit": unit})


@st.composite
def session(draw: st.DrawFn) -> Spec:
    gap = draw(st.integers(1, 15))
    spec = {"kind": "session", "gap": gap}
    return spec | ({"max": gap + draw(st.integers(0, 30))} if draw(st.booleans()) else {})


SPECS: Final[Mapping[str, Callable[[], st.SearchStrategy[Spec]]]] = {
    "tumbling": tumbling,
    "hopping": hopping,
    "time_interval": time_interval,
    "calendar": calendar,
    "session": session,
    "snapshot": lambda: st.just({"kind": "snapshot"}),
    "count": lambda: st.integers(1, 4).map(lambda n: {"kind": "count", "n": n}),
}
"""From the name of a kind to a drawn one."""
FIXED: Final = ("tumbling", "hopping", "time_interval", "calendar")
"""The kinds at fixed times."""


@dataclass(frozen=True)
class Pane:
    """A window `[start, end)` of one group, and the events in it."""

    start: int
    end: int
    members: Sequence[Life]


def fixed_bounds(spec: WindowSpec) -> list[tuple[int, int]]:
    """Return all windows of a fixed kind, in order."""
    match spec:
        case TumblingWindow():
            size = hop = int(spec.size)
        case HoppingWindow():
            size, hop = int(spec.size), int(spec.hop)
        case TimeIntervalWindow():
            size = int(spec.duration)
            hop = size if spec.period is None else int(spec.period)
        case CalendarWindow():
            return list(pairwise(DAY * day for day in CALENDAR_DAYS[spec.unit]))
        case _:
            raise TypeError(f"{spec.kind} windows stand nowhere without events")
    return [(int(spec.offset) + index * hop, int(spec.offset) + index * hop + size) for index in SCANNED]


def _fixed(spec: WindowSpec, group: Sequence[Life], horizon: int) -> list[Pane]:
    panes = []
    for start, end in fixed_bounds(spec):
        members = [life for life in group if life.start < end and _reach(life, horizon) > start]
        if members:
            panes.append(Pane(start, end, members))
    return panes


def _reach(life: Life, horizon: int) -> int:
    """Return the end that counts: for an open edge the largest time seen (T4).

    A row without an end is refused (T24).
    """
    if life.end != FOREVER:
        return life.end
    return horizon + 1 if life.open else -FOREVER


def _sessions(spec: SessionWindow, group: Sequence[Life], horizon: int) -> list[Pane]:
    gap, longest = int(spec.gap), None if spec.max is None else int(spec.max)
    found: list[list[Life]] = []
    for life in sorted(group, key=lambda each: each.start):
        last = found[-1] if found else []
        fits = bool(last) and life.start < last[-1].start + gap
        if fits and (longest is None or life.start + gap - last[0].start <= longest):
            last.append(life)
        else:
            found.append([life])
    return [Pane(members[0].start, members[-1].start + gap, members) for members in found]


def _snapshots(spec: SnapshotWindow, group: Sequence[Life], horizon: int) -> list[Pane]:
    bounds = sorted({life.start for life in group} | {life.end for life in group})
    panes = []
    for start, end in pairwise(bounds):
        members = [life for life in group if life.start < end and life.end > start]
        if members:
            panes.append(Pane(start, end, members))
    return panes


def _counts(spec: CountWindow, group: Sequence[Life], horizon: int) -> list[Pane]:
    starts = sorted({life.start for life in group})
    panes = []
    for first, last in zip(starts, starts[spec.n - 1 :], strict=False):
        panes.append(Pane(first, last + 1, [life for life in group if first <= life.start <= last]))
    return panes


PANES: Final[Mapping[type[Any], Callable[[Any, Sequence[Life], int], list[Pane]]]] = {
    TumblingWindow: _fixed,
    HoppingWindow: _fixed,
    TimeIntervalWindow: _fixed,
    CalendarWindow: _fixed,
    SessionWindow: _sessions,
    SnapshotWindow: _snapshots,
    CountWindow: _counts,
}
"""From a kind of window to its panes with events, of one group."""
