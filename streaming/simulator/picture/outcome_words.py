"""Sentences on the outcome of a row at its input: taken, moved or dropped, and what would have kept it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from streaming.simulator.words import TimeWords, length
from streaming.temporal.clock import JudgedElement
from streaming.temporal.events import EdgeKind, Event
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime, Late
from streaming.temporal.ticks import INFINITY

AFTER_END: Final = "Dropped: CTI infinity had ended its lane."
REASONS: Final[Mapping[Reason, str]] = {
    Reason.BAD_ROW: "Malformed: it cannot be read as a row, or names a lane that the stream does not list.",
    Reason.BAD_TIME: "Malformed: its time is missing, cannot be read, or lies outside the years 1 to 9999.",
    Reason.BAD_CTI: "Malformed: its CTI cannot be read, so it has no effect.",
    Reason.BAD_LIFETIME: "Malformed: it does not end after it starts.",
    Reason.BAD_PAYLOAD: "Malformed: its payload does not fit the fields of the stream.",
    Reason.ORPHAN_END: "Malformed: it ends an edge, but no open edge has the same start and payload.",
    Reason.TOO_MANY_WINDOWS: "Malformed: it belongs to more than 10,000 windows.",
    Reason.AFTER_END: AFTER_END,
    Reason.STALE_SNAPSHOT: "Dropped: a snapshot of this time or a later one had already been loaded.",
    Reason.SUPERSEDED: "Dropped: it is late, and a later version of its key already holds.",
    Reason.DUPLICATE_KEY: "Malformed: another row of the snapshot has the same key and counts.",
    Reason.TOO_MANY_KEYS: "Malformed: the table would have more keys than 'max_keys' allows.",
    Reason.START_DROPPED: "Dropped: it ends an edge whose start was dropped.",
    Reason.FUTURE: "Dropped: it is further ahead of its arrival than 'max_ahead' allows.",
}
"""The sentence of each reason that needs no more data (T5, T12)."""


@dataclass(frozen=True, slots=True)
class MetWords:
    """The CTI that a row met in words (None: no CTI yet), the times, and the policy of its input.

    `known` false: the CTI that an in-time row met is not recorded.
    """

    cti: str | None
    times: TimeWords
    late: Late
    known: bool = True


def outcome_sentences(judged: JudgedElement, met: MetWords, delay: int | None) -> list[str]:
    """Explain the outcome of the row, and which delay would have kept all of it."""
    if judged.reason is not None and judged.reason in REASONS:
        return [REASONS[judged.reason]]
    assert judged.original is not None  # nosec B101 # what cannot be read has one of these reasons
    at = met.times.at(judged.original.sync)
    if judged.outcome in (Outcome.ON_TIME, Outcome.REORDERED):
        return [_describe_in_time(judged.outcome, at, met)]
    late = _describe_late(judged, judged.original, f"{at} is before {met.cti or 'no CTI'}", met.times)
    cut = met.late is Late.ADJUST and judged.original.edge is None
    nothing_left = cut and judged.event is None
    if nothing_left:
        late += f" It had ended at {met.times.at(judged.original.end)}, so adjust had nothing left to keep."
    if delay is None:
        return [late]
    if judged.event is not None:
        return [late, f"Taken as it came if the delay is at least {length(delay)}."]
    part = delay - (judged.original.end - judged.original.start)
    if nothing_left and judged.original.end - judged.original.start > 1 and part >= 0:
        whole = f"Kept whole if the delay is at least {length(delay)}"
        return [late, f"{whole}, its end if it is more than {length(part)}."]
    return [late, f"Kept if the delay is at least {length(delay)}."]


def shift_sentence(judged: JudgedElement, settings: AdvanceTime, times: TimeWords) -> list[str]:
    """Describe what shift would do with a row that another policy dropped as late."""
    original = judged.original
    if judged.outcome is not Outcome.DROPPED_LATE or judged.reason is not Reason.BEFORE_CTI or original is None:
        return []
    if original.edge is not None or settings.late is Late.SHIFT or judged.lateness is None:
        return []
    end = original.end if original.end == INFINITY else original.end + judged.lateness
    return [f"With shift it would be {times.span(judged.cti_met, end)}."]


def _describe_in_time(outcome: Outcome, at: str, words: MetWords) -> str:
    if not words.known:
        return "In time: it was not before the CTI that it met. Otherwise it would be in quarantine."
    met = "there was no CTI yet" if words.cti is None else f"{at} is not before {words.cti}"
    if outcome is Outcome.ON_TIME:
        return f"On time: {met}, and nothing later had come."
    return f"Reordered: later times had come, but {met}."


def _describe_late(judged: JudgedElement, original: Event, before: str, times: TimeWords) -> str:
    match judged.outcome:
        case Outcome.DROPPED_WINDOW_CLOSED:
            return f"Late, and its windows were closed: {before}."
        case Outcome.LATE_KEPT:
            return f"Late and kept as it is: {before}."
        case Outcome.ADJUSTED | Outcome.SHIFTED if judged.event is not None:
            return _describe_move(judged, original, judged.event, before, times)
        case _:
            return f"Dropped: {before}."


def _describe_move(judged: JudgedElement, original: Event, event: Event, before: str, times: TimeWords) -> str:
    by = length(judged.moved_by or 0)
    if judged.reason is Reason.VANISHED:
        return f"Adjusted: {before}; nothing is left of its edge, which is retracted."
    if original.edge is EdgeKind.END:
        return f"Adjusted: {before}; its end was moved by {by} to {times.at(event.end)}."
    if judged.outcome is Outcome.SHIFTED:
        to = times.span(event.start, event.end)
        return f"Shifted: {before}; it was moved by {by} and keeps its length: {to}."
    to, end = times.at(event.start), times.at(event.end)
    return f"Adjusted: {before}; its start was moved by {by} to {to}, its end stays {end}."


def smallest_delay(judged: JudgedElement, settings: AdvanceTime) -> int | None:
    """Return the smallest delay with which a late row would have been in time.

    None if no delay would, or it was in time.
    """
    if settings.generate is None or judged.lateness is None or judged.original is None:
        return None
    if judged.fixed_cti > judged.original.sync or judged.cti_met == INFINITY:
        return None
    return settings.generate.delay + judged.lateness
