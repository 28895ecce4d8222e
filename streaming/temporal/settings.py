"""Advance-time settings in the form that clocks use (TEMPORAL.md section 3); the definition validates them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from streaming.temporal.ticks import NO_TICKS, Ticks


class Late(StrEnum):
    """The treatment of an event that violates a CTI (T10)."""

    DROP = "drop"
    ADJUST = "adjust"
    SHIFT = "shift"
    KEEP = "keep"


class LateEnd(StrEnum):
    """The treatment, under `drop`, of an open edge whose end is late."""

    LEAVE_OPEN = "leave_open"
    CLOSE_AT_CTI = "close_at_cti"


class Basis(StrEnum):
    """The basis of a generated CTI: the last received event or the largest start so far (T9)."""

    LAST = "last"
    MAX = "max"


class Idle(StrEnum):
    """The treatment of a lane that has been silent for `idle_after` (T16)."""

    LEAVE_OUT = "leave_out"
    ADVANCE = "advance"


class Future(StrEnum):
    """The treatment of an event further than `max_ahead` ahead of its arrival (T18)."""

    ACCEPT = "accept"
    HOLD = "hold"
    DROP = "drop"


DEFAULT_MAX_AHEAD: Final = Ticks(300_000_000)
"""Five minutes (T18)."""


@dataclass(frozen=True, slots=True)
class Generate:
    """Generate a CTI after every `every_count` events, or every `every_ticks` of event time: exactly one is set.

    `delay` is subtracted from the basis and may be negative; `final` adds CTI INFINITY when the user stops the run.
    A CTI is generated only if it is at least `minimum_gap` above the lane's (T9, SPL).
    """

    delay: Ticks
    every_count: int | None = None
    every_ticks: Ticks | None = None
    basis: Basis = Basis.LAST
    final: bool = False
    minimum_gap: Ticks = NO_TICKS


@dataclass(frozen=True, slots=True)
class AdvanceTime:
    """The settings of one input: how time advances, and how late events are treated.

    `import_from` is the id of another input whose CTIs are copied at each micro-batch boundary (T26). `late_arrival` is
    the Azure bound: before an event is judged, its lane's CTI is at least its arrival minus this (T9). `over` is the
    text of an expression; each of its values has its own clock (T15). `default_grace` applies to windows without a
    grace of their own.
    """

    generate: Generate | None = None
    late: Late = Late.DROP
    late_end: LateEnd = LateEnd.LEAVE_OPEN
    import_from: str | None = None
    late_arrival: Ticks | None = None
    over: str | None = None
    idle_after: Ticks | None = None
    idle: Idle = Idle.LEAVE_OUT
    max_ahead: Ticks = DEFAULT_MAX_AHEAD
    future: Future = Future.HOLD
    default_grace: Ticks = NO_TICKS
