"""A whole binding in one process: feeds and operators over state in memory, batch by batch."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import pyarrow as pa

from streaming.engine.columns.ipc import from_bytes
from streaming.engine.exchange.cti_chunk import ctis_of_chunk
from streaming.engine.exchange.envelopes import LATE_SCHEMA, Envelope, LaneCounts, OperatorOutput
from streaming.engine.feed.lane_feed import LaneFeed
from streaming.engine.operators.bucket import BucketOperators
from streaming.engine.operators.pending_outcomes import corrected
from streaming.engine.state.bucket_state import BucketState
from streaming.engine.state.state_store import DictState
from streaming.planning.plan import PlannedStage, QueryPlan
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.execution.case import EndMode, listed_lanes
from streaming.wire.execution.failures import FailureCount, FailureTally
from streaming.wire.rows.arrived import Arrived

Lane = tuple[str, str]
"""Input node id and lane."""
Arrival = tuple[str, str, Arrived] | tuple[str, int] | tuple[str, tuple[str, ...] | None]
"""A chunk of a lane (input, lane, rows), the wall clock of an input (input, ticks), or a mark of its history (input,
lanes of history or None at its end)."""
_ALL: Final = ""
"""The key of the state of a feed that takes all lanes together."""


@dataclass
class BatchResult:
    """The output of one batch: `rows` by output (Flows as tables), CTIs that moved, late rows."""

    rows: dict[str, list[pa.Table]] = field(default_factory=dict)
    ctis: dict[str, list[int]] = field(default_factory=dict)
    late: pa.Table = field(default_factory=LATE_SCHEMA.empty_table)


@dataclass(frozen=True)
class RunSnapshot:
    """The complete state of a run between batches, as bytes."""

    lanes: Mapping[Lane, bytes]
    buckets: tuple[Mapping[str, bytes], ...]
    batch: int
    reached: Mapping[str, tuple[int, ...]]
    second: tuple[Mapping[str, bytes], ...] = ()
    failures: tuple[FailureCount, ...] = ()


class EngineRun:
    """Runs `plan` over batches of Arrived chunks. Take a `snapshot` after any batch; `restored` continues from it.

    `failures`: on how many rows which expressions have failed so far (T5).
    """

    def __init__(self, plan: QueryPlan, lanes: Mapping[str, Iterable[str]] | None = None) -> None:
        """Start a run.

        `lanes` are the lanes of each input that exist from the start, by default those of its stream.
        """
        self._plan = plan
        listed = {node: listed_lanes(plan.inputs[node].stream) for node in plan.inputs}
        self._listed: dict[str, Sequence[str]] = {
            **listed,
            **{name: list(each) for name, each in (lanes or {}).items()},
        }
        self._lanes: dict[Lane, bytes | None] = {
            (node, lane): None for node, names in self._listed.items() for lane in names
        }
        self._all: bytes | None = None
        self._buckets = [DictState() for _ in range(plan.buckets)]
        self._second = [DictState() for _ in range(plan.second.buckets if plan.second is not None else 0)]
        self._batch = 0
        self._counts: dict[Lane, LaneCounts] = {}
        self.failures = FailureTally()
        self._corrections: list[Mapping[str, Any]] = [{} for _ in range(plan.buckets)]
        self._reached: dict[str, list[int]] = {}
        self._moved: dict[str, dict[int, list[int]]] = {}

    @property
    def counts(self) -> dict[Lane, LaneCounts]:
        """Return the totals of each lane, with the operators' corrections."""
        found = {}
        for (input_id, lane), counts in self._counts.items():
            outcomes = dict(counts.outcomes)
            for corrections in self._corrections:
                outcomes = corrected(corrections, input_id, lane, outcomes)
            found[input_id, lane] = replace(counts, outcomes=outcomes)
        return found

    def batch(self, arrived: Mapping[Lane, Iterable[Arrived]], ending: Iterable[str] = ()) -> BatchResult:
        """Run one micro-batch: the chunks of each lane in arrival order; `ending` inputs then get CTI INFINITY."""
        arrivals: list[Arrival] = [(*lane, chunk) for lane, chunks in arrived.items() for chunk in chunks]
        return self.turn(arrivals, ending)

    def turn(self, arrivals: Iterable[Arrival], ending: Iterable[str] = (), *, stop: bool = False) -> BatchResult:
        """Run one micro-batch in order of arrival, heartbeats among the chunks.

        `stop`: a user ends the `ending` inputs.
        """
        if self._plan.together:
            envelopes, late = self._fed_coupled(arrivals, set(ending), stop=stop)
        else:
            envelopes, late = self._fed_apart(arrivals, set(ending))
        released = BatchResult()
        onward = self._operate(self._plan, self._buckets, envelopes, released)
        if self._plan.second is not None:
            self._operate(self._plan.second, self._second, onward, released)
        self._release_ctis(released)
        released.late = pa.concat_tables([released.late, *late])
        self._batch += 1
        return released

    def _operate(
        self, stage: PlannedStage, states: Sequence[DictState], envelopes: Sequence[Envelope], released: BatchResult
    ) -> list[Envelope]:
        """Run the turn of each bucket of a stage; return the envelopes for the next one."""
        onward: list[Envelope] = []
        for bucket, state in enumerate(states):
            own = [envelope for envelope in envelopes if envelope.bucket == bucket]
            operators = BucketOperators(stage, bucket, state)
            self._collect(released, operators.turn(self._batch, own), bucket)
            onward += operators.onward
        return onward

    def _fed_apart(self, arrivals: Iterable[Arrival], ending: set[str]) -> tuple[list[Envelope], list[pa.Table]]:
        feeds: dict[Lane, LaneFeed] = {}
        by_lane: dict[Lane, list[Arrived]] = {lane: [] for lane in self._lanes}
        for each in arrivals:
            if len(each) == 3:  # heartbeats affect only lanes that are fed together
                by_lane.setdefault((each[0], each[1]), []).append(each[2])
        envelopes: list[Envelope] = []
        late = []
        for lane, chunks in by_lane.items():
            feeds[lane] = LaneFeed(self._plan, lane[0], lane[1], self._lanes.get(lane))
            for chunk in chunks:
                feeds[lane].take(chunk)
            turn = feeds[lane].finish(end=lane[0] in ending)
            self._lanes[lane] = turn.state
            self._counts[lane] = turn.counts
            envelopes.extend(turn.envelopes)
            late.append(turn.late)
            self.failures.take(turn.failures)
        return envelopes, late

    def _fed_coupled(
        self, arrivals: Iterable[Arrival], ending: set[str], *, stop: bool
    ) -> tuple[list[Envelope], list[pa.Table]]:
        from streaming.engine.feed.coupled_lanes import CoupledFeed

        feed = CoupledFeed(self._plan, self._all, self._listed)
        for each in arrivals:
            if len(each) == 3:
                feed.take(*each)
            elif isinstance(each[1], int):
                feed.beat(each[1], each[0])
            else:
                feed.mark_history(each[0], each[1])
        turn = feed.finish(ending, stop=stop)
        self._all = turn.state
        self._counts.update(turn.counts)
        self.failures.take(turn.failures)
        return list(turn.envelopes), [turn.late]

    def end(self, mode: EndMode) -> BatchResult:
        """Run a last batch.

        CTI infinity goes to all inputs (FLUSH), to those whose settings have `final` (STOP), or to none.
        """
        inputs = self._plan.inputs.values()
        final = [each.node for each in inputs if each.advance.generate is not None and each.advance.generate.final]
        if mode is EndMode.FLUSH:
            return self.turn((), self._plan.inputs)
        return self.turn((), final, stop=True) if mode is EndMode.STOP else BatchResult()

    def snapshot(self) -> RunSnapshot:
        """Return the complete state; later batches do not change it."""
        lanes = {lane: state for lane, state in self._lanes.items() if state is not None}
        if self._all is not None:
            lanes[_ALL, _ALL] = self._all
        reached = {output: tuple(ctis) for output, ctis in self._reached.items()}
        first, second = (tuple(state.snapshot() for state in each) for each in (self._buckets, self._second))
        return RunSnapshot(lanes, first, self._batch, reached, second, tuple(self.failures.counts()))

    @classmethod
    def restored(
        cls, plan: QueryPlan, snapshot: RunSnapshot, lanes: Mapping[str, Iterable[str]] | None = None
    ) -> "EngineRun":
        """Return a new run, as after a kill and restart, that continues after the batch of `snapshot`."""
        run = cls(plan, lanes)
        states = dict(snapshot.lanes)
        run._all = states.pop((_ALL, _ALL), None)
        run._lanes.update(states)
        run._buckets = [DictState.restore(content) for content in snapshot.buckets]
        run._second = [DictState.restore(content) for content in snapshot.second]
        run._corrections = [BucketState(state).corrections for state in run._buckets]
        run._batch = snapshot.batch
        for count in snapshot.failures:
            run.failures.add(count)
        run._reached = {output: list(ctis) for output, ctis in snapshot.reached.items()}
        return run

    def _collect(self, released: BatchResult, outputs: list[OperatorOutput], bucket: int) -> None:
        for output in outputs:
            if output.kind == "corrections":
                self._corrections[bucket] = _json(output.chunk)
                continue
            if output.kind == "failures":
                self.failures.add_json(json.loads(output.chunk))
                continue
            if output.kind == "ctis":
                self._moved.setdefault(output.output, {})[bucket] = ctis_of_chunk(output.chunk)[0][0].tolist()
            elif output.kind == "rows":
                released.rows.setdefault(output.output, []).append(from_bytes(output.chunk))
            else:
                released.late = pa.concat_tables([released.late, from_bytes(output.chunk)])

    def _release_ctis(self, released: BatchResult) -> None:
        """Release the CTIs of each output, the minimum over the buckets."""
        for output, by_bucket in self._moved.items():
            reached = self._reached.setdefault(output, [NO_CTI] * self._plan.buckets_at(output))
            before = min(reached)
            for bucket, ctis in by_bucket.items():
                reached[bucket] = ctis[-1]
            alike = len(by_bucket) == len(reached) and len({tuple(ctis) for ctis in by_bucket.values()}) == 1
            if min(reached) > before:
                rising = by_bucket[0] if alike else [min(reached)]
                released.ctis[output] = [cti for cti in rising if cti != INFINITY]
        self._moved = {}


def _json(chunk: bytes) -> Mapping[str, Any]:
    content: dict[str, Any] = json.loads(chunk)
    return content
