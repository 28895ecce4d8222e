"""One lane of one input over one batch: clock, late policy, quarantine, expressions, and the fold of slices."""

from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from streaming.engine.admit import NONE, Indices, assign
from streaming.engine.buckets import bucket_of
from streaming.engine.clock import CODE, Judgement, judge
from streaming.engine.envelopes import Envelope, EnvelopeKind, FeedTurn
from streaming.engine.fold import Fold
from streaming.engine.ipc import to_bytes
from streaming.engine.late import exceptional, labelled, late_rows
from streaming.engine.measures import column_of
from streaming.engine.plan import Branch, Plan
from streaming.engine.rows import Rows, follow, payload
from streaming.engine.tally import load, save
from streaming.temporal.events import Shape
from streaming.temporal.outcomes import Outcome
from streaming.temporal.settings import Late
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.arrived import Arrived, Int64s
from streaming.wire.arrow_types import arrow_schema

LIFETIME = ("@start", "@end")
"""The first two columns of events; no field can have such a name."""


@dataclass
class _Sent:
    """What one branch has to send at the end of the batch: partials or events, and its CTIs."""

    branch: Branch
    fold: Fold | None
    tables: list[pa.Table] = field(default_factory=list)
    ctis: list[Int64s] = field(default_factory=list)

    def step(self, ctis: Int64s) -> None:
        """Note the lane's CTIs as the branch sees them."""
        self.ctis.append(ctis if self.fold is None else self.fold.panes.output_ctis(ctis))


@dataclass(frozen=True)
class _Went:
    """What a branch did with the rows of a chunk, by index in the chunk."""

    rows: Rows
    closed: Indices = field(default_factory=lambda: NONE)
    too_many: Indices = field(default_factory=lambda: NONE)


class LaneFeed:
    """Takes the chunks of one lane of one batch in arrival order and folds them.

    `state` is what the lane's feed returned for the batch before, None for its first batch. One object serves one
    batch; `take` any number of times, then `finish` once. A lane that appears later than the first batch of its input
    starts at the input's CTI, `joining` (T14).
    """

    def __init__(self, plan: Plan, input_id: str, lane: str, state: bytes | None, joining: int = NO_CTI) -> None:
        self._input = plan.inputs[input_id]
        self._buckets = plan.buckets
        self._lane = lane
        self._clock, self._tally = load(state)
        if state is None and joining != NO_CTI:
            self._clock = replace(self._clock, cti=joining)
        self._speaks = state is None
        self._late: list[pa.Table] = []
        self._sent = [
            _Sent(branch, None if branch.window is None else Fold(branch.window)) for branch in self._input.branches
        ]

    def take(self, arrived: Arrived) -> None:
        """Judge and fold one chunk."""
        if not len(arrived.kind):
            return
        self._speaks = True
        judged = judge(self._input.advance, self._clock, arrived.kind, arrived.start, arrived.end)
        self._clock = judged.state
        rows = _admitted(arrived, judged)
        late_at = self._late_at(judged)
        went = [self._send(sent, rows, late_at) for sent in self._sent]
        _refuse(judged, went)
        notable = exceptional(judged.outcome)
        self._tally.count(judged.outcome, judged.outcome[notable])
        if len(notable) or len(judged.lateness):
            self._late.append(late_rows(arrived, judged, notable, self._input.advance.late, self._tally))
        for sent in self._sent:
            sent.step(judged.step_cti)

    def finish(self, *, end: bool) -> FeedTurn:
        """The turn of this batch; `end` adds CTI INFINITY after its rows. Same input, same bytes.

        A lane speaks, that is sends its CTIs to every bucket, in its first batch and whenever it read or ended
        something; so a lane that is fed from the first batch on holds its input back until it has a CTI.
        """
        if end and self._clock.cti != INFINITY:
            self._clock = replace(self._clock, cti=INFINITY)
            self._speaks = True
            for sent in self._sent:
                sent.step(np.array([INFINITY]))
        return FeedTurn(
            envelopes=self._envelopes() if self._speaks else [],
            state=save(self._clock, self._tally),
            counts=self._tally.totals(self._clock),
            late=labelled(self._late, self._input.node, self._lane),
        )

    def _late_at(self, judged: Judgement) -> Int64s | None:
        """For late_kept rows the CTI that they met, NO_CTI for all others."""
        if self._input.advance.late is not Late.KEEP or not len(judged.violated):
            return None
        late_at = np.full(len(judged.outcome), NO_CTI)
        late_at[judged.violated] = judged.cti_met[judged.violated]
        return late_at

    def _send(self, sent: _Sent, rows: Rows, late_at: Int64s | None) -> _Went:
        rows = follow(rows, sent.branch.steps)
        if sent.fold is None:
            sent.tables.append(events_of(sent.branch, rows))
            return _Went(rows)
        taken = assign(sent.fold.panes, rows, late_at, points=self._input.shape is Shape.POINT)
        if len(taken.rows):
            sent.tables.append(sent.fold.rows(taken.rows, taken.first, taken.last))
        return _Went(taken.rows, taken.closed, taken.too_many)

    def _envelopes(self) -> list[Envelope]:
        chunks: list[tuple[int, EnvelopeKind, bytes]] = []
        for sent in self._sent:
            chunks.extend(self._chunks(sent))
        ctis = _cti_table(self._sent)
        chunks.extend((bucket, "ctis", ctis) for bucket in range(self._buckets))
        return [
            Envelope(bucket, self._input.node, self._lane, seq, self._clock.cti, kind, chunk)
            for seq, (bucket, kind, chunk) in enumerate(chunks)
        ]

    def _chunks(self, sent: _Sent) -> list[tuple[int, EnvelopeKind, bytes]]:
        """The branch's partials by bucket, or its events, which need no state and all go to the first bucket."""
        tables = [table for table in sent.tables if table.num_rows]
        if not tables:
            return []
        metadata = {"branch": sent.branch.id}
        if sent.fold is None:
            return [(0, "events", to_bytes(pa.concat_tables(tables), metadata))]
        table = tables[0] if len(tables) == 1 else sent.fold.merge(sent.fold.join(tables))
        if self._buckets == 1:
            return [(0, "partials", to_bytes(table, metadata))]
        keys = [column_of(table, key) for key in sent.fold.keys]
        bucket = bucket_of(keys, table.num_rows, self._buckets)
        parts = ((number, np.flatnonzero(bucket == number)) for number in range(self._buckets))
        return [
            (number, "partials", to_bytes(table.take(pa.array(rows)), metadata)) for number, rows in parts if len(rows)
        ]


def _admitted(arrived: Arrived, judged: Judgement) -> Rows:
    columns = dict(zip(arrived.payload.schema.names, arrived.payload.columns, strict=True))
    if judged.kept is None or judged.kept.all():
        return Rows(columns, None, judged.start, judged.end, None)
    kept = np.flatnonzero(judged.kept)
    return Rows(columns, kept, judged.start[kept], judged.end[kept], kept)


def events_of(branch: Branch, rows: Rows) -> pa.Table:
    """Lifetimes and payloads of `rows` as they leave the branch."""
    schema = arrow_schema(branch.fields)
    lifetime = [pa.field(name, pa.int64()) for name in LIFETIME]
    columns = [pa.array(rows.start), pa.array(rows.end), *payload(rows, schema.names)]
    return pa.table(columns, schema=pa.schema([*lifetime, *schema]))


def _refuse(judged: Judgement, went: list[_Went]) -> None:
    """Rows that windows refused and that no branch took get the refusal as their outcome (T12, T24)."""
    closed = np.concatenate([NONE, *(each.closed for each in went)])
    too_many = np.concatenate([NONE, *(each.too_many for each in went)])
    if not len(closed) and not len(too_many):
        return
    taken = np.zeros(len(judged.outcome), np.bool_)
    for each in went:
        taken[each.rows.sources()] = True
    judged.outcome[closed[~taken[closed]]] = CODE[Outcome.DROPPED_WINDOW_CLOSED]
    judged.outcome[too_many[~taken[too_many]]] = CODE[Outcome.MALFORMED]


def _cti_table(sent: list[_Sent]) -> bytes:
    ctis = [np.concatenate([NONE, *each.ctis]) for each in sent]
    branch = np.repeat(np.arange(len(sent), dtype=np.int16), [len(each) for each in ctis])
    return to_bytes(pa.table({"branch": branch, "cti": np.concatenate([NONE, *ctis])}))
