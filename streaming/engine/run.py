"""A whole binding in one process: feeds and operators over state in memory, batch by batch."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from streaming.engine.envelopes import LATE_SCHEMA, Envelope, LaneCounts, Output
from streaming.engine.feed import LaneFeed
from streaming.engine.ipc import from_bytes
from streaming.engine.measures import column_of
from streaming.engine.operators import Operators
from streaming.engine.plan import Plan
from streaming.engine.state import DictState
from streaming.temporal.ticks import INFINITY
from streaming.wire.arrived import Arrived
from streaming.wire.case import ONLY_LANE, EndMode

Lane = tuple[str, str]
"""Input node id and lane."""


@dataclass
class Released:
    """What one batch released: `rows` by output (columns start, end, then the fields), CTIs that moved, late rows."""

    rows: dict[str, list[pa.Table]] = field(default_factory=dict)
    ctis: dict[str, list[int]] = field(default_factory=dict)
    late: pa.Table = field(default_factory=LATE_SCHEMA.empty_table)


@dataclass(frozen=True)
class Snapshot:
    """All that a run remembers between batches, as bytes."""

    lanes: Mapping[Lane, bytes]
    buckets: tuple[Mapping[str, bytes], ...]
    batch: int


class EngineRun:
    """Runs `plan` over batches of Arrived chunks. `snapshot` after any batch; `restored` goes on from it."""

    def __init__(self, plan: Plan, lanes: Mapping[str, Iterable[str]] | None = None) -> None:
        """`lanes`: the lanes of each input that exist from the start; default those that its stream lists."""
        self._plan = plan
        listed = {node: plan.inputs[node].lanes or (ONLY_LANE,) for node in plan.inputs}
        self._lanes: dict[Lane, bytes | None] = {
            (node, lane): None for node, names in {**listed, **(lanes or {})}.items() for lane in names
        }
        self._buckets = [DictState() for _ in range(plan.buckets)]
        self._batch = 0
        self.counts: dict[Lane, LaneCounts] = {}

    def batch(self, arrived: Mapping[Lane, Iterable[Arrived]], ending: Iterable[str] = ()) -> Released:
        """One micro-batch: the chunks of each lane in arrival order; `ending` inputs then get CTI INFINITY."""
        released, envelopes = Released(), list[Envelope]()
        ending = set(ending)
        late = []
        for lane in (*self._lanes, *(lane for lane in arrived if lane not in self._lanes)):
            feed = LaneFeed(self._plan, lane[0], lane[1], self._lanes.get(lane))
            for chunk in arrived.get(lane, ()):
                feed.take(chunk)
            turn = feed.finish(end=lane[0] in ending)
            self._lanes[lane] = turn.state
            self.counts[lane] = turn.counts
            envelopes.extend(turn.envelopes)
            late.append(turn.late)
        for bucket, state in enumerate(self._buckets):
            own = [envelope for envelope in envelopes if envelope.bucket == bucket]
            _collect(released, Operators(self._plan, bucket, state).turn(self._batch, own), first=bucket == 0)
        released.late = pa.concat_tables([released.late, *late])
        self._batch += 1
        return released

    def end(self, mode: EndMode) -> Released:
        """A last batch: CTI INFINITY on all inputs (FLUSH), on those whose settings say `final` (STOP), or on none."""
        inputs = self._plan.inputs.values()
        final = [each.node for each in inputs if each.advance.generate is not None and each.advance.generate.final]
        if mode is EndMode.FLUSH:
            return self.batch({}, self._plan.inputs)
        return self.batch({}, final) if mode is EndMode.STOP else Released()

    def snapshot(self) -> Snapshot:
        """All that is remembered; later batches do not change it."""
        lanes = {lane: state for lane, state in self._lanes.items() if state is not None}
        return Snapshot(lanes, tuple(state.snapshot() for state in self._buckets), self._batch)

    @classmethod
    def restored(cls, plan: Plan, snapshot: Snapshot) -> "EngineRun":
        """A new run, as after a kill and restart, that goes on after the batch of `snapshot`."""
        run = cls(plan)
        run._lanes.update(snapshot.lanes)
        run._buckets = [DictState.restore(content) for content in snapshot.buckets]
        run._batch = snapshot.batch
        return run


def _collect(released: Released, outputs: list[Output], *, first: bool) -> None:
    """All buckets release the same CTIs: the first one's count."""
    for output in outputs:
        table = from_bytes(output.chunk)
        if output.kind == "rows":
            released.rows.setdefault(output.output, []).append(table)
        elif first:
            ctis = column_of(table, "cti").to_numpy()
            released.ctis.setdefault(output.output, []).extend(ctis[ctis != INFINITY].tolist())


def records(table: pa.Table) -> list[tuple[int, int, dict[str, Any]]]:
    """(start, end, payload) of each row of an output; payloads as the definition's Python values."""
    start, end = (column.to_pylist() for column in table.columns[:2])
    fields = table.column_names[2:]
    columns = [column.to_pylist() for column in table.columns[2:]]
    values_by_row = zip(*columns, strict=True) if columns else [()] * table.num_rows
    payloads = [dict(zip(fields, values, strict=True)) for values in values_by_row]
    return list(zip(start, end, payloads, strict=True))
