"""The rows that are reported to the user: changed, dropped or malformed, with the whole original row (T13)."""

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.engine.columns.masks import rows_where
from streaming.engine.exchange.envelopes import LATE_SCHEMA
from streaming.engine.feed.judging.clock import CODE, NO_REASON, NONE, OUTCOMES, REASON_CODE, REASONS, Codes, Judgement
from streaming.engine.feed.judging.tally import Tally
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import Late
from streaming.temporal.ticks import NO_CTI
from streaming.wire.measures import Measures
from streaming.wire.rows.arrived import Arrived, Int64s, RowKind

_BY_OUTCOME: Final = {
    Outcome.DROPPED_LATE: Reason.BEFORE_CTI,
    Outcome.DROPPED_EARLY: Reason.FUTURE,
    Outcome.DROPPED_WINDOW_CLOSED: Reason.WINDOW_CLOSED,
    Outcome.MALFORMED: Reason.TOO_MANY_WINDOWS,
}
_REASON_OF: Final = np.array(
    [REASON_CODE[_BY_OUTCOME[each]] if each in _BY_OUTCOME else NO_REASON for each in OUTCOMES], dtype=np.int8
)
_IS_MOVED: Final = np.array([each in (Outcome.ADJUSTED, Outcome.SHIFTED) for each in OUTCOMES])
"""By code of an outcome."""
_OUTCOME_TEXTS: Final = pa.array([str(each) for each in OUTCOMES])
_REASON_TEXTS: Final = pa.array([str(each) for each in REASONS])
_EDGE_TEXTS: Final = pa.array(["start", "end"])
CHUNK_SCHEMA: Final = pa.schema([field for field in LATE_SCHEMA if field.name not in ("input", "lane")])
"""LATE_SCHEMA without `input` and `lane`."""
_NO_ROWS: Final = CHUNK_SCHEMA.empty_table()


def exceptional(outcome: Codes) -> Int64s:
    """Return the rows, by index, whose outcome is neither on_time nor reordered (codes 0 and 1; CTI rows are below)."""
    return rows_where(outcome > CODE[Outcome.REORDERED])


def explain(arrived: Arrived, judged: Judgement, rows: Int64s, tally: Tally) -> None:
    """Count the lateness of a chunk, and the reasons of its exceptional `rows`; measure all."""
    tally.delayed(judged.lateness)
    sizes = NONE
    if len(rows):
        moved = _IS_MOVED[judged.outcome[rows]]
        sizes = _moved_by(judged, rows, moved)[moved] if moved.any() else NONE
    last = None if arrived.arrival is None else int(arrived.arrival.max(initial=NO_CTI))
    measured = Measures.of(judged.behind, judged.lateness, sizes, _transport(arrived), None if last == NO_CTI else last)
    tally.measured = measured if tally.measured is None else tally.measured.plus(measured)
    if len(rows):
        reason = _reasons(arrived, judged, rows)
        for code in np.unique(reason[reason != NO_REASON]).tolist():
            tally.explain(REASONS[code], int(np.count_nonzero(reason == code)))


def _transport(arrived: Arrived) -> Int64s:
    """Return how long after its start each event with a known arrival arrived."""
    if arrived.arrival is None:
        return NONE
    arrival, start = arrived.arrival, arrived.start
    if arrived.kind.any() or not len(start) or arrival.min() == NO_CTI:  # RowKind.INSERT is 0: only events
        known = (arrived.kind == RowKind.INSERT) | (arrived.kind == RowKind.EDGE_START)
        known &= arrival != NO_CTI
        arrival, start = arrival[known], start[known]
    took: Int64s = arrival - start
    return np.maximum(took, 0, out=took)


def late_rows(arrived: Arrived, judged: Judgement, rows: Int64s, late: Late) -> pa.Table:
    """CHUNK_SCHEMA for `rows` of a chunk by index, rising."""
    if not len(rows):
        return _NO_ROWS
    outcome = judged.outcome[rows]
    reason = _reasons(arrived, judged, rows)
    malformed = arrived.kind[rows] == RowKind.MALFORMED
    malformed |= (arrived.kind[rows] == RowKind.OVERLAP) & (arrived.start[rows] == NO_CTI)
    met = judged.cti_met[rows]
    moved = _IS_MOVED[outcome]
    columns = {
        "position": pa.array(arrived.positions[rows]),
        "start": pa.array(arrived.start[rows], mask=malformed),
        "end": pa.array(arrived.end[rows], mask=malformed),
        "cti": pa.array(met, mask=met == NO_CTI),
        "outcome": _OUTCOME_TEXTS.take(pa.array(outcome)),
        "reason": _REASON_TEXTS.take(pa.array(reason, mask=reason == NO_REASON)),
        "policy": pa.repeat(pa.scalar(str(late)), len(rows)),
        "moved_by": pa.array(_moved_by(judged, rows, moved), mask=~moved),
        "raw": _unicode(arrived.raw(rows.tolist())),
        "edge": _edges(arrived.kind[rows]),
    }
    return pa.table([columns[name] for name in CHUNK_SCHEMA.names], schema=CHUNK_SCHEMA)


def _unicode(raws: list[str]) -> pa.Array:
    """Return raw rows in a form that Arrow can store.

    Half of a surrogate pair is escaped, because it can't be written.
    """
    try:
        return pa.array(raws, pa.string())
    except UnicodeEncodeError:
        return pa.array([raw.encode(errors="backslashreplace").decode() for raw in raws], pa.string())


def _edges(kind: Codes) -> pa.Array:
    edges = (kind == RowKind.EDGE_START) | (kind == RowKind.EDGE_END)
    return _EDGE_TEXTS.take(pa.array((kind == RowKind.EDGE_END).astype(np.int8), mask=~edges))


def _moved_by(judged: Judgement, rows: Int64s, moved: npt.NDArray[np.bool_]) -> Int64s:
    """Return how far each row was moved; columns move a late row by its lateness."""
    if judged.rowwise is not None:
        return judged.rowwise.moved_by[rows]
    found = np.zeros(len(rows), np.int64)
    found[moved] = judged.lateness[np.searchsorted(judged.violated, rows[moved])]
    return found


def _reasons(arrived: Arrived, judged: Judgement, rows: Int64s) -> Codes:
    """The code of each row's reason."""
    reason: Codes = _REASON_OF[judged.outcome[rows]]
    if judged.rowwise is not None:
        own = judged.rowwise.reason[rows]
        return np.where(own == NO_REASON, reason, own)
    malformed = rows_where(arrived.kind[rows] == RowKind.MALFORMED)
    reason[malformed] = [REASON_CODE[arrived.malformed[row]] for row in rows[malformed].tolist()]
    reason[np.isin(rows, judged.after_end)] = REASON_CODE[Reason.AFTER_END]
    return reason


_NOBODY: Final = LATE_SCHEMA.empty_table()


def labelled(tables: list[pa.Table], input_id: str, lane: str) -> pa.Table:
    """The late rows of a batch in one table, with LATE_SCHEMA."""
    if not any(table.num_rows for table in tables):
        return _NOBODY
    rows = pa.concat_tables([_NO_ROWS, *tables]).combine_chunks()
    names = [pa.repeat(pa.scalar(text), rows.num_rows) for text in (input_id, lane)]
    return pa.table([*names, *rows.columns], schema=LATE_SCHEMA)


def count_and_list(arrived: Arrived, judged: Judgement, watched: Int64s, late: Late, tally: Tally) -> pa.Table:
    """Count the rows of a chunk, and return the late ones, without those that are `watched` (CHUNK_SCHEMA)."""
    notable = exceptional(judged.outcome)
    tally.count(judged.outcome, judged.outcome[notable])
    explain(arrived, judged, notable, tally)
    return late_rows(arrived, judged, np.setdiff1d(notable, watched) if len(watched) else notable, late)
