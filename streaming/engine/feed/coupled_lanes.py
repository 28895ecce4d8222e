"""All lanes of all inputs of a binding over one batch, for clocks that depend on other lanes.

They do with imported CTIs (T26), the idle rule (T16), substreams (T15) and implicit rowtimes (T17).
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa

from streaming.engine.exchange.envelopes import LATE_SCHEMA, Envelope, LaneCounts
from streaming.engine.feed.judging.clock import NONE
from streaming.engine.feed.judging.lanes import ClockSet, LaneClocks
from streaming.engine.feed.judging.late import count_and_list, labelled
from streaming.engine.feed.judging.stored_table import StoredTable
from streaming.engine.feed.judging.substreams import KeyClocks
from streaming.engine.feed.judging.tally import Tally
from streaming.engine.feed.sending import InputSender
from streaming.engine.state.container import HEAD, Blob, packed, unpacked
from streaming.planning.plan import InputPlan, QueryPlan
from streaming.temporal.clock import LaneClockState
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.execution.case import HISTORY_LANE
from streaming.wire.execution.failures import FailureTally
from streaming.wire.rows.arrived import Arrived, Int64s

_VERSION: Final = 2
_SPEAKER: Final = ""
"""The lane name of an input whose lanes are fed together."""


@dataclass(frozen=True, slots=True)
class CoupledTurn:
    """The result of all lanes of a binding for one batch.

    `state` is for the next batch, `counts` are by input and lane, with the CTI of the input, and `late` and `failures`
    are as in `LaneTurn`; `reach` too, by input. `due`: the time from which a heartbeat may move anything, if no row
    comes before; None: none does.
    """

    envelopes: list[Envelope]
    state: bytes
    counts: dict[tuple[str, str], LaneCounts]
    late: pa.Table
    failures: FailureTally
    reach: dict[str, int]
    due: int | None


class CoupledFeed:
    """Takes the chunks and heartbeats of all lanes of one batch in order of arrival.

    `state` is the one that the feed returned for the previous batch, None for the first batch. `lanes` are, by input,
    the lanes that exist: those of the first batch from the start on, later ones from the CTI of their input on (T14).
    One object serves one batch: call `take` and `beat` any number of times, then `finish` once. The end of a chunk has
    no effect, but the order of lanes does, so a chunk ends where another lane has a row.
    """

    def __init__(self, plan: QueryPlan, state: bytes | None, lanes: Mapping[str, Iterable[str]]) -> None:
        known, blobs = _read(state)
        self._inputs = {
            name: _CoupledInput(plan, name, lanes.get(name, ()), None if known is None else (known[name], blobs))
            for name in plan.inputs
        }
        self._late: list[pa.Table] = []
        self._arrived = False

    def take(self, input_id: str, lane: str, arrived: Arrived) -> None:
        """Judge and fold one chunk of one lane."""
        if len(arrived.kind):
            self._arrived = True
            self._late.append(self._inputs[input_id].take(lane, arrived))

    def beat(self, now: int, input_id: str | None = None) -> None:
        """Process the wall clock `now` of an input, None for all of them, without an element (T16, T17)."""
        self._arrived = True
        for name in self._inputs if input_id is None else (input_id,):
            self._inputs[name].beat(now)

    def mark_history(self, input_id: str, lanes: Iterable[str] | None) -> None:
        """Begin the history of an input, in which `lanes` count; None: end it, and live lanes count (T56)."""
        self._arrived = True
        self._inputs[input_id].mark_history(lanes)

    def finish(self, ending: Collection[str], *, stop: bool = False) -> CoupledTurn:
        """Return the turn of this batch: imported CTIs take effect, then the `ending` inputs get CTI INFINITY (T26).

        A batch that only ends inputs does not count as one, so nothing is imported before. `stop`: the user ends the
        run, and imports take effect once more, repeatedly until none moves. Same input, same bytes.
        """
        if self._arrived or not ending:
            self._import()
        for name in self._inputs:
            if name in ending:
                self._inputs[name].raise_all(INFINITY)
        while stop and self._import():
            pass
        return CoupledTurn(
            envelopes=[envelope for each in self._inputs.values() for envelope in each.envelopes()],
            state=self._state(),
            counts={(name, lane): counts for name, each in self._inputs.items() for lane, counts in each.counts()},
            late=pa.concat_tables([LATE_SCHEMA.empty_table(), *self._late]),
            failures=self._failures(),
            reach={name: each.reach for name, each in self._inputs.items()},
            due=self._due(),
        )

    def _due(self) -> int | None:
        """Return the time of the next heartbeat: at once while a CTI is to be imported.

        A chain of inputs imports one step with each batch.
        """
        ctis = {name: each.clocks.at for name, each in self._inputs.items()}
        sources = {name: each.plan.advance.import_from for name, each in self._inputs.items()}
        if any(source is not None and ctis[source] > ctis[name] for name, source in sources.items()):
            return 0
        dues = [each.clocks.due() for each in self._inputs.values()]
        return min((due for due in dues if due is not None), default=None)

    def _failures(self) -> FailureTally:
        found = FailureTally()
        for each in self._inputs.values():
            found.take(each.failures)
        return found

    def _import(self) -> bool:
        """Read all imported CTIs, then pass them to the inputs that import; return true if any moved."""
        found = {name: each.clocks.at for name, each in self._inputs.items()}
        importing = {name: each.plan.advance.import_from for name, each in self._inputs.items()}
        moved = [
            self._inputs[name].raise_all(found[source]) for name, source in importing.items() if source is not None
        ]
        return any(moved)

    def _state(self) -> bytes:
        """Return the state: JSON alone, or with pieces for its keys and open edges if they are many."""
        blobs: dict[str, Blob] = {}
        inputs = {name: each.state(blobs) for name, each in self._inputs.items()}
        head = {"version": _VERSION, "inputs": inputs}
        text = json.dumps(head, sort_keys=True, separators=(",", ":")).encode()
        return packed({HEAD: text, **blobs}) if blobs else text


class _CoupledInput:
    """One input over one batch."""

    def __init__(
        self,
        plan: QueryPlan,
        name: str,
        lanes: Iterable[str],
        state: tuple[Mapping[str, Any], Mapping[str, Blob]] | None,
    ) -> None:
        self.plan: InputPlan = plan.inputs[name]
        read, blobs = (None, {}) if state is None else state
        clocks = LaneClocks if self.plan.over is None else KeyClocks
        self.clocks: ClockSet = clocks(self.plan, lanes, None if read is None else read["clocks"], blobs)
        tallies: Mapping[str, Any] = {} if read is None else read["tallies"]
        self._tallies = {lane: Tally(**tally) for lane, tally in tallies.items()}
        self._sender = InputSender(plan, name, _SPEAKER)
        self._speaks = state is None

    @property
    def failures(self) -> FailureTally:
        """Return where expressions failed in this batch."""
        found = FailureTally()
        found.take(self.clocks.failures)
        found.take(self._sender.failures)
        return found

    def take(self, lane: str, arrived: Arrived) -> pa.Table:
        """Judge and fold one chunk; return its late rows."""
        self._speaks = True
        chunk = self.clocks.judge(lane, arrived)
        # sent before it is counted, as in `LaneFeed`
        watched = NONE
        if self.clocks.table is None:
            watched = self._sender.send(lane, arrived, chunk.judged, chunk.step_row, chunk.step_cti)
        else:
            watched = self._sender.watch(lane, arrived, chunk.judged)
            self._send_versions(self.clocks.table, chunk.step_cti)
        tally = self._tallies.setdefault(lane, Tally())
        late = count_and_list(arrived, chunk.judged, watched, self.plan.advance.late, tally)
        return labelled([late], self.plan.node, lane)

    def beat(self, now: int) -> None:
        """Process the wall clock `now`."""
        self._moved(self.clocks.beat(now))

    def mark_history(self, lanes: Iterable[str] | None) -> None:
        """Let the `lanes` of history count, or those of live."""
        live = [lane for lane in self.clocks.lanes if lane != HISTORY_LANE]
        self._moved(self.clocks.count_only(live if lanes is None else lanes))

    def raise_all(self, cti: int) -> bool:
        """Raise every clock to at least `cti`; return true if that moved the input."""
        return self._moved(self.clocks.raise_all(cti))

    @property
    def reach(self) -> int:
        """Return the largest end of the enqueued rows, NO_CTI if nothing was enqueued."""
        return self._sender.reach

    def envelopes(self) -> list[Envelope]:
        """Return the envelopes: in its first batch, and whenever it received something or its CTI moved."""
        if self.clocks.table is not None:
            self._sender.settle(self.clocks.table.settled_sources())
        return self._sender.envelopes(self.clocks.at, self.clocks.horizon) if self._speaks else []

    def counts(self) -> list[tuple[str, LaneCounts]]:
        """The totals of each lane."""
        found = []
        for lane in self.clocks.lanes:
            seen = self.clocks.seen(lane)
            clock = LaneClockState(
                cti=Tick(self.clocks.at), largest_start=seen.largest_start, cti_suppressed=seen.cti_suppressed
            )
            counts = self._tallies.get(lane, Tally()).totals(clock)
            own = None if seen.cti == NO_CTI else seen.cti
            found.append((lane, replace(counts, own_cti=own, idle=self.clocks.is_idle(lane))))
        return found

    def state(self, blobs: dict[str, Blob]) -> dict[str, Any]:
        """Return the state as JSON values; larger parts go into `blobs`."""
        tallies = {lane: each.to_json() for lane, each in self._tallies.items()}
        return {"clocks": self.clocks.state(blobs), "tallies": tallies}

    def _moved(self, cti: int | None) -> bool:
        if cti is not None:
            self._speaks = True
            if self.clocks.table is None:
                self._sender.step(np.array([cti]))
            else:
                self._send_versions(self.clocks.table, np.array([cti]))
        return cti is not None

    def _send_versions(self, table: StoredTable, ctis: Int64s) -> None:
        """Send the versions that the CTIs of a table make final, then each CTI (T48)."""
        edges, step_row = table.settle(ctis.tolist())
        if edges:
            self._sender.send_versions(edges, step_row, ctis)
        else:
            self._sender.step(ctis)


def _read(state: bytes | None) -> tuple[Mapping[str, Any] | None, Mapping[str, Blob]]:
    if state is None:
        return None, {}
    blobs = unpacked(state)
    read: dict[str, Any] = json.loads(bytes(blobs[HEAD]))
    if read["version"] != _VERSION:
        raise ValueError(f"the state of the feed has version {read['version']}, this program reads version {_VERSION}")
    inputs: Mapping[str, Any] = read["inputs"]
    return inputs, blobs
