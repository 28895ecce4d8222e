"""match_recognize: searches the rows of each group, in order, for a pattern (T27 to T38)."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from streaming.planning.sequences import SequenceSpec
from streaming.reference.expressions.numbers import OperationFailure
from streaming.reference.flow import Flow, FlowId, FreedFlows, TraceRecorder
from streaming.reference.row import Row
from streaming.reference.rows_in_order import RowsInOrder
from streaming.reference.sequences.group import DecidedAttempt, GroupProgress, GroupSearch, SequenceResult
from streaming.reference.sequences.path import Match, Path
from streaming.reference.sequences.search import PatternRests
from streaming.reference.sequences.traced import AttemptTrace, TracedSearch
from streaming.reference.sequences.values import SequenceValues
from streaming.reference.windows.panes import Key
from streaming.temporal.ticks import INFINITY, Tick
from streaming.temporal.value_order import sort_key

AttemptListener = Callable[[Key, DecidedAttempt], None]
"""Receives the group of each attempt, and the attempt, when it is decided."""


@dataclass
class SequenceGroup:
    """One group: the progress of its search, and with `emit: running` the rows that may still be retracted.

    `failures` are the row, expression and kind of the failures that are counted: each counts once (T30).
    """

    progress: GroupProgress = field(default_factory=GroupProgress)
    provisional: list[tuple[SequenceResult, Flow]] = field(default_factory=list)
    failures: set[tuple[int, str, str]] = field(default_factory=set)


@dataclass
class SequenceOperator:
    """One match_recognize node.

    A row is known once it starts before the CTI, less the grace; attempts use known rows alone. An attempt is
    decided once no later row can change it: when its most preferred complete path has no open path before it, or when
    no path is left. With `emit: running`, what would be reported if no more rows came leaves at the end of each
    micro-batch, and is retracted if it no longer holds. `made` has the result of each flow that left, and `listener`
    observes the attempts.
    """

    spec: SequenceSpec
    rows: RowsInOrder = field(init=False)
    groups: dict[Key, SequenceGroup] = field(default_factory=dict)
    made: dict[FlowId, SequenceResult] = field(default_factory=dict)
    listener: AttemptListener | None = None

    def __post_init__(self) -> None:
        spec = self.spec
        self.rows = RowsInOrder(spec.node, spec.group_by, tuple(spec.reads), spec.order_by, spec.grace)
        self._rests = PatternRests(spec.pattern)

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Put the event in its place; nothing passes before a CTI or the end of a micro-batch."""
        del port
        if flow.closes:
            witness.removed(self.spec.node, flow, f"{self.spec.node!r} reads starts only: edge ends disappear")
            return ()
        placed = self.rows.take(flow, witness)
        if placed is not None:
            self.groups.setdefault(placed[0], SequenceGroup())
        return ()

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: TraceRecorder) -> FreedFlows:
        """Decide the attempts that the CTI decides, and release their results."""
        del port
        self.rows.advance(cti)
        held, leaving = INFINITY, list[Flow]()
        for key, group in self.groups.items():
            search = self._search(key, group, witness)
            results = list[SequenceResult]()
            for attempt in search.decide(group.progress):
                results += attempt.results
                self._explain(key, attempt, group.progress, witness)
                if self.listener is not None:
                    self.listener(key, attempt)
            leaving += self._released(key, group, results)
            held = min(held, search.hold(group.progress))
        return FreedFlows(_in_order(leaving), min(self.rows.at, held), horizon)

    def boundary(self, witness: TraceRecorder) -> Sequence[Flow]:
        """Return what `emit: running` owes: rows that hold as if no more came, and retractions (T38)."""
        del witness
        leaving = list[Flow]()
        if self.spec.running:
            for key, group in self.groups.items():
                holding = self._holding(key, group)
                leaving += _retracted(group, holding)
                known = [result for result, _ in group.provisional]
                for result in _without(holding, known):
                    flow = self._flow(key, result)
                    group.provisional.append((result, flow))
                    leaving.append(flow)
        return _in_order(leaving)

    def known_rows(self, key: Key) -> Sequence[Row]:
        """Return the known rows of a group, in order."""
        rows = self.rows.groups[key]
        return rows if self.rows.at == INFINITY else rows[: bisect_left(rows, self.rows.at, key=lambda row: row.start)]

    def trace(self, key: Key, first: int, most: int) -> AttemptTrace:
        """Search again from the row `first` of a group, in the rows that are known, and return the end of each path.

        It tries at most `most` conditions.
        """
        search, values = self._silent_search(key, self.known_rows(key))
        return TracedSearch(self.spec, self._rests, values, search.silent, first, most=most).trace()

    def would_take(self, key: Key, path: Path, variable: str, flow: Flow) -> bool:
        """Return whether the absence of `variable` after `path` would have ended at a row that did not take part."""
        rows = [*self.rows.groups[key][: path.last + 1], Row((), flow)]
        search, _ = self._silent_search(key, rows, ended=True)
        return search.silent(variable, path.trying(variable, path.last + 1))

    def _silent_search(
        self, key: Key, rows: Sequence[Row], *, ended: bool = False
    ) -> tuple[GroupSearch, SequenceValues]:
        values = SequenceValues(self.spec, rows, self.rows.at, ended=ended)
        return GroupSearch(self.spec, self._rests, values, self._fields(key), lambda *_: None), values

    def _search(self, key: Key, group: SequenceGroup, witness: TraceRecorder) -> GroupSearch:
        def failed(row: int, name: str, why: OperationFailure) -> None:
            if (row, name, why.kind) not in group.failures:
                group.failures.add((row, name, why.kind))
                witness.failed(self.spec.node, self.rows.groups[key][row].flow, name, why)

        values = SequenceValues(self.spec, self.known_rows(key), self.rows.at)
        return GroupSearch(self.spec, self._rests, values, self._fields(key), failed)

    def _fields(self, key: Key) -> Mapping[str, Any]:
        return dict(zip(self.spec.group_by, key, strict=True))

    def _holding(self, key: Key, group: SequenceGroup) -> list[SequenceResult]:
        """Return the results that are not final, as if no more rows came."""
        search, _ = self._silent_search(key, self.rows.groups[key], ended=True)
        return [result for attempt in search.decide(group.progress.copy()) for result in attempt.results]

    def _released(self, key: Key, group: SequenceGroup, results: Iterable[SequenceResult]) -> list[Flow]:
        """Return the final results that have not left yet, and retractions of provisional ones that do not hold."""
        leaving = []
        for result in results:
            given = next((each for each in group.provisional if each[0] == result), None)
            if given is not None:
                group.provisional.remove(given)
            else:
                leaving.append(self._flow(key, result))
        return (_retracted(group, self._holding(key, group)) if group.provisional else []) + leaving

    def _flow(self, key: Key, result: SequenceResult) -> Flow:
        made = [row.flow for row in self.rows.groups[key][result.first : result.last + 1]]
        sources = frozenset(element for flow in made for element in flow.sources)
        stamp = max(flow.stamp for flow in made)
        flow_id = (key, len(self.made) + 1)
        self.made[flow_id] = result
        return Flow(flow_id, result.start, result.end, result.payload, sources, stamp)

    def _explain(self, key: Key, attempt: DecidedAttempt, progress: GroupProgress, witness: TraceRecorder) -> None:
        if not isinstance(attempt.found, Match) and attempt.first >= progress.covered:
            flow = self.rows.groups[key][attempt.first].flow
            witness.removed(self.spec.node, flow, f"no match of {self.spec.node!r} took it, and none starts at it")


def _retracted(group: SequenceGroup, holding: Sequence[SequenceResult]) -> list[Flow]:
    """Remove the provisional results of `group` that are not `holding`; return their retractions."""
    left = list(holding)
    kept, gone = [], []
    for given in group.provisional:
        if given[0] in left:
            left.remove(given[0])
            kept.append(given)
        else:
            gone.append(replace(given[1], gone=True))
    group.provisional = kept
    return gone


def _without(results: Iterable[SequenceResult], known: Iterable[SequenceResult]) -> list[SequenceResult]:
    rest = list(results)
    for each in known:
        if each in rest:
            rest.remove(each)
    return rest


def _in_order(flows: Iterable[Flow]) -> list[Flow]:
    """Return retractions first, then rows by start; those of one group stay in the order of its matches."""
    return sorted(flows, key=lambda flow: (not flow.gone, flow.start, flow.end, sort_key(list(flow.id[0]))))  # type: ignore[index]
