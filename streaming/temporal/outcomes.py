"""The outcome of an element: exactly one each (T12), with a reason if it needs one (T5)."""

from enum import StrEnum


class Outcome(StrEnum):
    """The outcome of one received element; the counts of all outcomes add up to the received count."""

    ON_TIME = "on_time"
    REORDERED = "reordered"
    ADJUSTED = "adjusted"
    SHIFTED = "shifted"
    LATE_KEPT = "late_kept"
    DROPPED_LATE = "dropped_late"
    DROPPED_EARLY = "dropped_early"
    DROPPED_WINDOW_CLOSED = "dropped_window_closed"
    MALFORMED = "malformed"
    OVERLAP = "overlap"


IN_TIME = frozenset({Outcome.ON_TIME, Outcome.REORDERED})
"""Outcomes of elements that met no CTI; all others are listed as late or quarantined."""

QUARANTINED = frozenset({Outcome.DROPPED_LATE, Outcome.DROPPED_EARLY, Outcome.DROPPED_WINDOW_CLOSED, Outcome.MALFORMED})
"""Outcomes of elements that no result contains; their whole original row is kept."""


class Reason(StrEnum):
    """The reason why an element was not taken unchanged."""

    AFTER_END = "after_end"
    BAD_ROW = "bad_row"
    BAD_TIME = "bad_time"
    BAD_CTI = "bad_cti"
    BAD_LIFETIME = "bad_lifetime"
    BAD_PAYLOAD = "bad_payload"
    ORPHAN_END = "orphan_end"
    START_DROPPED = "start_dropped"
    VANISHED = "vanished"
    BEFORE_CTI = "before_cti"
    FUTURE = "future"
    WINDOW_CLOSED = "window_closed"
    TOO_MANY_WINDOWS = "too_many_windows"
    STALE_SNAPSHOT = "stale_snapshot"
    DUPLICATE_KEY = "duplicate_key"
    SUPERSEDED = "superseded"
    TOO_MANY_KEYS = "too_many_keys"
