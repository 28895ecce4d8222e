"""Admission of an event at a CTI: the table of TEMPORAL.md section 3, one element at a time."""

from dataclasses import dataclass, replace

from streaming.temporal.events import EdgeKind, Event
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import Late, LateEnd
from streaming.temporal.ticks import INFINITY, Tick, Ticks


@dataclass(frozen=True, slots=True)
class InTime:
    """The event passes unchanged: `sync >= cti`."""

    event: Event


@dataclass(frozen=True, slots=True)
class AdmittedEvent:
    """The event passes in the form `event`; `outcome` is adjusted, shifted or late_kept.

    `lateness` is `cti - sync` (zero only for an edge end in time that vanishes), `moved_by` how far the start (of an
    edge end: the end) moved. With the reason VANISHED `event` is an edge end whose end equals its start: it erases
    the open edge.
    """

    event: Event
    outcome: Outcome
    lateness: Ticks
    moved_by: Ticks
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class DroppedEvent:
    """The event is dropped_late; `lateness` is `cti - sync`, always positive."""

    lateness: Ticks


Admission = InTime | AdmittedEvent | DroppedEvent


def admit(event: Event, cti: Tick, late: Late, late_end: LateEnd = LateEnd.LEAVE_OPEN) -> Admission:
    """Apply the policies to `event`, where all time before the finite `cti` is final (T10).

    `sync == cti` is legal, always. The `start` of an edge end must be the start under which its edge was enqueued,
    that is the adjusted one if it was adjusted (T11). ADJUST clips the lifetime, so what has ended is dropped, late
    points always; SHIFT moves points and intervals and keeps their length, and treats edges as ADJUST does.
    """
    if event.edge is EdgeKind.END:
        return _admit_end(event, cti, late, late_end)
    lateness = Ticks(cti - event.start)
    if lateness <= 0:
        return InTime(event)
    if late is Late.KEEP:
        return AdmittedEvent(event, Outcome.LATE_KEPT, lateness, moved_by=Ticks(0))
    if late is Late.SHIFT and event.edge is None:
        moved = replace(event, start=cti, end=event.end if event.end == INFINITY else Tick(event.end + lateness))
        return AdmittedEvent(moved, Outcome.SHIFTED, lateness, moved_by=lateness)
    if late is Late.DROP or event.end <= cti:
        return DroppedEvent(lateness)
    return AdmittedEvent(replace(event, start=cti), Outcome.ADJUSTED, lateness, moved_by=lateness)


def _admit_end(event: Event, cti: Tick, late: Late, late_end: LateEnd) -> Admission:
    lateness = Ticks(max(cti - event.end, 0))
    if late is Late.KEEP and lateness:
        return AdmittedEvent(event, Outcome.LATE_KEPT, lateness, moved_by=Ticks(0))
    if late is Late.DROP and lateness and late_end is LateEnd.LEAVE_OPEN:
        return DroppedEvent(lateness)
    closed = replace(event, end=Tick(event.end + lateness)) if lateness else event
    if closed.end == closed.start:
        return AdmittedEvent(closed, Outcome.ADJUSTED, lateness, moved_by=lateness, reason=Reason.VANISHED)
    if lateness:
        return AdmittedEvent(closed, Outcome.ADJUSTED, lateness, moved_by=lateness)
    return InTime(event)
