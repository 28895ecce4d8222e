"""What became of a row at the door, in sentences: taken, moved, dropped, and what would have kept it."""

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
    Reason.BAD_CTI: "Malformed: its CTI cannot be read; it moves nothing.",
    Reason.BAD_LIFETIME: "Malformed: it does not end after it starts.",
    Reason.BAD_PAYLOAD: "Malformed: its payload does not fit the fields of the stream.",
    Reason.ORPHAN_END: "Malformed: it ends an edge that is not open: none with the same start and payload is.",
    Reason.TOO_MANY_WINDOWS: "Malformed: it belongs to more than 10,000 windows.",
    Reason.AFTER_END: AFTER_END,
    Reason.START_DROPPED: "Dropped: it ends an edge whose start was dropped.",
    Reason.FUTURE: "Dropped: it lies further ahead of its arrival than 'max_ahead' allows.",
}
"""What a reason says by itself (T5, T12)."""


@dataclass(frozen=True, slots=True)
class MetWords:
    """How it is said what a row met: the CTI in words (None: there was none yet), times, and the policy of its input.

    `known` false: which CTI a row met that was in time is not kept.
    """

    cti: str | None
    times: TimeWords
    late: Late
    known: bool = True


def outcome_sentences(judged: JudgedElement, met: MetWords, delay: int | None) -> list[str]:
    """Why the row has its outcome, and with which delay it would have been taken whole."""
    if judged.reason is not None and judged.reason in REASONS:
        return [REASONS[judged.reason]]
    assert judged.original is not None  # nosec B101 # what cannot be read has one of these reasons
    at = met.times.at(judged.original.sync)
    if judged.outcome in (Outcome.ON_TIME, Outcome.REORDERED):
        return [_in_time(judged.outcome, at, met)]
    late = _late(judged, judged.original, f"{at} is before {met.cti or 'no CTI'}", met.times)
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
    """What shift would make of a row that another policy dropped as late."""
    original = judged.original
    if judged.outcome is not Outcome.DROPPED_LATE or judged.reason is not Reason.BEFORE_CTI or original is None:
        return []
    if original.edge is not None or settings.late is Late.SHIFT or judged.lateness is None:
        return []
    end = original.end if original.end == INFINITY else original.end + judged.lateness
    return [f"With shift it would be {times.span(judged.cti_met, end)}."]


def _in_time(outcome: Outcome, at: str, words: MetWords) -> str:
    if not words.known:
        return "In time: it was not before the CTI that it met, else it would stand in quarantine."
    met = "there was no CTI yet" if words.cti is None else f"{at} is not before {words.cti}"
    if outcome is Outcome.ON_TIME:
        return f"On time: {met}, and nothing later had come."
    return f"Reordered: later times had come, but {met}."


def _late(judged: JudgedElement, original: Event, before: str, times: TimeWords) -> str:
    match judged.outcome:
        case Outcome.DROPPED_WINDOW_CLOSED:
            return f"Late, and its windows were closed: {before}."
        case Outcome.LATE_KEPT:
            return f"Late and kept as it is: {before}."
        case Outcome.ADJUSTED | Outcome.SHIFTED if judged.event is not None:
            return _moved(judged, original, judged.event, before, times)
        case _:
            return f"Dropped: {before}."


def _moved(judged: JudgedElement, original: Event, event: Event, before: str, times: TimeWords) -> str:
    by = length(judged.moved_by or 0)
    if judged.reason is Reason.VANISHED:
        return f"Adjusted: {before}; nothing is left of its edge, which is taken back."
    if original.edge is EdgeKind.END:
        return f"Adjusted: {before}; its end was moved by {by} to {times.at(event.end)}."
    if judged.outcome is Outcome.SHIFTED:
        to = times.span(event.start, event.end)
        return f"Shifted: {before}; it was moved by {by} and keeps its length: {to}."
    to, end = times.at(event.start), times.at(event.end)
    return f"Adjusted: {before}; its start was moved by {by} to {to}, its end stays {end}."
