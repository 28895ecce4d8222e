"""One task of the feed: reads lanes through their adapters, judges and folds, and sends envelopes (no pyspark here)."""

import json
import traceback
from collections.abc import Iterator
from dataclasses import asdict

import pyarrow as pa

from streaming.engine.envelopes import FeedTurn, LaneCounts
from streaming.engine.feed import LaneFeed
from streaming.spark.ahead import ahead
from streaming.spark.arrow_ipc import ipc_bytes
from streaming.spark.binding import Binding, binding_of
from streaming.spark.envelope import Row, batches_of
from streaming.spark.errors import explain_binding, shared_fault
from streaming.spark.feed_work import BindingWork, LaneWork, TaskWork
from streaming.spark.lane_clocks import LaneClock, read_clocks, resume, write_clocks
from streaming.spark.layout import CarrierFolder, opened
from streaming.spark.offset import Turn
from streaming.spark.state_change import StateChange

_NO_CHUNK = b""
_WORTH_A_THREAD = 100_000
"""Reading fewer positions than these is not worth a thread of its own."""


def run_task(work: TaskWork) -> Iterator[pa.RecordBatch]:
    """Do `work`: yield its envelopes, then write the clocks of its lanes.

    The fault of one binding leaves as a `state` envelope and its lanes' clocks stay; a fault of the machine is raised.
    """
    yield from batches_of(_rows(work))


def _rows(work: TaskWork) -> Iterator[Row]:
    carrier = opened(work.carrier)
    clocks = read_clocks(carrier.folder, work.partition, work.batch)
    for binding in work.bindings.values():
        rows = _BindingTask(carrier, work, binding, clocks).run()
        yield from rows
    write_clocks(carrier.folder, work.partition, work.batch, clocks)


class _BindingTask:
    def __init__(self, carrier: CarrierFolder, task: TaskWork, work: BindingWork, clocks: dict[str, LaneClock]) -> None:
        self._carrier = carrier
        self._task = task
        self._work = work
        self._clocks = clocks

    def run(self) -> list[Row]:
        """The envelopes of the binding; its clocks move only if every lane was read."""
        turn = self._work.turn
        if turn is not None and turn.clear and not turn.end and turn.state is None:
            return self._forget()
        where = "opening the query"
        moved: dict[str, LaneClock] = {}
        try:
            rows = [] if self._planned_failure else self._bound_rows(moved)
        except Exception as error:
            if shared_fault(error) or not self._carrier.settings.isolate:
                raise
            where = f"reading {', '.join(sorted({lane.input for lane in self._work.lanes})) or where}"
            failure = explain_binding(error, where, traceback.format_exc())
            return self._to_all(StateChange("failed", failure.domain, failure.message, failure.detail))
        self._clocks.update(moved)
        return rows + self._reported(turn)

    @property
    def _planned_failure(self) -> bool:
        return self._work.turn is not None and self._work.turn.state == "failed"

    def _bound_rows(self, moved: dict[str, LaneClock]) -> list[Row]:
        if not self._work.lanes:
            return []
        binding = binding_of(self._carrier, self._work.entry)
        rows: list[Row] = []
        for lane in self._work.lanes:
            rows.extend(self._lane_rows(binding, lane, moved))
        return rows

    def _lane_rows(self, binding: Binding, lane: LaneWork, moved: dict[str, LaneClock]) -> list[Row]:
        name = f"{self._work.key}/{lane.input}/{lane.lane}"
        known = resume(self._clocks.get(name), self._work.redo)
        feed = LaneFeed(binding.plan, lane.input, lane.lane, known)
        if lane.start != lane.end:
            chunks = binding.adapters[lane.input].read(lane.lane, lane.start, lane.end)
            for arrived in ahead(chunks) if lane.end - lane.start > _WORTH_A_THREAD else chunks:
                feed.take(arrived)
        turn = feed.finish(end=lane.last)
        moved[name] = LaneClock(self._task.batch, turn.state, known)
        return self._envelopes(binding, lane, turn)

    def _envelopes(self, binding: Binding, lane: LaneWork, turn: FeedTurn) -> list[Row]:
        ids = binding.bucket_ids
        key, entry, batch = self._work.key, self._work.entry, self._task.batch
        rows = [
            Row(key, ids[each.bucket], entry, batch, each.input, each.lane, each.seq, each.cti, each.kind, each.chunk)
            for each in turn.envelopes
        ]
        planned = {"tick": self._task.tick, "held": self._work.held}
        counts = json.dumps({**planned, **counts_to_json(turn.counts)}).encode()
        rows.append(Row(key, ids[0], entry, batch, lane.input, lane.lane, 0, 0, "counts", counts))
        if turn.late.num_rows:
            late = ipc_bytes(turn.late)
            rows.append(Row(key, ids[0], entry, batch, lane.input, lane.lane, 0, 0, "late", late))
        return rows

    def _reported(self, turn: Turn | None) -> list[Row]:
        if turn is None:
            return []
        rows = []
        if turn.state is not None:
            rows += self._to_all(StateChange(turn.state, turn.domain, turn.message, turn.detail))
        if turn.clear:
            rows += self._signals("clear", _NO_CHUNK)
        return rows

    def _forget(self) -> list[Row]:
        prefix = f"{self._work.key}/"
        for name in [name for name in self._clocks if name.startswith(prefix)]:
            del self._clocks[name]
        return self._signals("clear", _NO_CHUNK)

    def _to_all(self, change: StateChange) -> list[Row]:
        return self._signals("state", change.to_json())

    def _signals(self, kind: str, chunk: bytes) -> list[Row]:
        """One envelope to each bucket that the command asked for, so that all of them know."""
        ids = self._carrier.control.added(self._work.entry).bucket_ids
        return [
            Row(self._work.key, bucket, self._work.entry, self._task.batch, "", "", 0, 0, kind, chunk) for bucket in ids
        ]


def counts_to_json(counts: LaneCounts) -> dict[str, object]:
    """`counts` as JSON values."""
    return asdict(counts)
