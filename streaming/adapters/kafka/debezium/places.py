"""The place of a change in its database's log: its time, its transaction, and a position to compare with others."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from streaming.adapters.row_lifetimes.lines import lsn_text
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK

CONNECTORS: Final = ("postgresql", "mysql", "mariadb")
"""The connectors whose positions have a known order."""
INCREMENTAL: Final = "incremental"
_FILE_NUMBER: Final = re.compile(r'[^"\\\x00-\x1f\ud800-\udfff]+\.(\d{1,18})')
"""The name of a file, which needs no escape in JSON."""
_TIMES: Final = (("ts_us", 1, 1), ("ts_ns", 1_000, 1), ("ts_ms", 1, 1_000))


class UnknownPlace(Exception):
    """The source of a change can't be read; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class LogPlace:
    """The place of a change.

    `tick` is the time of its commit, `transaction` names its transaction (None: not known). Positions of one log
    ascend; changes of one statement may share a position (None: not known). `shown` is the position as text.
    `snapshot` is the source's mark of a row that was read from the table, "" for a change. `table` names database,
    schema and table.
    """

    tick: int
    transaction: str | None
    position: tuple[int, ...] | None
    shown: str
    snapshot: str = ""
    table: str = ""


def place_of(source: Mapping[str, Any], transaction: object) -> LogPlace:
    """Return the place of a change with this `source`; `transaction` is the envelope's. Raises `UnknownPlace`."""
    connector = source.get("connector")
    if connector not in CONNECTORS:
        raise UnknownPlace(
            f"Changes by the connector '{connector}' can't be put in order. Use one of: {', '.join(CONNECTORS)}."
        )
    tick = _tick(source)
    mark = source.get("snapshot")
    snapshot = str(mark).lower() if mark not in (None, False, "false") else ""
    if connector == "postgresql":
        place = _in_postgresql(source, tick, snapshot)
    else:
        place = _in_binlog(source, tick, snapshot, transaction)
    names = [str(source[name]) for name in ("db", "schema", "table") if source.get(name) is not None]
    return replace(place, table=".".join(names).encode(errors="replace").decode())


def _tick(source: Mapping[str, Any]) -> int:
    for name, divisor, factor in _TIMES:
        value = source.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            tick = value * factor // divisor
            if FIRST_TICK <= tick <= LAST_TICK:
                return tick
            raise UnknownPlace(f"The time of the change (source.{name}) is {value}, outside the years 1 to 9999.")
    raise UnknownPlace("The change has no time: its source has neither ts_us nor ts_ns nor ts_ms.")


def _in_postgresql(source: Mapping[str, Any], tick: int, snapshot: str) -> LogPlace:
    lsn, transaction = source.get("lsn"), source.get("txId")
    position = None
    if isinstance(lsn, int):
        position = _sequence(source.get("sequence"))
    shown = lsn_text(lsn) if isinstance(lsn, int) else ""
    return LogPlace(tick, None if transaction is None else str(transaction), position, shown, snapshot)


def _sequence(written: object) -> tuple[int, ...] | None:
    """The end of the previous commit, and the change's own position: transactions come by their commits, so the second
    alone does not ascend.
    """
    try:
        commit, lsn = json.loads(str(written))
        return int(commit or 0), int(lsn)
    except (ValueError, TypeError):
        return None


def _in_binlog(source: Mapping[str, Any], tick: int, snapshot: str, transaction: object) -> LogPlace:
    file, at, row = source.get("file"), source.get("pos"), source.get("row")
    number = _FILE_NUMBER.fullmatch(str(file))
    position = None
    shown = ""
    if number is not None and isinstance(at, int):
        position = (int(number[1]), at, row if isinstance(row, int) else 0)
        shown = f"{file}:{at}"
    named = transaction.get("id") if isinstance(transaction, Mapping) else None
    return LogPlace(tick, str(source.get("gtid") or named or f"{file}:{at}"), position, shown, snapshot)
