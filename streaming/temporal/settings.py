"""Advance-time settings in the form that clocks use (TEMPORAL.md section 3); the definition validates them."""

from dataclasses import dataclass
from enum import StrEnum

from streaming.temporal.ticks import Ticks


class Late(StrEnum):
    """What becomes of an event that violates a CTI (T10)."""

    DROP = "drop"
    ADJUST = "adjust"
    SHIFT = "shift"
    KEEP = "keep"


class LateEnd(StrEnum):
    """What becomes, under `drop`, of the open edge whose end came too late."""

    LEAVE_OPEN = "leave_open"
    CLOSE_AT_CTI = "close_at_cti"


class Basis(StrEnum):
    """What a generated CTI follows: the last received event or the largest start so far (T9)."""

    LAST = "last"
    MAX = "max"


@dataclass(frozen=True, slots=True)
class Generate:
    """Generate a CTI after every `every_count` events, or every `every_ticks` of event time: exactly one is set.

    `delay` is subtracted from the basis and may be negative; `final` adds CTI INFINITY when the user stops the run.
    """

    delay: Ticks
    every_count: int | None = None
    every_ticks: Ticks | None = None
    basis: Basis = Basis.LAST
    final: bool = False


@dataclass(frozen=True, slots=True)
class AdvanceTime:
    """The settings of one input: how time advances and what becomes of late events."""

    generate: Generate | None = None
    late: Late = Late.DROP
    late_end: LateEnd = LateEnd.LEAVE_OPEN
