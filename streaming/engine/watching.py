"""Received rows whose outcome is decided behind the shuffle: what windows there refused, and what they took (T12)."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from streaming.engine.envelopes import LATE_SCHEMA, WATCHED_SCHEMA, Output
from streaming.engine.ipc import to_bytes
from streaming.engine.ledger import Ledger
from streaming.engine.report import Report
from streaming.temporal.outcomes import Outcome, Reason

_PENDING: Final = "pending"
_OUTCOMES: Final[Mapping[Reason, Outcome]] = {
    Reason.WINDOW_CLOSED: Outcome.DROPPED_WINDOW_CLOSED,
    Reason.TOO_MANY_WINDOWS: Outcome.MALFORMED,
}
_PASSED: Final = (str(Outcome.ON_TIME), str(Outcome.REORDERED))


def settle(ledger: Ledger, shelf_id: str, arrived: Sequence[pa.Table], report: Report) -> list[Output]:
    """Decide what can be decided of the rows watched so far and of those that `arrived` (WATCHED_SCHEMA).

    A row that a node took keeps the clock's outcome. One whose every way has ended, one of them in a refusal, gets the
    outcome of that; WINDOW_CLOSED concerns late_kept rows alone. An open edge that windows have cut off is malformed
    even though they took it before (T24). Late rows leave once, with their last outcome; how many changed leaves as
    totals since the first batch.
    """
    shelf = ledger.shelf(shelf_id)
    known = [shelf.get(_PENDING)] if shelf.head.get("rows") else []
    if not known and not arrived:
        return _totals(ledger)
    rows = pa.concat_tables([*known, *arrived])
    decided: list[int] = []
    waiting: list[int] = []
    for place, row in enumerate(rows.select(["source", "refused", "outcome", "end"]).to_pylist()):
        (waiting if _open(row, report) else decided).append(place)
    refused = [_worst(row, report) for row in rows.select(["source", "refused"]).to_pylist()]
    rows = rows.set_column(rows.column_names.index("refused"), "refused", pa.array(refused, pa.string()))
    left = rows.take(pa.array(waiting, pa.int64())).cast(WATCHED_SCHEMA)
    shelf.head["rows"] = left.num_rows
    if left.num_rows:
        shelf.put(_PENDING, left)
    elif known:
        shelf.drop([_PENDING])
    return _said(ledger, rows.take(pa.array(decided, pa.int64())), report)


def _open(row: Mapping[str, Any], report: Report) -> bool:
    return row["source"] in report.waiting and row["source"] not in report.taken


def _worst(row: Mapping[str, Any], report: Report) -> str | None:
    """The reason of all refusals so far that counts."""
    now = report.refusals.get(row["source"])
    return row["refused"] if now is None or row["refused"] == Reason.TOO_MANY_WINDOWS else str(now)


def _said(ledger: Ledger, decided: pa.Table, report: Report) -> list[Output]:
    outcomes, reasons = decided.column("outcome").to_pylist(), decided.column("reason").to_pylist()
    for place, row in enumerate(decided.select(["source", "refused", "input", "lane", "end"]).to_pylist()):
        reason = row["refused"]
        if reason is None or row["source"] in report.taken:
            continue
        if reason == Reason.WINDOW_CLOSED and outcomes[place] != Outcome.LATE_KEPT:
            continue
        _correct(ledger, row, outcomes[place], Reason(reason))
        outcomes[place], reasons[place] = str(_OUTCOMES[Reason(reason)]), reason
    shown = np.flatnonzero([outcome not in _PASSED for outcome in outcomes])
    changed = decided.set_column(decided.column_names.index("outcome"), "outcome", pa.array(outcomes, pa.string()))
    changed = changed.set_column(changed.column_names.index("reason"), "reason", pa.array(reasons, pa.string()))
    late = changed.select(LATE_SCHEMA.names).take(pa.array(shown)).cast(LATE_SCHEMA)
    return [*([Output("", "late", to_bytes(late))] if late.num_rows else []), *_totals(ledger)]


def _totals(ledger: Ledger) -> list[Output]:
    if not ledger.corrections:
        return []
    return [Output("", "corrections", json.dumps(ledger.corrections, sort_keys=True).encode())]


def _correct(ledger: Ledger, row: Mapping[str, Any], outcome: str, reason: Reason) -> None:
    lane = ledger.corrections.setdefault(row["input"], {}).setdefault(row["lane"], {"outcomes": {}, "reasons": {}})
    for name, change in ((outcome, -1), (str(_OUTCOMES[reason]), 1)):
        lane["outcomes"][name] = lane["outcomes"].get(name, 0) + change
    lane["reasons"][str(reason)] = lane["reasons"].get(str(reason), 0) + 1


def corrected(
    corrections: Mapping[str, Any], input_id: str, lane: str, outcomes: Mapping[Outcome, int]
) -> dict[Outcome, int]:
    """The counts of a lane with what operators changed; those that are nothing are left out."""
    found = Counter({Outcome(name): count for name, count in outcomes.items()})
    for name, change in corrections.get(input_id, {}).get(lane, {}).get("outcomes", {}).items():
        found[Outcome(name)] += change
    return {outcome: count for outcome, count in found.items() if count}
