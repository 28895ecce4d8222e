"""Rows of reference tables, and their judgement by the clock of a lane (T48 to T53)."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Protocol

from streaming.temporal.clock import JudgedElement, LaneClock
from streaming.temporal.events import Cti, Event, Payload
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime, Late
from streaming.temporal.ticks import INFINITY, ONE_TICK, Tick

DEFAULT_MAX_KEYS: Final = 1_000_000
"""The most keys of a table (T53)."""
Key = tuple[Hashable, ...]


class LoadClock(StrEnum):
    """The CTI that follows a whole load: its time, or infinity after the first one (T51)."""

    POLL = "poll"
    STATIC = "static"


@dataclass(frozen=True, slots=True)
class TableRules:
    """The rules of a table: the fields that name a row, the field that orders rows of one key and start, its bounds.

    `always`: the first snapshot also holds before its time (T50).
    """

    keys: tuple[str, ...]
    version: str | None = None
    always: bool = True
    max_keys: int = DEFAULT_MAX_KEYS
    clock: LoadClock | None = None

    def key(self, payload: Payload) -> Key | None:
        """Return the values of the keys; None if one of them is null."""
        values = tuple(payload.get(name) for name in self.keys)
        return None if None in values else values


@dataclass(frozen=True, slots=True)
class Version:
    """From `start` on, its key has this payload; or no payload, if it is `deleted`: then only the keys matter."""

    start: Tick
    payload: Payload
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole table as of `start`: one element with a row for each key (T50)."""

    start: Tick
    rows: tuple[Payload, ...]


@dataclass(frozen=True, slots=True)
class MalformedVersion:
    """A row with a start that is no version: it goes to quarantine with `reason`."""

    start: Tick
    reason: Reason


TableRow = Version | Snapshot | MalformedVersion


def as_version(rules: TableRules, event: Event) -> TableRow:
    """Return a row that an adapter read as an event as a version of its key (T48, T49)."""
    if rules.key(event.payload) is None:
        return MalformedVersion(event.start, Reason.BAD_PAYLOAD)
    return Version(event.start, event.payload)


class Versions(Protocol):
    """The versions of a table as its judge uses them; `versions.VersionTable` has them all."""

    rules: TableRules

    def is_full(self, row: Version | Snapshot) -> bool:
        """Return true if `row` would add more keys than the most."""

    def is_stale(self, lane: str, snapshot: Snapshot) -> bool:
        """Return true if `lane` already had a snapshot of this time or a later one (T50)."""

    def is_superseded(self, version: Version, cti: Tick) -> bool:
        """Return true if a version of the key with a later start already starts at or before `cti` (T52)."""

    def put(self, lane: str, row: Version | Snapshot, effective: Tick, since: Tick, source: Hashable = None) -> None:
        """Add the row, which holds from `effective` on; all time before `since` is final."""


def clock_settings(settings: AdvanceTime) -> AdvanceTime:
    """Return the settings with which a lane judges starts: a late version is moved, as a late point under `shift`."""
    return replace(settings, late=Late.SHIFT) if settings.late is Late.ADJUST else settings


def as_point(row: TableRow) -> Event:
    """Return the time of the row as the lane's clock judges it."""
    payload = row.payload if isinstance(row, Version) else {}
    return Event(row.start, Tick(row.start + ONE_TICK), payload)


@dataclass(frozen=True, slots=True)
class TableLane:
    """One lane of a table: its name, its clock, which has `clock_settings`, and the late policy of the table."""

    name: str
    clock: LaneClock
    late: Late


def judge_row(
    lane: TableLane, versions: Versions, row: TableRow, arrival: Tick | None, since: Tick, source: Hashable = None
) -> JudgedElement:
    """Judge `row` of `lane`, and add it to `versions` unless it is refused; `since` is the CTI of the input.

    In the judgement `event` is the row's point at the time from which it holds. A refused row counts as received.
    """
    clock = lane.clock
    if isinstance(row, MalformedVersion):
        return _malformed(clock, row, row.reason)
    if versions.is_full(row):
        return _malformed(clock, row, Reason.TOO_MANY_KEYS)
    judged = clock.take(as_point(row), arrival)
    refusal = _refusal(lane.name, versions, row, judged)
    if refusal is not None:
        return replace(judged, outcome=Outcome.DROPPED_LATE, reason=refusal, event=None, moved_by=None)
    held = judged.event
    if held is None:
        return judged
    if judged.outcome is Outcome.SHIFTED and lane.late is Late.ADJUST:
        judged = replace(judged, outcome=Outcome.ADJUSTED)
    versions.put(lane.name, row, held.start, since, source)
    return _loaded(clock, judged, row, versions.rules.clock)


def _refusal(lane: str, versions: Versions, row: Version | Snapshot, judged: JudgedElement) -> Reason | None:
    """Return why the table refuses a row that is neither malformed nor after the end; None if it doesn't."""
    if judged.outcome is Outcome.DROPPED_EARLY or judged.reason is Reason.AFTER_END:
        return None
    if isinstance(row, Snapshot):
        return Reason.STALE_SNAPSHOT if versions.is_stale(lane, row) else None
    moved = judged.outcome is Outcome.SHIFTED
    return Reason.SUPERSEDED if moved and versions.is_superseded(row, judged.cti_met) else None


def _malformed(clock: LaneClock, row: TableRow, reason: Reason) -> JudgedElement:
    return replace(clock.take_malformed(reason), original=as_point(row))


def _loaded(clock: LaneClock, judged: JudgedElement, row: TableRow, kind: LoadClock | None) -> JudgedElement:
    """Move the clock after a whole load (T51)."""
    if kind is None or not isinstance(row, Snapshot):
        return judged
    moved = clock.take_cti(Cti(row.start if kind is LoadClock.POLL else INFINITY)).moved
    return replace(judged, cti_after=clock.cti, emitted=clock.cti) if moved else judged
