"""The rows that the user must hear of: changed, dropped or malformed, with the whole original row (T13)."""

import numpy as np
import pyarrow as pa

from streaming.engine.clock import CODE, OUTCOMES, Codes, Judgement
from streaming.engine.envelopes import LATE_SCHEMA
from streaming.engine.tally import Tally
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import Late
from streaming.temporal.ticks import NO_CTI
from streaming.wire.arrived import Arrived, Int64s

_MOVED = (Outcome.ADJUSTED, Outcome.SHIFTED)
_BY_OUTCOME = {
    Outcome.DROPPED_LATE: Reason.BEFORE_CTI,
    Outcome.DROPPED_WINDOW_CLOSED: Reason.WINDOW_CLOSED,
    Outcome.MALFORMED: Reason.TOO_MANY_WINDOWS,
}


def exceptional(outcome: Codes) -> Int64s:
    """The rows, by index, whose outcome is neither on_time nor reordered (codes 0 and 1; CTI rows are below)."""
    return np.flatnonzero(outcome > CODE[Outcome.REORDERED])


def late_rows(arrived: Arrived, judged: Judgement, rows: Int64s, late: Late, tally: Tally) -> pa.Table:
    """LATE_SCHEMA without `input` and `lane`, for `rows` by index; their reasons and lateness go to `tally`."""
    tally.delayed(judged.lateness)
    lateness = dict(zip(judged.violated.tolist(), judged.lateness.tolist(), strict=True))
    after_end = set(judged.after_end.tolist())
    records = []
    raw = arrived.raw(rows.tolist()) if len(rows) else []
    for row, text in zip(rows.tolist(), raw, strict=True):
        outcome = OUTCOMES[judged.outcome[row]]
        malformed = arrived.malformed.get(row)
        reason = Reason.AFTER_END if row in after_end else malformed or _BY_OUTCOME.get(outcome)
        if reason is not None:
            tally.explain(reason)
        met = int(judged.cti_met[row])
        records.append(
            {
                "position": int(arrived.positions[row]),
                "start": None if malformed else int(arrived.start[row]),
                "end": None if malformed else int(arrived.end[row]),
                "cti": None if met == NO_CTI else met,
                "outcome": str(outcome),
                "reason": reason and str(reason),
                "policy": str(late),
                "moved_by": lateness.get(row) if outcome in _MOVED else None,
                "raw": text,
            }
        )
    return pa.Table.from_pylist(records, schema=_CHUNK_SCHEMA)


_CHUNK_SCHEMA = pa.schema([field for field in LATE_SCHEMA if field.name not in ("input", "lane")])


def labelled(tables: list[pa.Table], input_id: str, lane: str) -> pa.Table:
    """The late rows of a batch in one table, with LATE_SCHEMA."""
    if not tables:
        return LATE_SCHEMA.empty_table()
    rows = pa.concat_tables([_CHUNK_SCHEMA.empty_table(), *tables]).combine_chunks()
    names = [pa.repeat(pa.scalar(text), rows.num_rows) for text in (input_id, lane)]
    return pa.table([*names, *rows.columns], schema=LATE_SCHEMA)
