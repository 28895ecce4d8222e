"""Explanations of an event that is in no result, and of the origins of a row: as data and as a sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from streaming.reference.flow import CausingCti, ElementId
from streaming.reference.output import OutputRow
from streaming.reference.trace import RemovedElement, Trace
from streaming.temporal.clock import JudgedElement
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import Tick, Ticks, format_duration, format_instant


class Decision(StrEnum):
    """The decision that keeps an element out of all results."""

    MALFORMED = "malformed"
    AFTER_END = "after_end"
    TOO_LATE = "too_late"
    TOO_EARLY = "too_early"
    START_DROPPED = "start_dropped"
    WINDOW_CLOSED = "window_closed"
    TOO_MANY_WINDOWS = "too_many_windows"
    REMOVED = "removed"
    WAITING = "waiting"
    TABLE_LATER = "table_later"


@dataclass(frozen=True, slots=True)
class Absence:
    """One element that is in no result, and the decision that keeps it out.

    `nodes` removed it or keep it waiting; empty for a decision at the input. `cti_met` is its lane's CTI when it
    arrived, `lateness` how far before that it was. `smallest_delay` is the smallest `delay` of its input's `generate`
    with which it would have been taken. It is None if no delay would have helped: a CTI that was not generated is above
    it, or there is another cause. A smaller delay may suffice with a minimum gap between CTIs (T9), and in sessions,
    snapshots and counts, which stay open as long as other events keep them open (T19).
    """

    element: ElementId
    decision: Decision
    nodes: tuple[str, ...]
    outcome: Outcome
    reason: Reason | None
    cti_met: Tick
    lateness: Ticks | None
    smallest_delay: Ticks | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Origin:
    """The origins of a row: the elements, each with its judgement, and the CTI that released it.

    `released_by` is None for a row that was final when its last element arrived.
    """

    elements: tuple[tuple[ElementId, JudgedElement], ...]
    released_by: CausingCti | None


def origin(row: OutputRow, trace: Trace) -> Origin:
    """Return the elements of `row` in order of input, lane and position, and its CTI."""
    return Origin(tuple((element, trace.judged[element]) for element in sorted(row.flow.sources)), row.released_by)


def absence(element: ElementId, trace: Trace, settings: AdvanceTime) -> Absence:
    """Explain why `element` is in no result. Raises KeyError for an element that was never received."""
    judged = trace.judged[element]
    removals = trace.removals(element)
    decision, nodes, why = _find_decision(judged, removals, trace.waits_in(element))
    delay = _smallest_delay(decision, judged, removals, settings)
    remedy = "" if delay is None else f"; with a delay of {format_duration(delay)} it would have been taken"
    when = " yet" if decision is Decision.WAITING else ""
    name = f"row {element.position} of lane {element.lane!r} of {element.input!r}"
    return Absence(
        element=element,
        decision=decision,
        nodes=nodes,
        outcome=judged.outcome,
        reason=judged.reason,
        cti_met=judged.cti_met,
        lateness=judged.lateness,
        smallest_delay=delay,
        sentence=f"{name} is in no result{when}: {why}{remedy}.",
    )


def _find_decision(
    judged: JudgedElement, removals: Sequence[RemovedElement], waits_in: tuple[str, ...]
) -> tuple[Decision, tuple[str, ...], str]:
    if judged.event is None:
        return _DOOR.get(judged.reason, Decision.MALFORMED), (), _verdict(judged)
    if waits_in or not removals:
        return Decision.WAITING, waits_in, _waiting(waits_in)
    nodes = tuple(dict.fromkeys(each.node for each in removals))
    return _decision(removals), nodes, _listed(removals)


_DOOR: Final[Mapping[Reason | None, Decision]] = {
    Reason.AFTER_END: Decision.AFTER_END,
    Reason.BEFORE_CTI: Decision.TOO_LATE,
    Reason.FUTURE: Decision.TOO_EARLY,
    Reason.START_DROPPED: Decision.START_DROPPED,
    Reason.STALE_SNAPSHOT: Decision.TABLE_LATER,
    Reason.SUPERSEDED: Decision.TABLE_LATER,
}


_VERDICTS: Final[Mapping[Reason, str]] = {
    Reason.AFTER_END: "it arrived after CTI infinity had ended its lane",
    Reason.START_DROPPED: "it ends an edge whose start was dropped",
    Reason.FUTURE: "it is further ahead of its arrival than 'max_ahead' allows",
    Reason.STALE_SNAPSHOT: "its table had already loaded a snapshot of this time or a later one",
    Reason.SUPERSEDED: "it was late, and a later version of its key already held",
}


def _verdict(judged: JudgedElement) -> str:
    if judged.reason is not None and judged.reason in _VERDICTS:
        return _VERDICTS[judged.reason]
    if judged.reason is Reason.BEFORE_CTI and judged.lateness is not None:
        met = format_instant(judged.cti_met)
        return f"it was {format_duration(judged.lateness)} late for the CTI {met}, and its policy dropped it"
    return f"it is malformed ({judged.reason})"


def _decision(removals: Sequence[RemovedElement]) -> Decision:
    reasons = {each.reason for each in removals}
    if reasons == {Reason.WINDOW_CLOSED}:
        return Decision.WINDOW_CLOSED
    return Decision.TOO_MANY_WINDOWS if Reason.TOO_MANY_WINDOWS in reasons else Decision.REMOVED


def _waiting(nodes: Sequence[str]) -> str:
    where = " and ".join(repr(node) for node in nodes)
    return f"it waits in {where} for a CTI" if nodes else "none of its nodes leads to an output"


def _listed(removals: Sequence[RemovedElement]) -> str:
    return "; ".join(dict.fromkeys(each.why for each in removals))


def _smallest_delay(
    decision: Decision, judged: JudgedElement, removals: Sequence[RemovedElement], settings: AdvanceTime
) -> Ticks | None:
    """Return the delay as a difference: a delay moves all generated CTIs of a lane alike, and no other CTI."""
    if settings.generate is None or judged.original is None:
        return None
    if decision is Decision.TOO_LATE:
        largest_allowed = judged.original.sync
    elif decision is Decision.WINDOW_CLOSED:
        closings = [each.closed_at for each in removals if each.closed_at is not None]
        if not closings:
            return None
        largest_allowed = Tick(max(closings) - 1)
    else:
        return None
    if judged.fixed_cti > largest_allowed:
        return None
    return Ticks(settings.generate.delay + judged.cti_met - largest_allowed)
