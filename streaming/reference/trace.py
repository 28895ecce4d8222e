"""Every decision of a run: what the clock judged, what each node removed or refused, which expressions failed."""

from collections import defaultdict
from dataclasses import dataclass, replace

from streaming.reference.flow import Cause, ElementId, Flow
from streaming.temporal.clock import Judged
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import format_duration, format_instant

REFUSALS = {
    Reason.WINDOW_CLOSED: Outcome.DROPPED_WINDOW_CLOSED,
    Reason.TOO_MANY_WINDOWS: Outcome.MALFORMED,
}
"""The outcome of an element that no window took, by the reason of the refusal (T12, T24)."""


@dataclass(frozen=True, slots=True)
class Removed:
    """`node` let `element` go no further; `reason` is set for refusals by windows, which change the outcome."""

    element: ElementId
    node: str
    why: str
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class ExpressionFailed:
    """An expression of `node` is null because it failed on what `elements` had become (T5)."""

    elements: frozenset[ElementId]
    node: str
    field: str
    why: str


class Trace:
    """The witness of a run. `judged` holds the final outcome of every element, in arrival order."""

    def __init__(self) -> None:
        self.cause: Cause | None = None
        self.judged: dict[ElementId, Judged] = {}
        self.failures: list[ExpressionFailed] = []
        self._removed: dict[ElementId, list[Removed]] = defaultdict(list)
        self._taken: set[ElementId] = set()

    def took(self, node: str, flow: Flow) -> None:
        """As `Witness` says."""
        del node
        self._taken |= flow.sources

    def removed(self, node: str, flow: Flow, why: str) -> None:
        """As `Witness` says."""
        for element in flow.sources:
            self._removed[element].append(Removed(element, node, why, None))

    def refused(self, node: str, flow: Flow, reason: Reason, why: str) -> None:
        """As `Witness` says. An open edge that windows have taken for as long as they may is malformed all the same."""
        for element in flow.sources:
            self._removed[element].append(Removed(element, node, why, reason))
            if flow.opens:
                self._outcome(element, reason)

    def failed(self, node: str, flow: Flow, field: str, why: str) -> None:
        """As `Witness` says."""
        self.failures.append(ExpressionFailed(flow.sources, node, field, why))

    def settle(self, element: ElementId) -> None:
        """The element has gone every way through the graph: if only refusals met it, they are its outcome."""
        reasons = {removed.reason for removed in self._removed.get(element, ())}
        if element in self._taken:
            return
        for reason in (Reason.TOO_MANY_WINDOWS, Reason.WINDOW_CLOSED):
            if reason in reasons:
                self._outcome(element, reason)
                return

    def _outcome(self, element: ElementId, reason: Reason) -> None:
        self.judged[element] = replace(self.judged[element], outcome=REFUSALS[reason], reason=reason)

    def removals(self, element: ElementId) -> tuple[Removed, ...]:
        """What ended the ways of `element` through the graph."""
        return tuple(self._removed.get(element, ()))

    def why_absent(self, element: ElementId) -> str:
        """One sentence: the decision that keeps `element`, which is in no result, out of all of them.

        Raises KeyError for an element that was never received.
        """
        judged = self.judged[element]
        if judged.event is None:
            return f"{_name(element)} is in no result: {_verdict(judged)}."
        removals = self._removed.get(element)
        if removals:
            return f"{_name(element)} is in no result: {'; '.join(removed.why for removed in removals)}."
        return f"{_name(element)} is in no result yet: no CTI has closed a window that contains it."


def _name(element: ElementId) -> str:
    return f"row {element.position} of lane {element.lane!r} of {element.input!r}"


def _verdict(judged: Judged) -> str:
    match judged.reason:
        case Reason.AFTER_END:
            return "it came after CTI infinity had ended its lane"
        case Reason.START_DROPPED:
            return "it ends an edge whose start was dropped"
        case Reason.BEFORE_CTI if judged.lateness is not None:
            met = format_instant(judged.cti_met)
            return f"it came {format_duration(judged.lateness)} too late for the CTI {met} and its policy dropped it"
        case _:
            return f"it is malformed ({judged.reason})"
