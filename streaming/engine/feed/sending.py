"""Judged rows on the branches of an input: folded for a window, or sent on as flows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from streaming.engine.columns.expressions.failure_listener import FailureListener
from streaming.engine.columns.flows import CLOSE, Flags, Flows, Mask
from streaming.engine.columns.folding.admission import AdmittedRows, assign
from streaming.engine.columns.folding.fold import Fold
from streaming.engine.columns.folding.measures import column_of
from streaming.engine.columns.ipc import to_chunk
from streaming.engine.columns.masks import rows_where
from streaming.engine.columns.rows import Rows
from streaming.engine.columns.steps import evaluate_operands, follow, step_times
from streaming.engine.exchange.buckets import bucket_of
from streaming.engine.exchange.cti_chunk import ctis_to_chunk
from streaming.engine.exchange.envelopes import REPORT_SCHEMA, SETTLED, TAKEN, TRAILING, Envelope, EnvelopeKind
from streaming.engine.feed.branches import (
    SOURCE,
    BranchOutbox,
    RowNames,
    VersionNames,
    WatchedNames,
    outbox_of,
    row_names,
)
from streaming.engine.feed.judging.clock import CODE, NO_REASON, NONE, REASON_CODE, Codes, Judgement
from streaming.engine.feed.judging.late import late_rows
from streaming.engine.feed.judging.stored_table import VERSIONS, edges_as_rows
from streaming.engine.feed.judging.watched import WatchedRows, gathered
from streaming.engine.state.plan_cache import once_of_plan
from streaming.planning.plan import QueryPlan
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import Late
from streaming.temporal.ticks import NO_CTI
from streaming.temporal.versions import VersionEdge
from streaming.wire.execution.failures import FailureTally
from streaming.wire.rows.arrived import Arrived, Int64s

_LONGEST = 2**60
"""A longer lifetime counts as endless."""


@dataclass(frozen=True)
class _EnqueuedRows:
    """The rows of a chunk that are enqueued.

    `late_at` has an entry for each row of the chunk: the CTI that a late_kept row met, NO_CTI for others (None: none is
    late_kept). `flag` has one too (None: all are WHOLE).
    """

    rows: Rows
    late_at: Int64s | None
    flag: Flags | None


@dataclass(frozen=True)
class _FoldedChunk:
    """The result of a chunk for the windows that the feed folds for."""

    windows: list[AdmittedRows]

    @property
    def refused(self) -> bool:
        """Return true if one of them refused a row."""
        return any(len(each.closed) or len(each.too_many) for each in self.windows)

    def taken(self, rows: int) -> Mask:
        """Return which of the `rows` of the chunk one of them took."""
        taken = np.zeros(rows, np.bool_)
        for each in self.windows:
            taken[each.rows.sources()] = True
        return taken

    def reasons(self, rows: int) -> Codes:
        """Return the reason of each refused row; too many windows outweighs the other reason (T12)."""
        reason = np.full(rows, NO_REASON, np.int8)
        for each in self.windows:
            reason[each.closed] = REASON_CODE[Reason.WINDOW_CLOSED]
        for each in self.windows:
            reason[each.too_many] = REASON_CODE[Reason.TOO_MANY_WINDOWS]
        return reason


class InputSender:
    """The branches of one input over one batch of the lanes whose CTIs are sent with the name `speaker`.

    `failures`: where expressions failed on the way (T5). `reach` is the largest end of the rows enqueued so far, NO_CTI
    if there are no such rows.
    """

    def __init__(self, plan: QueryPlan, input_id: str, speaker: str) -> None:
        self._plan = plan
        self._input = plan.inputs[input_id]
        self._speaker = speaker
        self.failures = FailureTally()
        folds = _folds(plan)
        self._sent = [outbox_of(self._input, branch, folds.get(branch.id)) for branch in self._input.branches]
        self._follows = any(sent.fold is None for sent in self._sent)
        self._watched: list[WatchedRows] = []
        self._reports: list[pa.Table] = []
        self.reach: int = NO_CTI

    def send(self, lane: str, arrived: Arrived, judged: Judgement, step_row: Int64s, step_cti: Int64s) -> Int64s:
        """Take the rows of a chunk of `lane` and the CTIs that moved with it, each after its row.

        If the feed folds for all windows, a refusal becomes the outcome of its row in `judged`. Returns the watched
        rows, by index and rising: their outcome is decided after the shuffle (T12).
        """
        admitted = self._admit(arrived, judged)
        folded, trailing = self._fold(admitted, step_row)
        watched = NONE
        if self._follows:
            watched, reasons = self._to_watch(judged, admitted, folded)
            names = WatchedNames(f"{self._input.node}/{lane}", arrived.positions, watched)
            self._follow(self._flows(lane, judged, admitted), names, step_row)
            if len(watched):
                rows = late_rows(arrived, judged, watched, self._input.advance.late)
                self._watched.append(WatchedRows(lane, rows, reasons[watched]))
        elif folded.refused:
            _refuse(judged, folded)
        self.step(step_cti)
        for sent, table in trailing:
            sent.trailing.append(table)
        return watched

    def watch(self, lane: str, arrived: Arrived, judged: Judgement) -> Int64s:
        """Watch the rows of a chunk of `lane` that the table of the input has taken.

        Returns them as `send` does; no row is watched if no version can be in too many windows (T24).
        """
        if self._input.watch_longer is None:
            return NONE
        watched = np.arange(len(judged.outcome)) if judged.kept is None else rows_where(judged.kept)
        if len(watched):
            rows = late_rows(arrived, judged, watched, self._input.advance.late)
            self._watched.append(WatchedRows(lane, rows, np.full(len(watched), NO_REASON, np.int8)))
        return watched

    def send_versions(self, edges: Sequence[VersionEdge], step_row: Int64s, step_cti: Int64s) -> None:
        """Take the edges that CTIs made final in the table of the input, and these CTIs, each after its edge (T48).

        A window's refusal, or acceptance, concerns the received row that changed the version.
        """
        arrived, judged = edges_as_rows(edges, self._input.fields)
        admitted = self._admit(arrived, judged)
        folded, _ = self._fold(admitted, step_row)
        names = VersionNames(pa.array([edge.source for edge in edges], pa.string()))
        if self._follows:
            self._follow(self._flows(VERSIONS, judged, admitted), names, step_row)
        self._report(names.of(rows_where(folded.taken(len(edges)))), TAKEN)
        self._report(names.of(rows_where(folded.reasons(len(edges)) != NO_REASON)), str(Reason.TOO_MANY_WINDOWS))
        self.step(step_cti)

    def settle(self, sources: Sequence[str]) -> None:
        """Report the watched rows that have no further versions."""
        self._report(pa.array(sources, pa.string()), SETTLED)

    def step(self, ctis: Int64s) -> None:
        """Add CTIs that moved after all rows so far."""
        for sent in self._sent:
            sent.step(ctis)

    def envelopes(self, cti: int, horizon: int) -> list[Envelope]:
        """Return all envelopes, the CTIs to every bucket; `cti` is the last, `horizon` the largest finite time seen."""
        chunks: list[tuple[int, EnvelopeKind, bytes]] = []
        named: dict[int, list[pa.Array]] = {}
        for sent in self._sent:
            chunks.extend(self._chunks(sent, named))
        if self._reports:
            chunks.append((0, "reports", to_chunk(pa.concat_tables(self._reports))))
        if self._watched:
            tables = gathered(self._watched, self._input.node, named)
            chunks.extend((bucket, "watched", to_chunk(table)) for bucket, table in tables)
        ctis = ctis_to_chunk([np.concatenate([NONE, *each.ctis]) for each in self._sent], horizon)
        chunks.extend((bucket, "ctis", ctis) for bucket in range(self._plan.buckets))
        return [
            Envelope(bucket, self._input.node, self._speaker, seq, cti, kind, chunk)
            for seq, (bucket, kind, chunk) in enumerate(chunks)
        ]

    def _admit(self, arrived: Arrived, judged: Judgement) -> _EnqueuedRows:
        admitted = _admitted(arrived, judged, self._input.advance.late)
        if len(admitted.rows.end):
            self.reach = max(self.reach, int(admitted.rows.end.max()))
        return admitted

    def _follow(self, flows: Flows, names: RowNames, step_row: Int64s) -> None:
        for sent in self._sent:
            if sent.fold is None:
                sent.follow(flows, names, step_row, self.failures)

    def _report(self, sources: pa.Array | None, report: str) -> None:
        named = [] if sources is None else sorted(set(sources.drop_null().to_pylist()))
        if named:
            self._reports.append(pa.table([named, [report] * len(named)], schema=REPORT_SCHEMA))

    def _fold(
        self, admitted: _EnqueuedRows, step_row: Int64s
    ) -> tuple[_FoldedChunk, list[tuple[BranchOutbox, pa.Table]]]:
        """Fold for the windows that the feed folds for; separately fold late rows after the last CTI of the chunk."""
        folded = _FoldedChunk([])
        trailing: list[tuple[BranchOutbox, pa.Table]] = []
        for sent in self._sent:
            if sent.fold is None:
                continue
            late_at = None if admitted.late_at is None else step_times(sent.branch.steps, admitted.late_at)
            rows = follow(_starting(admitted), sent.branch.steps, self.failures)
            taken = assign(sent.fold.panes, rows, late_at, points=sent.points, grace=sent.fold.spec.grace)
            folded.windows.append(taken)
            listener = FailureListener(self.failures, sent.fold.spec.node) if sent.fold.operands else None
            if sent.fold.spec.tells_complete and late_at is not None:
                taken, behind = _split_trailing(taken, late_at, step_row)
                if len(behind.rows):
                    trailing.append((sent, sent.fold.rows(behind.rows, behind.first, behind.last, listener)))
            if len(taken.rows):
                sent.tables.append(sent.fold.rows(taken.rows, taken.first, taken.last, listener))
            if listener is not None and len(folded.windows[-1].rows) < len(rows):
                refused = rows.pick(~np.isin(rows.sources(), folded.windows[-1].rows.sources()))
                evaluate_operands(refused, sent.fold.operands, listener)
        return folded, trailing

    def _to_watch(self, judged: Judgement, admitted: _EnqueuedRows, folded: _FoldedChunk) -> tuple[Int64s, Codes]:
        """Return the rows whose outcome is decided after the shuffle, and the reasons of the windows here (T12, T24).

        These are rows that are late_kept or may be in too many windows, and those that a window here refused, except
        rows that a window here took.
        """
        rows = len(judged.outcome)
        found = np.zeros(rows, np.bool_)
        if self._plan.watched and admitted.late_at is not None:
            found |= admitted.late_at != NO_CTI
        if self._input.watch_longer is not None:
            longest = min(self._input.watch_longer, _LONGEST)
            long = admitted.rows.end > admitted.rows.start + longest
            found[admitted.rows.sources()[long]] = True
        if not folded.refused and not found.any():
            return NONE, np.empty(0, np.int8)
        reasons = folded.reasons(rows)
        found |= reasons != NO_REASON
        return rows_where(found & ~folded.taken(rows)), reasons

    def _flows(self, lane: str, judged: Judgement, admitted: _EnqueuedRows) -> Flows:
        """Return the enqueued rows as flows, whose `source` is the index in the chunk for now."""
        rows, flag, ids = admitted.rows, None, None
        picked = rows.sources()
        if judged.rowwise is not None and admitted.flag is not None:
            flag = judged.rowwise.flag[picked]
            ids = row_names(f"{self._input.node}/{lane}", judged.rowwise.opened[picked])
        return Flows(
            start=rows.start,
            end=rows.end,
            columns={name: rows.field(name) for name in rows.columns},
            flag=flag,
            id=ids,
            late_at=None if admitted.late_at is None else admitted.late_at[picked],
            stamp=rows.start if self._plan.stamps else None,
            source=pa.array(picked),
        )

    def _chunks(
        self, sent: BranchOutbox, named: dict[int, list[pa.Array]]
    ) -> Iterator[tuple[int, EnvelopeKind, bytes]]:
        """Yield the partials or the events of a branch by bucket.

        Collect in `named` the sources that go to each bucket.
        """
        kind: EnvelopeKind = "events" if sent.fold is None else "partials"
        for table, trailing in sent.parts(self._plan):
            metadata = {"branch": sent.branch.id} | ({TRAILING: "yes"} if trailing else {})
            for bucket, part in self._parted(sent, table):
                if SOURCE in part.column_names:
                    named.setdefault(bucket, []).append(part.column(SOURCE))
                yield bucket, kind, to_chunk(part, metadata)

    def _parted(self, sent: BranchOutbox, table: pa.Table) -> Iterator[tuple[int, pa.Table]]:
        """Yield `table` by the buckets of its rows; rows without keys match nothing and all go to the first."""
        if self._plan.buckets == 1 or not sent.branch.keys:
            yield 0, table
            return
        buckets = bucket_of([column_of(table, key) for key in sent.keys], table.num_rows, self._plan.buckets)
        for number in range(self._plan.buckets):
            rows = rows_where(buckets == number)
            if len(rows):
                yield number, table.take(pa.array(rows))


@once_of_plan
def _folds(plan: QueryPlan) -> Mapping[str, Fold]:
    """The folds of the windows for which the feed folds, by branch."""
    branches = (branch for each in plan.inputs.values() for branch in each.branches)
    return {branch.id: Fold(branch.window) for branch in branches if branch.window is not None}


def _split_trailing(taken: AdmittedRows, late_at: Int64s, step_row: Int64s) -> tuple[AdmittedRows, AdmittedRows]:
    """Split `taken`: late rows that none of the CTIs after `step_row` follows are separate."""
    sources = taken.rows.sources()
    behind = (late_at[sources] != NO_CTI) & (np.searchsorted(step_row, sources) == len(step_row))
    if not behind.any():
        return taken, replace(taken, rows=taken.rows.pick(behind), first=NONE, last=NONE)
    before, after = (
        replace(taken, rows=taken.rows.pick(chosen), first=taken.first[chosen], last=taken.last[chosen])
        for chosen in (~behind, behind)
    )
    return before, after


def _admitted(arrived: Arrived, judged: Judgement, late: Late) -> _EnqueuedRows:
    columns = dict(zip(arrived.payload.schema.names, arrived.payload.columns, strict=True))
    kept = None if judged.kept is None or judged.kept.all() else rows_where(judged.kept)
    start = judged.start if kept is None else judged.start[kept]
    end = judged.end if kept is None else judged.end[kept]
    flag = judged.rowwise.flag if judged.rowwise is not None and judged.rowwise.flag.any() else None
    return _EnqueuedRows(Rows(columns, kept, start, end, kept), _late_at(judged, late), flag)


def _late_at(judged: Judgement, late: Late) -> Int64s | None:
    """For late_kept rows the CTI that they met, NO_CTI for all others."""
    if late is not Late.KEEP or not len(judged.violated):
        return None
    rows = judged.violated[judged.outcome[judged.violated] == CODE[Outcome.LATE_KEPT]]
    late_at = np.full(len(judged.outcome), NO_CTI)
    late_at[rows] = judged.cti_met[rows]
    return late_at


def _starting(admitted: _EnqueuedRows) -> Rows:
    """Return the rows without edge ends: windows that the feed folds for follow a set_duration, which ignores ends."""
    if admitted.flag is None:
        return admitted.rows
    return admitted.rows.pick(admitted.flag[admitted.rows.sources()] != CLOSE)


def _refuse(judged: Judgement, folded: _FoldedChunk) -> None:
    """Set the refusal as the outcome of rows that windows refused and that no window took (T12, T24)."""
    rows = len(judged.outcome)
    reasons = folded.reasons(rows)
    reasons[folded.taken(rows)] = NO_REASON
    judged.outcome[reasons == REASON_CODE[Reason.WINDOW_CLOSED]] = CODE[Outcome.DROPPED_WINDOW_CLOSED]
    judged.outcome[reasons == REASON_CODE[Reason.TOO_MANY_WINDOWS]] = CODE[Outcome.MALFORMED]
