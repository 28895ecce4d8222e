"""The rows that the user must hear of: changed, dropped or malformed, with the whole original row (T13)."""

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.engine.clock import CODE, OUTCOMES, Codes, Judgement
from streaming.engine.envelopes import LATE_SCHEMA
from streaming.engine.tally import Tally
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import Late
from streaming.temporal.ticks import NO_CTI
from streaming.wire.arrived import Arrived, Int64s

_REASONS: Final = tuple(Reason)
_REASON_CODE: Final = {reason: code for code, reason in enumerate(_REASONS)}
_NO_REASON: Final = -1
_BY_OUTCOME: Final = {
    Outcome.DROPPED_LATE: Reason.BEFORE_CTI,
    Outcome.DROPPED_WINDOW_CLOSED: Reason.WINDOW_CLOSED,
    Outcome.MALFORMED: Reason.TOO_MANY_WINDOWS,
}
_REASON_OF: Final = np.array(
    [_REASON_CODE[_BY_OUTCOME[each]] if each in _BY_OUTCOME else _NO_REASON for each in OUTCOMES], dtype=np.int8
)
_MOVED: Final = np.array([CODE[Outcome.ADJUSTED], CODE[Outcome.SHIFTED]], dtype=np.int8)
_OUTCOME_TEXTS: Final = pa.array([str(each) for each in OUTCOMES])
_REASON_TEXTS: Final = pa.array([str(each) for each in _REASONS])
_CHUNK_SCHEMA = pa.schema([field for field in LATE_SCHEMA if field.name not in ("input", "lane")])


def exceptional(outcome: Codes) -> Int64s:
    """The rows, by index, whose outcome is neither on_time nor reordered (codes 0 and 1; CTI rows are below)."""
    return np.flatnonzero(outcome > CODE[Outcome.REORDERED])


def late_rows(arrived: Arrived, judged: Judgement, rows: Int64s, late: Late, tally: Tally) -> pa.Table:
    """LATE_SCHEMA without `input` and `lane`, for `rows` by index; their reasons and lateness go to `tally`.

    `rows` ascend and are all the exceptional rows of the chunk, so they include every malformed and after-end row.
    """
    tally.delayed(judged.lateness)
    if not len(rows):
        return _CHUNK_SCHEMA.empty_table()
    outcome = judged.outcome[rows]
    malformed = np.zeros(len(rows), dtype=np.bool_)
    reason = _reasons(arrived, judged, rows, outcome, malformed)
    for code in np.unique(reason[reason != _NO_REASON]).tolist():
        tally.explain(_REASONS[code], int(np.count_nonzero(reason == code)))
    met = judged.cti_met[rows]
    moved = np.isin(outcome, _MOVED)
    moved_by = np.zeros(len(rows), dtype=np.int64)
    moved_by[moved] = judged.lateness[np.searchsorted(judged.violated, rows[moved])]
    columns = {
        "position": pa.array(arrived.positions[rows]),
        "start": pa.array(arrived.start[rows], mask=malformed),
        "end": pa.array(arrived.end[rows], mask=malformed),
        "cti": pa.array(met, mask=met == NO_CTI),
        "outcome": _OUTCOME_TEXTS.take(pa.array(outcome)),
        "reason": _REASON_TEXTS.take(pa.array(reason, mask=reason == _NO_REASON)),
        "policy": pa.repeat(pa.scalar(str(late)), len(rows)),
        "moved_by": pa.array(moved_by, mask=~moved),
        "raw": pa.array(arrived.raw(rows.tolist()), pa.string()),
    }
    return pa.table([columns[name] for name in _CHUNK_SCHEMA.names], schema=_CHUNK_SCHEMA)


def _reasons(
    arrived: Arrived, judged: Judgement, rows: Int64s, outcome: Codes, malformed: npt.NDArray[np.bool_]
) -> Codes:
    """The code of each row's reason; marks the malformed rows."""
    reason: Codes = _REASON_OF[outcome]
    if arrived.malformed:
        at = np.searchsorted(rows, np.fromiter(arrived.malformed.keys(), dtype=np.int64))
        reason[at] = [_REASON_CODE[each] for each in arrived.malformed.values()]
        malformed[at] = True
    reason[np.searchsorted(rows, judged.after_end)] = _REASON_CODE[Reason.AFTER_END]
    return reason


def labelled(tables: list[pa.Table], input_id: str, lane: str) -> pa.Table:
    """The late rows of a batch in one table, with LATE_SCHEMA."""
    rows = pa.concat_tables([_CHUNK_SCHEMA.empty_table(), *tables]).combine_chunks()
    names = [pa.repeat(pa.scalar(text), rows.num_rows) for text in (input_id, lane)]
    return pa.table([*names, *rows.columns], schema=LATE_SCHEMA)
