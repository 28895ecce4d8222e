"""Histories through the feeds of the engine, with chunks of any size, and states pickled between batches."""

from collections import defaultdict
from collections.abc import Sequence

import pyarrow as pa

from streaming.engine.columns.flows import Flows
from streaming.engine.columns.ipc import from_bytes
from streaming.engine.exchange.cti_chunk import ctis_of_chunk
from streaming.engine.exchange.envelopes import Envelope, LaneCounts
from streaming.engine.feed.branches import STEP
from streaming.engine.feed.coupled_lanes import CoupledFeed
from streaming.engine.feed.lane_feed import LaneFeed
from streaming.planning.plan import QueryPlan
from streaming.wire.rows.arrived import Arrived
from streaming.wire.rows.arrived_rows import JudgedRow, arrived_of
from tests.engine.feed.histories import Entry, History, HistoryElement, Log, plan_of, stretches


class EngineFeeds:
    """One run of a history; `cuts` are the sizes of chunks, in turn."""

    def __init__(self, history: History, cuts: Sequence[int], *, together: bool) -> None:
        self._history = history
        self._cuts = [*cuts, 1_000]
        self._plan: QueryPlan = plan_of(history, together=together)
        self._positions: dict[tuple[str, str], int] = defaultdict(int)
        self._state: bytes | None = None
        self._lanes: dict[str, bytes | None] = dict.fromkeys(history.streams)
        self.log = Log()

    def run(self) -> Log:
        """Run the whole history; its ends are a separate batch."""
        for batch in [*self._history.batches, None]:
            ending = self._history.ending if batch is None else frozenset()
            if batch is None and not ending:
                continue
            if self._plan.together:
                self._together(batch or (), ending)
            else:
                self._apart(batch or (), ending)
        return self.log

    def _together(self, batch: Sequence[HistoryElement], ending: frozenset[str]) -> None:
        lanes = {name: stream.lanes or ["0"] for name, stream in self._history.streams.items()}
        feed = CoupledFeed(self._plan, self._state, lanes)
        for stretch in stretches(batch):
            first = stretch[0]
            if first.lane is None:
                feed.beat(first.at or 0, first.input)
                continue
            for chunk in self._chunks(stretch):
                feed.take(first.input, first.lane, chunk)
        turn = feed.finish(ending, stop=self._history.stop and bool(ending))
        self._state = turn.state
        for lane, counts in turn.counts.items():
            self._count(lane, counts)
        self._heard(turn.envelopes, turn.late)

    def _apart(self, batch: Sequence[HistoryElement], ending: frozenset[str]) -> None:
        for name in self._history.streams:
            feed = LaneFeed(self._plan, name, "0", self._lanes[name])
            for chunk in self._chunks([heard for heard in batch if heard.input == name and heard.lane is not None]):
                feed.take(chunk)
            turn = feed.finish(end=name in ending)
            self._lanes[name] = turn.state
            self._count((name, "0"), turn.counts)
            self._heard(turn.envelopes, turn.late)

    def _chunks(self, rows: Sequence[HistoryElement]) -> list[Arrived]:
        found = []
        left = list(rows)
        while left:
            length = max(1, self._cuts[0])
            self._cuts = [*self._cuts[1:], self._cuts[0]]
            found.append(self._chunk(left[:length]))
            left = left[length:]
        return found

    def _chunk(self, rows: Sequence[HistoryElement]) -> Arrived:
        judged = []
        for heard in rows:
            lane = (heard.input, str(heard.lane))
            if heard.element is not None:
                judged.append(JudgedRow(self._positions[lane], heard.element, heard.raw, heard.at))
            self._positions[lane] += 1
        return arrived_of(judged, self._history.streams[rows[0].input])

    def _count(self, lane: tuple[str, str], counts: LaneCounts) -> None:
        if counts.outcomes:
            self.log.counts[lane] = dict(counts.outcomes)
        assert counts.received == sum(counts.outcomes.values())
        self.log.suppressed[lane] = counts.cti_suppressed

    def _heard(self, envelopes: Sequence[Envelope], late: pa.Table) -> None:
        for row in late.to_pylist():
            late_row = [row[name] for name in late.column_names if name not in ("input", "lane", "policy")]
            self.log.late.setdefault((row["input"], row["lane"]), []).append(tuple(late_row))
        for name in self._history.streams:
            own = [each for each in envelopes if each.input == name]
            rows = [row for each in own if each.kind == "events" for row in rows_of(each)]
            for each in own:
                if each.kind == "ctis":
                    (ctis,), self.log.horizons[name] = ctis_of_chunk(each.chunk)
                    self.log.events[name].extend(woven(rows, ctis.tolist()))
            tables = [from_bytes(each.chunk) for each in own if each.kind == "watched"]
            watched = [source for table in tables for source in table.column("source").to_pylist()]
            assert watched == [row[1][6] for row in rows if row[1][6] is not None]


def rows_of(envelope: Envelope) -> list[tuple[int, Entry]]:
    """Return the number of CTIs before each row, and the row."""
    table = from_bytes(envelope.chunk).replace_schema_metadata(None)
    steps = table.column(STEP).to_pylist()
    flows = Flows.of_table(table.drop_columns([STEP]))
    payloads = pa.table(flows.columns).to_pylist()
    sources = [None] * len(flows) if flows.source is None else flows.source.to_pylist()
    columns = (flows.start, flows.end, flows.flags, flows.lates, flows.stamps)
    found = []
    for index, (start, end, flag, late_at, stamp) in enumerate(zip(*(each.tolist() for each in columns), strict=True)):
        name = flows.ids[index].as_py()
        found.append((steps[index], (start, end, flag, name, late_at, stamp, sources[index], payloads[index])))
    return found


def woven(rows: Sequence[tuple[int, Entry]], ctis: Sequence[int]) -> list[Entry]:
    """Return rows and CTIs in the order in which they left."""
    found: list[Entry] = []
    for number, cti in enumerate(ctis):
        found += [row for step, row in rows if step == number]
        found.append(("cti", cti))
    return found + [row for step, row in rows if step >= len(ctis)]
