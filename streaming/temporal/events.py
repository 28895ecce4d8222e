"""Elements of a stream: insert events of three shapes, and CTIs (TEMPORAL.md section 2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from streaming.temporal.ticks import INFINITY, ONE_TICK, Tick

Payload = Mapping[str, Any]
"""Field name to value: int, float, Decimal, str, bool, list, dict or None; a timestamp is its tick, an int."""


class Shape(StrEnum):
    """The event shape of a stream."""

    POINT = "point"
    INTERVAL = "interval"
    EDGE = "edge"


class EdgeKind(StrEnum):
    """Which end of an edge an event is."""

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
        """The time a CTI is compared with: the start, but the end of an edge end."""
        return self.end if self.edge is EdgeKind.END else self.start


@dataclass(frozen=True, slots=True)
class Cti:
    """A punctuation: everything strictly before `at` is final; INFINITY ends the input."""

    at: Tick


def point(start: int, payload: Payload | None = None) -> Event:
    """A point at `start`: `[start, start + 1 tick)`."""
    return Event(Tick(start), Tick(start + ONE_TICK), payload or {})


def interval(start: int, end: int, payload: Payload | None = None) -> Event:
    """An interval event `[start, end)`."""
    return Event(Tick(start), Tick(end), payload or {})


def edge_start(start: int, payload: Payload | None = None) -> Event:
    """An edge that opens at `start` and is not yet closed."""
    return Event(Tick(start), INFINITY, payload or {}, EdgeKind.START)


def edge_end(start: int, end: int, payload: Payload | None = None) -> Event:
    """The end, at `end`, of the edge that opened at `start`."""
    return Event(Tick(start), Tick(end), payload or {}, EdgeKind.END)


def strict(bound: Tick) -> Cti:
    """SQLstream's strict bound at `bound`: the CTI one tick later."""
    return Cti(Tick(bound + ONE_TICK))
