"""The work of one feed task for one binding in one batch: read lanes, judge and fold rows, and make envelopes."""

import json
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from streaming.adapters.contract import RecordingAdapter
from streaming.engine.columns.ipc import to_chunk
from streaming.engine.exchange.envelopes import Envelope, LaneCounts
from streaming.engine.feed.coupled_lanes import CoupledFeed
from streaming.engine.feed.judging.tally import Tally, begun_with, clock_in, load
from streaming.engine.feed.lane_feed import LaneFeed
from streaming.engine.state.container import Blob
from streaming.spark.abandonable_calls import Patience
from streaming.spark.errors import explain_binding, shared_fault
from streaming.spark.messages.carrier_messages import MessageKind
from streaming.spark.messages.envelope import CarrierMessage, row_of
from streaming.spark.query.arrival_merge import in_order_of_arrival
from streaming.spark.query.binding import RunnableBinding, binding_of
from streaming.spark.query.history_input import histories_among
from streaming.spark.query.layout import CarrierFolder
from streaming.spark.query.manifests import manifest_before
from streaming.spark.query.savepoints import PARTS, Item, pieces_of, read_items
from streaming.spark.query.state_change import StateChange
from streaming.spark.query.totals import LaneReport
from streaming.spark.session.memory import CrashSuspect, at_hand
from streaming.spark.source.feed_work import TOGETHER, BindingWork, LaneWork, TaskWork
from streaming.spark.source.histories import HistoryInBatch, histories_read
from streaming.spark.source.lane_clocks import StoredClock, VersionedClock, cut, resume, whole
from streaming.spark.source.read_ahead import ahead
from streaming.temporal.ticks import NO_CTI
from streaming.wire.execution.case import HISTORY_LANE
from streaming.wire.execution.failures import FailureTally
from streaming.wire.rows.arrived import Arrived, RecordedItem

_NO_CHUNK = b""
_WORTH_A_THREAD = 100_000
"""Reading fewer positions than this is not worth a thread of its own."""


@dataclass(frozen=True)
class BindingMessages:
    """The envelopes of a binding, and the clocks that it moved, by name, with the files that the clocks need."""

    rows: list[CarrierMessage]
    moved: dict[str, VersionedClock]
    files: dict[str, Blob] = field(default_factory=dict)


class BindingTask:
    """The work for one binding. Call `run` once, in any thread; nothing else sees its work before it returns.

    `clocks` are the clocks of its lanes; `suspicion`: processes have died at its work.
    """

    def __init__(
        self,
        carrier: CarrierFolder,
        task: TaskWork,
        work: BindingWork,
        clocks: Mapping[str, VersionedClock],
        *,
        suspicion: CrashSuspect | None = None,
    ) -> None:
        self._carrier = carrier
        self._task = task
        self._work = work
        self._prefix = f"{work.key}/"
        self._known = clocks
        self._suspicion = suspicion
        self.patience = Patience()
        self._moved: dict[str, VersionedClock] = {}
        self._files: dict[str, Blob] = {}
        self._due: int | None = 0

    @property
    def inputs(self) -> str:
        """Its inputs, as a sentence names them."""
        names = sorted({lane.input for lane in self._work.lanes})
        return f"The input {names[0]}" if len(names) == 1 else f"The inputs {', '.join(names)}"

    def run(self) -> BindingMessages:
        """Return the binding's part; its clocks move only if every lane was read. Raises errors of the machine."""
        with at_hand(self._carrier.local, self._work.key, self._task.batch):
            return self._run()

    def _run(self) -> BindingMessages:
        turn = self._work.turn
        if self._work.fault is not None:
            return BindingMessages(self._signals(MessageKind.STATE, self._work.fault.to_json()), {})
        try:
            if self._suspicion is not None:
                away, computes = self._carrier.settings.sends_away, bool(self._work.lanes)
                self._suspicion.refuse(self._task.batch, computes=computes, sends_away=away)
            rows = self._savepoint_rows() + self._restored_rows() + self._widening_rows()
            if turn is None or turn.state != "failed":
                rows += self._first_clock_rows() if self._work.begins else self._bound_rows()
            rows += self._turn_rows()
        except Exception as error:
            if shared_fault(error):
                raise
            return self.failed(error, traceback.format_exc())
        return BindingMessages(rows, self._moved, self._files)

    def failed(self, error: Exception, detail: str) -> BindingMessages:
        """Return the envelopes of a failure, in place of all others; the clocks stay."""
        where = ", ".join(sorted({lane.input for lane in self._work.lanes}))
        failure = explain_binding(error, f"reading {where}" if where else "opening the query", detail)
        return BindingMessages(self._signals(MessageKind.STATE, StateChange.failed(failure).to_json()), {})

    def _bound_rows(self) -> list[CarrierMessage]:
        if not self._work.lanes:
            return []
        binding = binding_of(self._carrier, self._work.entry)
        if self._work.together:
            return self._together_rows(binding)
        return [row for lane in self._work.lanes for row in self._lane_rows(binding, lane)]

    def _lane_rows(self, binding: RunnableBinding, lane: LaneWork) -> list[CarrierMessage]:
        name = f"{lane.input}/{lane.lane}"
        feed = LaneFeed(binding.plan, lane.input, lane.lane, self._state(name), self._joining_cti(lane))
        for arrived in self._chunks(binding, lane):
            feed.take(arrived)
        turn = feed.finish(end=lane.last)
        self._move(name, turn.state, self._stored_clock(name))
        rows = self._envelope_rows(binding, turn.envelopes)
        rows.append(self._counts(binding, lane, turn.counts, turn.reach, clock_in(turn.state)))
        rows += self._failures(binding, turn.failures)
        return rows + self._late(binding, lane.input, lane.lane, turn.late)

    def _joining_cti(self, lane: LaneWork) -> int:
        """Return the CTI of the input after the previous batch, for a lane that joins it."""
        if lane.joins is None:
            return NO_CTI
        totals = manifest_before(self._carrier.folder, self._task.batch).bindings.get(self._work.key)
        reports = {} if totals is None else totals.inputs.get(lane.input, {})
        known = [reports[each].cti if each in reports else None for each in lane.joins]
        return min((NO_CTI if each is None else each for each in known), default=NO_CTI)

    def _first_clock_rows(self) -> list[CarrierMessage]:
        """Give its lanes the clocks of the previous run at their positions, where these are stored, and report them."""
        binding = binding_of(self._carrier, self._work.entry)
        rows: list[CarrierMessage] = []
        for lane in self._work.lanes:
            known = binding.first_lanes.get(lane.input, {}).get(lane.lane)
            reach = NO_CTI if known is None or known.reach is None else known.reach
            clock = None if known is None or self._work.together else known.clock
            state = None if clock is None else begun_with(clock)
            counts = Tally().totals(load(state).clock)
            if state is not None:
                feed = LaneFeed(binding.plan, lane.input, lane.lane, state)
                feed.announce()
                self._move(f"{lane.input}/{lane.lane}", state, None)
                rows += self._envelope_rows(binding, feed.finish(end=False).envelopes)
            rows.append(self._counts(binding, lane, counts, reach, clock))
        return rows

    def _together_rows(self, binding: RunnableBinding) -> list[CarrierMessage]:
        lanes: dict[str, list[str]] = {}
        for lane in self._work.lanes:
            lanes.setdefault(lane.input, []).append(lane.lane)
        feed = CoupledFeed(binding.plan, self._state(TOGETHER), lanes)
        recordings = {name: each for name, each in binding.adapters.items() if isinstance(each, RecordingAdapter)}
        if len(recordings) == len(binding.adapters) and all(each.in_order for each in recordings.values()):
            self._take_recorded(feed, recordings)
        else:
            self._take_waiting(feed, binding)
        ending = {lane.input for lane in self._work.lanes if lane.last}
        turn = feed.finish(ending, stop=self._work.turn is not None and self._work.turn.by_user)
        self._due = turn.due
        self._move(TOGETHER, turn.state, self._stored_clock(TOGETHER))
        rows = self._envelope_rows(binding, turn.envelopes)
        rows += [
            self._counts(binding, lane, turn.counts[lane.input, lane.lane], turn.reach[lane.input], None)
            for lane in self._work.lanes
        ]
        rows += self._failures(binding, turn.failures)
        return rows + self._late(binding, "", "", turn.late)

    def _take_waiting(self, feed: CoupledFeed, binding: RunnableBinding) -> None:
        """Take the rows that wait; time passes for the inputs that don't read their history (T56)."""
        histories = {each.input: each for each in histories_read(binding.adapters, self._work.lanes)}
        heard = [name for name in binding.adapters if name not in histories]
        if self._work.beat and self._work.quiet:
            for name in heard:
                feed.beat(self._work.quiet, name)  # so that rows without an arrival time count as arrived after it
        for name, history in histories.items():
            if history.moves:
                feed.mark_history(name, history.lanes)
        reading = [(_judged_by(lane, histories), self._chunks(binding, lane)) for lane in self._work.lanes]
        for (name, lane_name), arrived in in_order_of_arrival(reading):
            feed.take(name, lane_name, arrived)
        if self._work.beat:
            for name in heard:
                feed.beat(self._task.tick, name)

    def _take_recorded(self, feed: CoupledFeed, adapters: Mapping[str, RecordingAdapter]) -> None:
        """Take rows and heartbeats in their recorded order; the recording sets the time."""
        found: list[tuple[int, str, RecordedItem]] = []
        for name, adapter in adapters.items():
            mine = [lane for lane in self._work.lanes if lane.input == name]
            start, end = min(lane.start for lane in mine), max(lane.end for lane in mine)
            found += [(each.order, name, each) for each in adapter.recorded(start, end)]
        for _, name, each in sorted(found, key=lambda item: item[0]):
            if each.beat is not None:
                feed.beat(each.beat, name)
            elif each.marks_history:
                feed.mark_history(name, each.history)
            elif each.arrived is not None:
                feed.take(name, each.lane, each.arrived)

    def _chunks(self, binding: RunnableBinding, lane: LaneWork) -> Iterator[Arrived]:
        if lane.start == lane.end:
            return iter(())
        with self.patience:
            chunks = binding.adapters[lane.input].read(lane.lane, lane.start, lane.end)
        return self.patience.over(ahead(chunks) if lane.end - lane.start > _WORTH_A_THREAD else chunks)

    def _stored_clock(self, name: str) -> StoredClock | None:
        return resume(self._known.get(self._prefix + name), self._work.redo)

    def _state(self, name: str) -> bytes | None:
        return whole(self._carrier.folder, self._task.partition, self._stored_clock(name))

    def _move(self, name: str, state: bytes, before: StoredClock | None) -> None:
        kept, files = cut(state, self._task.batch, before)
        self._moved[self._prefix + name] = VersionedClock(self._task.batch, kept, before)
        self._files.update(files)

    def _envelope_rows(self, binding: RunnableBinding, envelopes: list[Envelope]) -> list[CarrierMessage]:
        ids, key, entry, batch = binding.bucket_ids, self._work.key, self._work.entry, self._task.batch
        return [row_of(each, key, ids[each.bucket], entry, batch) for each in envelopes]

    def _counts(
        self, binding: RunnableBinding, lane: LaneWork, counts: LaneCounts, reach: int, clock: dict[str, Any] | None
    ) -> CarrierMessage:
        report = LaneReport.counted(
            counts,
            tick=self._task.tick,
            held=self._work.held,
            again=self._work.again,
            at=lane.end,
            reach=None if reach == NO_CTI else reach,
            clock=clock,
            due=self._due,
        )
        who = (self._work.key, binding.bucket_ids[0], self._work.entry, self._task.batch, lane.input, lane.lane)
        return CarrierMessage(*who, 0, 0, MessageKind.COUNTS, report.to_chunk())

    def _failures(self, binding: RunnableBinding, failures: FailureTally) -> list[CarrierMessage]:
        if not failures:
            return []
        key, entry = self._work.key, self._work.entry
        content = json.dumps(failures.to_json()).encode()
        return [
            CarrierMessage(
                key, binding.bucket_ids[0], entry, self._task.batch, "", "", 0, 0, MessageKind.FAILURES, content
            )
        ]

    def _late(self, binding: RunnableBinding, name: str, lane: str, late: pa.Table) -> list[CarrierMessage]:
        if not late.num_rows:
            return []
        key, entry = self._work.key, self._work.entry
        who = (key, binding.bucket_ids[0], entry, self._task.batch)
        return [CarrierMessage(*who, name, lane, 0, 0, MessageKind.LATE, to_chunk(late))]

    def _savepoint_rows(self) -> list[CarrierMessage]:
        """Return the clocks from before this batch, and a request to every bucket for its state."""
        head = self._work.saves
        if head is None:
            return []
        clocks = ((name, self._state(name)) for name in (full.removeprefix(self._prefix) for full in self._known))
        items: list[Item] = [("clock", 0, name, state) for name, state in clocks if state is not None]
        ids = self._carrier.control.added(self._work.entry).bucket_ids
        place = f"clocks-{self._task.partition}"
        key, entry, batch = self._work.key, self._work.entry, self._task.batch
        rows = [
            CarrierMessage(key, ids[0], entry, batch, place, "", number, 0, MessageKind.SAVED, piece)
            for number, piece in enumerate(pieces_of(items))
        ]
        if self._work.turn is not None:
            buckets, second = binding_of(self._carrier, entry).plan.spread
            rows += self._signals(MessageKind.SAVE, replace(head, buckets=buckets, second=second).to_json())
        return rows

    def _restored_rows(self) -> list[CarrierMessage]:
        """Take the clocks of a savepoint that belong to this task; one of the tasks sends the state to its buckets."""
        path = self._work.enters
        if path is None:
            return []
        shared = self._carrier.shared_of(self._carrier.control.added(self._work.entry).spec.organisation)
        for _, _, name, state in read_items(shared, path, "clock"):
            if name in self._work.clocks:
                self._move(name, state, None)
        if self._work.turn is None:
            return []
        ids = self._carrier.control.added(self._work.entry).bucket_ids
        by_bucket: dict[tuple[str, int], list[Item]] = {}
        for part in PARTS:
            for item in read_items(shared, path, part):
                by_bucket.setdefault((part, item[1]), []).append(item)
        key, entry, batch = self._work.key, self._work.entry, self._task.batch
        return [
            CarrierMessage(key, ids[bucket], entry, batch, part, "", number, 0, MessageKind.ENTER, piece)
            for (part, bucket), items in by_bucket.items()
            for number, piece in enumerate(pieces_of(items))
        ]

    def _widening_rows(self) -> list[CarrierMessage]:
        """Return a message to every bucket that its state belongs to another version."""
        entry = self._work.widens
        return [] if entry is None else self._signals(MessageKind.WIDEN, str(entry).encode())

    def _turn_rows(self) -> list[CarrierMessage]:
        turn = self._work.turn
        rows = self._signals(MessageKind.AGAIN, _NO_CHUNK) if self._work.again else []
        if self._is_historic():
            rows += self._signals(MessageKind.HISTORIC, _NO_CHUNK)
        if turn is None:
            return rows
        if turn.cut:
            rows += self._signals(MessageKind.CUT, _NO_CHUNK)
        if turn.state is not None:
            change = StateChange(turn.state, turn.domain, turn.message, turn.detail, turn.slow)
            rows += self._signals(MessageKind.STATE, change.to_json())
        if turn.clear:
            rows += self._signals(MessageKind.CLEAR, _NO_CHUNK)
        if turn.repair is not None:
            rows += self._signals(MessageKind.REPAIR, turn.repair.encode())
        return rows

    def _is_historic(self) -> bool:
        """Return True if every input with history reads it in this batch, so that its results are historic (T57)."""
        if not any(lane.lane == HISTORY_LANE for lane in self._work.lanes) or self._work.begins:
            return False
        adapters = binding_of(self._carrier, self._work.entry).adapters
        reading = histories_read(adapters, self._work.lanes)
        return len(reading) == len(histories_among(adapters)) > 0

    def _signals(self, kind: MessageKind, chunk: bytes) -> list[CarrierMessage]:
        """Return one envelope to each bucket of the command."""
        key, entry, batch = self._work.key, self._work.entry, self._task.batch
        ids = self._carrier.control.added(entry).bucket_ids
        return [CarrierMessage(key, bucket, entry, batch, "", "", 0, 0, kind, chunk) for bucket in ids]


def _judged_by(lane: LaneWork, histories: Mapping[str, HistoryInBatch]) -> tuple[str, str]:
    """Return the lane that judges the rows of `lane`: for those of history, the one that it shares with live."""
    if lane.lane == HISTORY_LANE and lane.input in histories:
        return lane.input, histories[lane.input].lane
    return lane.input, lane.lane
