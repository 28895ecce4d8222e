"""A match_recognize node: rows by group, attempts decided by the CTI, and the rows of matches (T27 to T38)."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from streaming.definition.rows import ROW_START
from streaming.definition.sequences.pattern import variables
from streaming.engine.columns.expressions.failure_listener import FailureListener
from streaming.engine.columns.flows import CLOSE, GONE, WHOLE, Flows
from streaming.engine.operators.kernel import NodeOutput, PortInput, TurnContext
from streaming.engine.operators.sequences.automaton import Automaton
from streaming.engine.operators.sequences.conditions import RowConditions
from streaming.engine.operators.sequences.group_store import Group, GroupStore, StoredGroup, kept_rows, next_moment
from streaming.engine.operators.sequences.masked_search import KnownConditions, MaskedGroupSearch
from streaming.engine.operators.sequences.ordered_rows import OrderedRows
from streaming.engine.state.node_state import NodeState
from streaming.planning.sequences import SequenceSpec
from streaming.reference.expressions.numbers import OperationFailure
from streaming.reference.sequences.group import GroupProgress, SequenceResult
from streaming.reference.sequences.search import PatternRests
from streaming.reference.sequences.values import SequenceValues
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.execution.failures import FailureCount, FailureTally, example_of
from streaming.wire.rows.arrived import Int64s
from streaming.wire.rows.arrow_types import arrow_schema


class SequenceKernel:
    """One match_recognize node.

    Conditions on the candidate row and on those before it are evaluated for all rows at once, and rows at which no
    match can begin are skipped. If all conditions are of that kind, an automaton searches each group (`masked_search`),
    else the reference does. A turn reads the groups with new rows that are known now, or with something that the CTI
    decides.
    """

    def __init__(self, spec: SequenceSpec) -> None:
        self._spec = spec
        self._conditions = RowConditions(spec)
        self._rests = PatternRests(spec.pattern)
        every = set(variables(spec.pattern)) <= self._conditions.plain.keys()
        self._automaton = Automaton.of(self._rests) if every else None

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Store the rows of the port, and release the results of the attempts that its CTI decides."""
        (port,) = ports
        store = GroupStore(state, self._spec)
        arrived = self._arrived(port.flows, turn)
        if len(arrived):
            store.append(arrived)
        slots = [store.due(port.cti)] if port.ctis else []
        if self._spec.running and len(arrived):
            slots.append(store.slots_of(arrived))
        wanted = np.unique(np.concatenate(slots)) if slots else np.empty(0, np.int64)
        flows = Flows.none(self._spec.fields)
        if len(wanted):
            at = _settled(port.cti, self._spec.grace)
            flows = _GroupsTurn(self._spec, self._conditions, self._rests, self._automaton, store, state, turn, at).run(
                wanted
            )
        return NodeOutput(flows, self._ctis(port, store, state), port.horizon)

    def _ctis(self, port: PortInput, store: GroupStore, state: NodeState) -> tuple[int, ...]:
        if not port.ctis:
            return ()
        out = min(_settled(port.cti, self._spec.grace), store.hold)
        if out <= int(state.head.get("out", NO_CTI)):
            return ()
        state.head["out"] = out
        return (out,)

    def _arrived(self, flows: Flows, turn: TurnContext) -> Flows:
        """Return the rows that take their place: no ends of edges, and no late rows whose place is decided (T36)."""
        if flows.flag is not None:
            flows = flows.where(flows.flag != CLOSE)
        if flows.late_at is not None:
            late = flows.late_at != NO_CTI
            closed = late & (
                flows.start < np.where(late, np.maximum(flows.late_at, NO_CTI + self._spec.grace), 0) - self._spec.grace
            )
            refused = flows.where(closed)
            if closed.any():
                turn.report.refused(refused.source, Reason.WINDOW_CLOSED)
            flows = flows.where(~closed)
        turn.report.took(flows.source)
        columns = {name: flows.columns[name] for name in self._spec.reads}
        bare = Flows(flows.start, flows.end, columns, stamp=flows.stamps)
        self._count_orders(bare, turn.report.failures)
        return bare

    def _count_orders(self, flows: Flows, failures: FailureTally) -> None:
        """Count the rows on which an expression of ORDER BY fails."""
        if self._spec.order_by and len(flows):
            rows = replace(flows, columns={**flows.columns, ROW_START: pa.array(flows.start)}).rows
            for by in self._spec.order_by:
                rows.values(by.of, by.type, FailureListener(failures, self._spec.node, ("order_by",)))


@dataclass
class _Leaving:
    """Rows that leave: results with their stamps; with `emit: running` also their ids, and retractions."""

    results: list[SequenceResult] = field(default_factory=list)
    stamps: list[int] = field(default_factory=list)
    ids: list[str | None] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)

    def add(self, result: SequenceResult, stamp: int, identity: str | None = None, flag: int = WHOLE) -> None:
        """Add one row."""
        self.results.append(result)
        self.stamps.append(stamp)
        self.ids.append(identity)
        self.flags.append(flag)

    def flows(self, spec: SequenceSpec) -> Flows:
        """Return all rows."""
        columns = {
            each.name: pa.array([result.payload[each.name] for result in self.results], each.type)
            for each in arrow_schema(spec.fields)
        }
        return Flows(
            np.array([result.start for result in self.results], np.int64),
            np.array([result.end for result in self.results], np.int64),
            columns,
            flag=np.array(self.flags, np.int8) if spec.running else None,
            id=pa.array(self.ids, pa.string()) if spec.running else None,
            stamp=np.array(self.stamps, np.int64),
        )


@dataclass
class _GroupsTurn:
    """The groups of some slots in one turn; `at` is the CTI less the grace."""

    spec: SequenceSpec
    conditions: RowConditions
    rests: PatternRests
    automaton: Automaton | None
    store: GroupStore
    state: NodeState
    turn: TurnContext
    at: int
    leaving: _Leaving = field(default_factory=_Leaving)
    given: dict[Group, list[tuple[SequenceResult, int, str]]] = field(default_factory=dict)

    def run(self, slots: Int64s) -> Flows:
        """Decide what can be decided, and write the state."""
        flows, progress = self.store.read(slots)
        ordered = OrderedRows.of(self.spec, flows)
        truths = self.conditions.of(ordered)
        starting = None
        if self.conditions.first is not None and len(ordered.flows):
            starting = np.logical_or.reduce([truths[name] for name in self.conditions.first])
        known = {name: mask.tolist() for name, mask in truths.items()}
        self._read_given(slots)
        keep: list[Int64s] = []
        dues, holds, counts = list[int](), list[int](), list[int]()
        for first, end in zip(ordered.bounds[:-1], ordered.bounds[1:], strict=True):
            starts = None if starting is None else np.flatnonzero(starting[first:end]).tolist()
            key = tuple(ordered.column(name)[first] for name in self.spec.group_by)
            stored = progress.setdefault(key, StoredGroup())
            group = _GroupTurn(self, ordered, first, end, key, KnownConditions(known, first, starts, self.automaton))
            kept, due, hold = group.decide(stored)
            keep.append(np.arange(first + kept, end))
            dues.append(due)
            holds.append(hold)
            counts.append(end - first - kept)
        rows = ordered.flows.take(np.concatenate([np.empty(0, np.int64), *keep]))
        self.store.write(
            slots, rows, np.repeat(np.array(dues, np.int64), counts), np.repeat(np.array(holds, np.int64), counts)
        )
        self.store.write_progress(slots, progress)
        self._write_given(slots)
        return self.leaving.flows(self.spec)

    def _read_given(self, slots: Int64s) -> None:
        given = self.store.read_given(slots)
        if given is None:
            return
        names = list(self.spec.fields)
        columns = [given.columns[name].to_pylist() for name in names]
        values = zip(*columns, strict=True) if columns else [()] * len(given)
        every = zip(
            given.start.tolist(), given.end.tolist(), values, given.stamps.tolist(), given.ids.to_pylist(), strict=True
        )
        for start, end, row, stamp, identity in every:
            payload = dict(zip(names, row, strict=True))
            result = SequenceResult(Tick(start), Tick(end), payload, 0, 0)
            key = tuple(payload[name] for name in self.spec.group_by)
            self.given.setdefault(key, []).append((result, stamp, identity))

    def _write_given(self, slots: Int64s) -> None:
        if self.spec.running:
            kept = _Leaving()
            for result, stamp, identity in (each for some in self.given.values() for each in some):
                kept.add(result, stamp, identity)
            self.store.write_given(slots, replace(kept.flows(self.spec), flag=None))

    def identity(self) -> str | None:
        """Return a new id of a row; None without `emit: running`."""
        if not self.spec.running:
            return None
        number = int(self.state.head.get("results", 0)) + 1
        self.state.head["results"] = number
        return str(number)


@dataclass
class _GroupTurn:
    """One group in one turn: the rows `[first, end)` of `ordered`."""

    groups: _GroupsTurn
    ordered: OrderedRows
    first: int
    end: int
    key: Group
    known: KnownConditions

    @cached_property
    def starts(self) -> list[int]:
        """Return the starts of the rows."""
        return self.ordered.starts[self.first : self.end]

    def decide(self, stored: StoredGroup) -> tuple[int, int, int]:
        """Release what is decided; return the first row to keep, the next CTI that matters, and what is held."""
        spec, at = self.groups.spec, self.groups.at
        starts = self.starts
        known = len(starts) if at == INFINITY else bisect_left(starts, at)
        progress = GroupProgress(stored.position, stored.covered, stored.matches, stored.most_conditions)
        search = self._search(known, stored, ended=False)
        results = [result for attempt in search.decide(progress) for result in attempt.results]
        for result in results:
            self._release(result)
        if spec.running:
            self._settle(progress, stored, len(starts))
        hold = search.hold(progress)
        kept = kept_rows(spec, starts, progress.position, at)
        moment = next_moment(spec, starts, progress.position, known, at)
        stored.position, stored.covered = progress.position - kept, max(0, progress.covered - kept)
        stored.most_conditions = progress.most_conditions
        stored.matches = progress.matches if spec.numbers_matches else 0
        stored.failures = [[row - kept, name, kind] for row, name, kind in stored.failures if row >= kept]
        due = INFINITY if moment >= INFINITY - spec.grace else moment + spec.grace
        return kept, due, hold

    def _search(self, known: int, stored: StoredGroup, *, ended: bool) -> MaskedGroupSearch:
        spec = self.groups.spec
        counted = {(row, name, kind) for row, name, kind in stored.failures}

        def failed(row: int, name: str, why: OperationFailure) -> None:
            if not ended and (row, name, why.kind) not in counted:
                counted.add((row, name, why.kind))
                stored.failures.append([row, name, why.kind])
                values = self.ordered.row(self.first + row)
                example = example_of({field: (values[field], of) for field, of in spec.reads.items()})
                self.groups.turn.report.failures.add(FailureCount(spec.node, name, why.kind, 1, example))

        rows = self.ordered.rows(self.first, self.first + known)
        values = SequenceValues(spec, rows, Tick(self.groups.at), ended)
        group = dict(zip(spec.group_by, self.key, strict=True))
        return MaskedGroupSearch(
            spec, self.groups.rests, values, group, failed, known=self.known, row_starts=self.starts
        )

    def _stamp(self, result: SequenceResult) -> int:
        return int(self.ordered.flows.stamps[self.first + result.first : self.first + result.last + 1].max())

    def _release(self, result: SequenceResult) -> None:
        given = self.groups.given.get(self.key, [])
        at = next((at for at, each in enumerate(given) if each[0] == result), None)
        if at is not None:
            del given[at]
        else:
            self.groups.leaving.add(result, self._stamp(result), self.groups.identity())

    def _settle(self, progress: GroupProgress, stored: StoredGroup, rows: int) -> None:
        """Retract rows that do not hold any more; at the end of a micro-batch, emit those that hold now (T38)."""
        search = self._search(rows, stored, ended=True)
        holding = [result for attempt in search.decide(progress.copy()) for result in attempt.results]
        kept = list[tuple[SequenceResult, int, str]]()
        for result, stamp, identity in self.groups.given.get(self.key, []):
            if result in holding:
                holding.remove(result)
                kept.append((result, stamp, identity))
            else:
                self.groups.leaving.add(result, stamp, identity, GONE)
        for result in holding if self.groups.turn.boundary else ():
            identity, stamp = self.groups.identity() or "", self._stamp(result)
            self.groups.leaving.add(result, stamp, identity)
            kept.append((result, stamp, identity))
        self.groups.given[self.key] = kept


def _settled(cti: int, grace: int) -> int:
    return cti if cti in (INFINITY, NO_CTI) else cti - grace
