"""Every decision of a run: judgements of clocks, rows that nodes removed or refused, expressions that failed."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from streaming.definition.payload.types import NULL
from streaming.reference.expressions.numbers import OperationFailure
from streaming.reference.flow import CausingCti, ElementId, Flow, FlowId
from streaming.temporal.clock import JudgedElement
from streaming.temporal.events import Payload
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.execution.failures import FailureCount, FailureTally, example_of

REFUSALS = {
    Reason.WINDOW_CLOSED: Outcome.DROPPED_WINDOW_CLOSED,
    Reason.TOO_MANY_WINDOWS: Outcome.MALFORMED,
}
"""The outcome of an element that no window took, by the reason of the refusal (T12, T24)."""


@dataclass(frozen=True, slots=True)
class RemovedElement:
    """A removal: `node` dropped an element.

    `reason` is set for refusals by windows, which change the outcome; `closed_at` then is the smallest CTI of the
    element's input at which the node refuses it, None if another element also decides that.
    """

    node: str
    why: str
    reason: Reason | None = None
    closed_at: Tick | None = None


@dataclass(frozen=True, slots=True)
class FailedExpression:
    """An expression of `node` is null because it failed on an event of `elements` (T5)."""

    elements: frozenset[ElementId]
    node: str
    field: str
    why: str


@dataclass
class _VersionPath:
    """The nodes that keep a version of a table, and those that ended its path (T48)."""

    held: set[str] = field(default_factory=set)
    ended: set[str] = field(default_factory=set)


class Trace:
    """The witness of a run. `judged` holds the final outcome of every element, in arrival order.

    `behind` maps each node to all nodes that its rows can reach.
    """

    def __init__(self, behind: Mapping[str, frozenset[str]]) -> None:
        self.cause: CausingCti | None = None
        self.judged: dict[ElementId, JudgedElement] = {}
        self.failures: list[FailedExpression] = []
        self.failed_rows = FailureTally()
        self._behind = behind
        self._removed: dict[ElementId, list[RemovedElement]] = defaultdict(list)
        self._taken: dict[ElementId, dict[str, None]] = defaultdict(dict)
        self._refused: dict[ElementId, None] = {}
        self._held: dict[ElementId, dict[str, None]] = defaultdict(dict)
        self._versions: dict[ElementId, dict[FlowId, _VersionPath]] = defaultdict(dict)

    @property
    def undecided(self) -> bool:
        """Return true if a refusal may still become the outcome of an element."""
        return bool(self._refused)

    def took(self, node: str, flow: Flow) -> None:
        """Record a taken flow; see `TraceRecorder`."""
        for element in flow.sources:
            self._taken[element][node] = None

    def removed(self, node: str, flow: Flow, why: str) -> None:
        """Record a removal; see `TraceRecorder`."""
        for element in flow.sources:
            self._removed[element].append(RemovedElement(node, why))
            self._ended(element, node, flow)

    def refused(self, node: str, flow: Flow, reason: Reason, why: str, closed_at: Tick | None = None) -> None:
        """Record a refusal; see `TraceRecorder`.

        An open edge that reached its limit of windows is malformed too, unless another node made a row of it before:
        joins take every row, so windows after them decide nothing about it.
        """
        for element in flow.sources:
            at = None if closed_at is None else self._in_times_of(element, flow, closed_at)
            self._removed[element].append(RemovedElement(node, why, reason, at))
            self._refused[element] = None
            self._ended(element, node, flow)
            if flow.opens and reason is Reason.TOO_MANY_WINDOWS and not self._is_taken_before(node, element):
                self._outcome(element, reason)

    def _is_taken_before(self, node: str, element: ElementId) -> bool:
        return any(node in self._behind.get(taker, ()) for taker in self._taken.get(element, ()))

    def _ended(self, element: ElementId, node: str, flow: Flow) -> None:
        if flow.version is not None:
            self._versions[element].setdefault(flow.version, _VersionPath()).ended.add(node)

    def _in_times_of(self, element: ElementId, flow: Flow, closed_at: Tick) -> Tick | None:
        """Convert `closed_at`, a time of the node, to a CTI that `element` meets.

        A shift on the way moved the CTI that it met and the closing alike. For a flow of several elements the times are
        unmoved if the largest CTI that one met came through unchanged. Nothing is known of elements that no input
        reported, for example those of a node that runs alone.
        """
        if flow.late_at is None or closed_at == INFINITY or element not in self.judged:
            return closed_at
        met = self.judged[element].cti_met
        if len(flow.sources) == 1:
            return Tick(closed_at - (flow.late_at - met))
        every = [self.judged[each] for each in flow.sources if each in self.judged]
        largest = max((each.cti_met for each in every if each.outcome is Outcome.LATE_KEPT), default=None)
        return closed_at if met == flow.late_at == largest else None

    def failed(self, node: str, flow: Flow, field: str, why: OperationFailure) -> None:
        """Record a failure; see `TraceRecorder`.

        An edge counts once, with its start; a retracted row does not count again.
        """
        self.failures.append(FailedExpression(flow.sources, node, field, str(why)))
        if not (flow.closes or flow.gone):
            self.count_failure(node, field, why, flow.payload)

    def over_failed(self, element: ElementId, failures: Sequence[OperationFailure], payload: Payload) -> None:
        """Record that the expression for the substream of `element` failed on it (T15)."""
        if failures:
            why = "; ".join(map(str, failures))
            self.failures.append(FailedExpression(frozenset((element,)), element.input, "over", why))
        for each in failures:
            self.count_failure(element.input, "over", each, payload)

    def count_failure(self, node: str, field: str, why: OperationFailure, payload: Payload) -> None:
        """Count one row on which `field` of `node` failed."""
        example = example_of({name: (value, NULL) for name, value in payload.items()})
        self.failed_rows.add(FailureCount(node, field, why.kind, 1, example))

    def held(self, node: str, flow: Flow) -> None:
        """Record that `node` keeps the flow, because it passed nothing on; later reports may change that."""
        for element in flow.sources:
            self._held[element][node] = None
            if flow.version is not None:
                self._versions[element].setdefault(flow.version, _VersionPath()).held.add(node)

    def held_by_table(self, node: str, element: ElementId) -> None:
        """Record that the table of the input `node` keeps the element until a CTI makes its version final (T48)."""
        self._held[element][node] = None

    def settle(self, to_come: Collection[ElementId] = ()) -> None:
        """Set the outcome of elements that were removed on every path, at least once by a refusal (T12).

        Each version of a row of a table is a path; those of the rows `to_come` may still begin (T48).
        Closed windows concern late_kept elements alone: an in-time element was only late in a row with another one.
        """
        for element in list(self._refused):
            if element not in self._taken and (element in to_come or self._waits(element)):
                continue
            del self._refused[element]
            if element in self._taken:
                continue
            reasons = {removed.reason for removed in self._removed[element]}
            late_kept = self.judged[element].outcome is Outcome.LATE_KEPT
            if Reason.TOO_MANY_WINDOWS in reasons:
                self._outcome(element, Reason.TOO_MANY_WINDOWS)
            elif late_kept:
                self._outcome(element, Reason.WINDOW_CLOSED)

    def _waits(self, element: ElementId) -> bool:
        """Return true if a node keeps `element`, of a table if a node keeps one of its versions."""
        if element not in self._versions:
            return bool(self.waits_in(element))
        paths = self._versions[element].values()
        return any(
            self._behind[node] and not path.ended & {node, *self._behind[node]} for path in paths for node in path.held
        )

    def _outcome(self, element: ElementId, reason: Reason) -> None:
        self.judged[element] = replace(self.judged[element], outcome=REFUSALS[reason], reason=reason)

    def removals(self, element: ElementId) -> tuple[RemovedElement, ...]:
        """Return the removals of `element` on its paths through the graph, each once."""
        return tuple(dict.fromkeys(self._removed.get(element, ())))

    def waits_in(self, element: ElementId) -> tuple[str, ...]:
        """Return the nodes that keep `element` or will use it, if nothing after them has removed it yet.

        Nothing waits in an output, because no node reads it: its rows may have been retracted since.
        """
        ended = {removed.node for removed in self._removed.get(element, ())}
        keeping = {**self._taken.get(element, {}), **self._held.get(element, {})}
        return tuple(node for node in keeping if self._behind[node] and not ended & {node, *self._behind[node]})
