"""What one task of the feed does for one binding in one batch: reads lanes, judges and folds, and makes envelopes."""

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
from streaming.spark.arrival_merge import in_order_of_arrival
from streaming.spark.binding import RunnableBinding, binding_of
from streaming.spark.carrier_messages import MessageKind
from streaming.spark.envelope import CarrierMessage, row_of
from streaming.spark.errors import blame_query, explain_binding, shared_fault
from streaming.spark.feed_work import TOGETHER, BindingWork, LaneWork, TaskWork
from streaming.spark.lane_clocks import StoredClock, VersionedClock, cut, resume, whole
from streaming.spark.layout import CarrierFolder
from streaming.spark.manifests import manifest_before
from streaming.spark.memory import Suspicion, at_hand
from streaming.spark.read_ahead import ahead
from streaming.spark.savepoints import PARTS, Item, pieces_of, read_items
from streaming.spark.state_change import StateChange
from streaming.spark.totals import LaneReport
from streaming.temporal.ticks import NO_CTI
from streaming.wire.arrived import Arrived, RecordedItem
from streaming.wire.failures import FailureTally

_NO_CHUNK = b""
_WORTH_A_THREAD = 100_000
"""Reading fewer positions than these is not worth a thread of its own."""


@dataclass(frozen=True)
class BindingMessages:
    """The envelopes of a binding, and the clocks that it moved, by their names, with the files that these need."""

    rows: list[CarrierMessage]
    moved: dict[str, VersionedClock]
    files: dict[str, Blob] = field(default_factory=dict)


class BindingTask:
    """`run` once, in any thread; nothing else sees what it does before it returns. `clocks` are those of its lanes;
    `suspicion`: processes have died at its work."""

    def __init__(
        self,
        carrier: CarrierFolder,
        task: TaskWork,
        work: BindingWork,
        clocks: Mapping[str, VersionedClock],
        *,
        suspicion: Suspicion | None = None,
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
        """What it reads, as it is named in a sentence."""
        names = sorted({lane.input for lane in self._work.lanes})
        return f"The input {names[0]}" if len(names) == 1 else f"The inputs {', '.join(names)}"

    def run(self) -> BindingMessages:
        """The binding's part; its clocks move only if every lane was read. Raises faults of the machine."""
        with at_hand(self._carrier.local, self._work.key, self._task.batch):
            return self._run()

    def _run(self) -> BindingMessages:
        turn = self._work.turn
        try:
            if self._suspicion is not None:
                away, computes = self._carrier.settings.sends_away, bool(self._work.lanes)
                self._suspicion.refuse(self._task.batch, computes=computes, sends_away=away)
            rows = self._saved() + self._entered() + self._widened()
            if turn is None or turn.state != "failed":
                rows += self._begun() if self._work.begins else self._bound_rows()
        except Exception as error:
            if shared_fault(error) or not self._carrier.settings.isolate:
                blame_query(error)
                raise
            return self.failed(error, traceback.format_exc())
        return BindingMessages(rows + self._reported(), self._moved, self._files)

    def failed(self, error: Exception, detail: str) -> BindingMessages:
        """The envelopes that say so, in place of all others; the clocks stay."""
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
        feed = LaneFeed(binding.plan, lane.input, lane.lane, self._state(name), self._joining(lane))
        for arrived in self._chunks(binding, lane):
            feed.take(arrived)
        turn = feed.finish(end=lane.last)
        self._move(name, turn.state, self._kept(name))
        rows = self._sent(binding, turn.envelopes)
        rows.append(self._counts(binding, lane, turn.counts, turn.reach, clock_in(turn.state)))
        rows += self._failures(binding, turn.failures)
        return rows + self._late(binding, lane.input, lane.lane, turn.late)

    def _joining(self, lane: LaneWork) -> int:
        """The CTI that the input of a lane that joins it had after the batch before."""
        if lane.joins is None:
            return NO_CTI
        totals = manifest_before(self._carrier.folder, self._task.batch).bindings.get(self._work.key)
        reports = {} if totals is None else totals.inputs.get(lane.input, {})
        known = [reports[each].cti if each in reports else None for each in lane.joins]
        return min((NO_CTI if each is None else each for each in known), default=NO_CTI)

    def _begun(self) -> list[CarrierMessage]:
        """Its lanes get the clocks that the run before had at their positions, where these are kept, and say so."""
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
                rows += self._sent(binding, feed.finish(end=False).envelopes)
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
            if self._work.beat and self._work.quiet:
                feed.beat(self._work.quiet)  # so that what comes without a time of arrival came after that
            reading = [((lane.input, lane.lane), self._chunks(binding, lane)) for lane in self._work.lanes]
            for (name, lane_name), arrived in in_order_of_arrival(reading):
                feed.take(name, lane_name, arrived)
            if self._work.beat:
                feed.beat(self._task.tick)
        ending = {lane.input for lane in self._work.lanes if lane.last}
        turn = feed.finish(ending, stop=self._work.turn is not None and self._work.turn.by_user)
        self._due = turn.due
        self._move(TOGETHER, turn.state, self._kept(TOGETHER))
        rows = self._sent(binding, turn.envelopes)
        rows += [
            self._counts(binding, lane, turn.counts[lane.input, lane.lane], turn.reach[lane.input], None)
            for lane in self._work.lanes
        ]
        rows += self._failures(binding, turn.failures)
        return rows + self._late(binding, "", "", turn.late)

    def _take_recorded(self, feed: CoupledFeed, adapters: Mapping[str, RecordingAdapter]) -> None:
        """Rows and heartbeats in the order in which they were recorded; the recording says what time it is."""
        found: list[tuple[int, str, RecordedItem]] = []
        for name, adapter in adapters.items():
            mine = [lane for lane in self._work.lanes if lane.input == name]
            start, end = min(lane.start for lane in mine), max(lane.end for lane in mine)
            found += [(each.order, name, each) for each in adapter.recorded(start, end)]
        for _, name, each in sorted(found, key=lambda item: item[0]):
            if each.beat is not None:
                feed.beat(each.beat, name)
            elif each.arrived is not None:
                feed.take(name, each.lane, each.arrived)

    def _chunks(self, binding: RunnableBinding, lane: LaneWork) -> Iterator[Arrived]:
        if lane.start == lane.end:
            return iter(())
        with self.patience:
            chunks = binding.adapters[lane.input].read(lane.lane, lane.start, lane.end)
        return self.patience.over(ahead(chunks) if lane.end - lane.start > _WORTH_A_THREAD else chunks)

    def _kept(self, name: str) -> StoredClock | None:
        return resume(self._known.get(self._prefix + name), self._work.redo)

    def _state(self, name: str) -> bytes | None:
        return whole(self._carrier.folder, self._task.partition, self._kept(name))

    def _move(self, name: str, state: bytes, before: StoredClock | None) -> None:
        kept, files = cut(state, self._task.batch, before)
        self._moved[self._prefix + name] = VersionedClock(self._task.batch, kept, before)
        self._files.update(files)

    def _sent(self, binding: RunnableBinding, envelopes: list[Envelope]) -> list[CarrierMessage]:
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

    def _saved(self) -> list[CarrierMessage]:
        """The clocks of before this batch, and the word to every bucket that its state is wanted."""
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

    def _entered(self) -> list[CarrierMessage]:
        """Take the clocks of a savepoint that belong to this task; the state goes to its buckets from one of them."""
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

    def _widened(self) -> list[CarrierMessage]:
        """The word to every bucket that its state is that of another version."""
        entry = self._work.widens
        return [] if entry is None else self._signals(MessageKind.WIDEN, str(entry).encode())

    def _reported(self) -> list[CarrierMessage]:
        turn = self._work.turn
        rows = self._signals(MessageKind.AGAIN, _NO_CHUNK) if self._work.again else []
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

    def _signals(self, kind: MessageKind, chunk: bytes) -> list[CarrierMessage]:
        """One envelope to each bucket that the command asked for, so that all of them know."""
        key, entry, batch = self._work.key, self._work.entry, self._task.batch
        ids = self._carrier.control.added(entry).bucket_ids
        return [CarrierMessage(key, bucket, entry, batch, "", "", 0, 0, kind, chunk) for bucket in ids]
