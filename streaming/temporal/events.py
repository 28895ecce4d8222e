"""Elements of a stream: insert events of three shapes, and CTIs (TEMPORAL.md section 2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from streaming.temporal.ticks import INFINITY, ONE_TICK, Tick

Payload = Mapping[str, Any]
"""Field name to value: int, float, Decimal, str, bool, list, dict or None; a timestamp is its tick, an int."""


class Shape(StrEnum):
    """The event shape of a stream; the rows of a table are versions, whose lifetimes are edges (T48)."""

    POINT = "point"
    INTERVAL = "interval"
    EDGE = "edge"
    TABLE = "table"

    @property
    def lasts(self) -> bool:
        """Return true if a row may have an end of its own."""
        return self in (Shape.INTERVAL, Shape.EDGE)


class EdgeKind(StrEnum):
    """The end of an edge that an event represents."""

    START = "start"
    END = "end"


@dataclass(frozen=True, slots=True)
class Event:
    """An insert event with the lifetime `[start, end)` (T2).

    `edge` is None for points and intervals. An edge start lives until INFINITY; an edge end repeats the start of
    the edge that it closes.
    """

    start: Tick
    end: Tick
    payload: Payload
    edge: EdgeKind | None = None

    @property
    def sync(self) -> Tick:
        """Return the time that a CTI is compared with: the start, but for an edge end its end."""
        return self.end if self.edge is EdgeKind.END else self.start


@dataclass(frozen=True, slots=True)
class Cti:
    """A punctuation: all time strictly before `at` is final; INFINITY ends the input."""

    at: Tick


@dataclass(frozen=True, slots=True)
class OverlapRow:
    """A row that the other source of an input with history has too (T55); `start` is None if it can't be read."""

    start: Tick | None
    end: Tick | None

    @property
    def event(self) -> Event | None:
        """Return the lifetime as received, without its payload."""
        return None if self.start is None or self.end is None else Event(self.start, self.end, {})


def point(start: int, payload: Payload | None = None) -> Event:
    """Return a point at `start`: `[start, start + 1 tick)`."""
    return Event(Tick(start), Tick(start + ONE_TICK), payload or {})


def interval(start: int, end: int, payload: Payload | None = None) -> Event:
    """Return an interval event `[start, end)`."""
    return Event(Tick(start), Tick(end), payload or {})


def edge_start(start: int, payload: Payload | None = None) -> Event:
    """Return an edge that opens at `start` and is not yet closed."""
    return Event(Tick(start), INFINITY, payload or {}, EdgeKind.START)


def edge_end(start: int, end: int, payload: Payload | None = None) -> Event:
    """Return the end, at `end`, of the edge that opened at `start`."""
    return Event(Tick(start), Tick(end), payload or {}, EdgeKind.END)


def strict(bound: Tick) -> Cti:
    """Return SQLstream's strict bound at `bound`: the CTI one tick later."""
    return Cti(Tick(bound + ONE_TICK))
