"""Changes of one partition, combined into transactions, without repeated ones; and these as lines.

All changes of a transaction take effect at one time, and a row that it writes twice has one line. A transaction is
complete when a change of another follows, when the connector reports its end, or when the lane decides so. Rows of a
snapshot belong together in the same way.
"""

import hashlib
from typing import Final

from streaming.adapters.kafka.debezium.envelopes import (
    Content,
    EnvelopeChange,
    RefusedMessage,
    Tombstone,
    TransactionEnd,
    Truncation,
)
from streaming.adapters.kafka.debezium.marks import LogMark, OpenUnit, PartitionMark
from streaming.adapters.kafka.debezium.places import INCREMENTAL, LogPlace
from streaming.adapters.postgresql.pages import BATCH_BYTES
from streaming.adapters.row_lifetimes.lines import about_of, cti_line, report_line
from streaming.adapters.row_lifetimes.members import completed
from streaming.adapters.row_lifetimes.open_rows import OpenRows

MOST_CHANGES: Final = 200_000
"""The most changes that take effect at one time; more are stored in parts, each a tick after the one before."""
MOST_BYTES: Final = BATCH_BYTES
"""As MOST_CHANGES, for the approximate bytes of their rows."""
_SNAPSHOT: Final = "snapshot"
_ANOTHER_TABLE: Final = (
    "and those before it are of another one. Rows of several tables can't be distinguished by their keys. Let the "
    "connector write a topic for each table."
)
_ANOTHER_LOG: Final = (
    "The connector reads another log from here on: positions went back, but times did not. Changes in between "
    "may be missing."
)
_NOT_ENDED: Final = (
    "The connector has read the table again, but not as a whole in one partition. Rows that were deleted since the "
    "last change stay open. Start the binding from the beginning to end them."
)
_ONE_PARTITION: Final = (
    "The table was truncated, but the topic has several partitions, and only this one has the message. The rows stay "
    "open. Use a topic with one partition."
)


class ChangeCombiner:
    """Applies contents of messages to `rows`, in the order of their offsets; complete transactions are in `lines`.

    `mark` is the point that all of `lines` reach. `alone`: the topic has no other partition, so that a snapshot and a
    truncation are of the whole table.
    """

    def __init__(self, rows: OpenRows, mark: PartitionMark, *, alone: bool) -> None:
        self._rows = rows
        self.alone = alone
        self._unit: OpenUnit | None = None
        self._log = mark.log
        self._table = mark.table
        self._ignored = mark.ignored
        self._lists = False
        self._moved = False
        self._moving: str | None = None
        self.lines: list[bytes] = []
        self.mark = mark

    @property
    def waits(self) -> bool:
        """True if a transaction may have more changes."""
        return self._unit is not None

    def take(self, offset: int, content: Content, arrival: int) -> None:
        """Apply the message at `offset`; `arrival` is its timestamp in ticks."""
        match content:
            case EnvelopeChange() | Truncation() if not self._is_of_one_table(content.place):
                self._ignored = content.key if isinstance(content, EnvelopeChange) else None
                self.report(f"Message {offset}: The change is of the table {content.place.table}, {_ANOTHER_TABLE}")
            case EnvelopeChange():
                self._change(offset, content)
            case Truncation(place):
                self._truncate(offset, place)
            case Tombstone(key):
                self._end_compacted(offset, key, arrival)
            case TransactionEnd(transaction):
                # With PostgreSQL its number and a position, otherwise its GTID, which may have a colon itself.
                if self._unit is not None and self._unit.name in (transaction, transaction.partition(":")[0]):
                    self.settle(offset + 1)
            case RefusedMessage(why):
                self.report(f"Message {offset}: {why}")
        self.reach(offset + 1)

    def reach(self, offset: int) -> None:
        """Record that the next message to be read is at `offset`, unless a transaction may have more changes."""
        if self._unit is None:
            new = {"offset": offset, "table": self._table, "ignored": self._ignored}
            self.mark = self.mark.model_copy(update=new)

    def report(self, text: str) -> None:
        """Add a malformed row with `text`, where the messages before it are."""
        (self.lines if self._unit is None else self._unit.reports).append(report_line(text))

    def settle(self, offset: int) -> None:
        """Complete the current transaction; the next message to be read is at `offset`."""
        unit, self._unit = self._unit, None
        if unit is None:
            return
        time = max(unit.tick, self.mark.time + 1)
        self.lines += unit.reports
        self.lines += self._rows.changes(time)
        self._rows.settle(time)
        self._moved = True
        changed = self.mark.changed or unit.name != _SNAPSHOT or unit.ends
        partly = unit.name == _SNAPSHOT and not unit.ends
        self.mark = PartitionMark(time=time, log=self._log, changed=changed, partly=partly)
        self.reach(offset)

    def taken(self) -> list[bytes]:
        """Remove and return the lines so far, with a CTI after their last transaction: all later ones come after it."""
        lines, self.lines = self.lines, []
        if self._moved:
            lines.append(cti_line(self.mark.time + 1))
        self._moved = False
        return lines

    def _change(self, offset: int, change: EnvelopeChange) -> None:
        place, rows = change.place, self._rows
        name = self._name(place)
        if name == _SNAPSHOT:
            self._begin_list(offset, place)
        log = self._log_with(place, change.operation + change.key)
        self._ignored = change.key if log is None and change.operation == "delete" else None
        if log is None:
            return
        unit = self._unit_of(offset, name, place)
        self._move_to(log)
        before = rows.row_of(change.key)
        unit.size += len(before or "")
        if change.operation == "delete":
            self._moving = before if change.moves else None
            rows.remove(change.key)
        else:
            kind = "update" if change.operation == "insert" and before is not None else change.operation
            former = self._moving if change.moves else before
            committed = None if kind == "snapshot" else place.tick
            row = completed(change.members, former)
            unit.size += len(row)
            rows.put(change.key, about_of(kind, committed, place.shown), row)
            if name == _SNAPSHOT:
                rows.list(change.key)
        unit.count += 1
        if name == _SNAPSHOT and place.snapshot.startswith("last"):
            self._end_list()
            self.settle(offset + 1)
        elif unit.count >= MOST_CHANGES or unit.size >= MOST_BYTES:
            self.settle(offset + 1)

    def _truncate(self, offset: int, place: LogPlace) -> None:
        log = self._log_with(place, "truncate")
        self._ignored = None
        if log is None:
            return
        self._unit_of(offset, self._name(place), place)
        self._move_to(log)
        if self.alone:
            self._rows.clear()
        else:
            self.report(_ONE_PARTITION)

    def _end_compacted(self, offset: int, key: str, arrival: int) -> None:
        """End a row whose deletion was removed from a compacted topic: only its tombstone is left."""
        if key == self._ignored or self._rows.row_of(key) is None:
            return
        self._unit_of(offset, f"tombstone {offset}", LogPlace(arrival, None, None, ""))
        self._rows.remove(key)

    def _name(self, place: LogPlace) -> str:
        if place.snapshot == INCREMENTAL:
            return f"{INCREMENTAL} {place.tick}"
        return _SNAPSHOT if place.snapshot else place.transaction or place.shown

    def _unit_of(self, offset: int, name: str, place: LogPlace) -> OpenUnit:
        """Return the current transaction, after completing another one."""
        if self._unit is None and self.mark.partly and name != _SNAPSHOT:
            self._unit = OpenUnit(_SNAPSHOT)  # completed in parts, but it has not ended
        if self._unit is not None and self._unit.name != name:
            if self._unit.name == _SNAPSHOT:
                self._end_list()
            self.settle(offset)
        if self._unit is None:
            self._unit = OpenUnit(name)
        self._unit.tick = max(self._unit.tick, place.tick)
        return self._unit

    def _begin_list(self, offset: int, place: LogPlace) -> None:
        """Begin to list the rows of a snapshot, at its first one: rows that it lacks end with it."""
        if self._unit is not None and self._unit.name != _SNAPSHOT:
            self.settle(offset)
        within = self._unit is not None or self._lists or self.mark.partly
        if place.snapshot.startswith("first") or not within:
            self._rows.begin_list()
            self._lists = self.alone
        self._log = self._log.model_copy(update={"snapshot": True})

    def _end_list(self) -> None:
        assert self._unit is not None  # nosec B101 # a row of the snapshot came before
        if self._lists:
            self._rows.remove_unlisted()
        elif self.mark.changed:
            self.report(_NOT_ENDED)
        self._unit.ends = True
        self._lists = False

    def _is_of_one_table(self, place: LogPlace) -> bool:
        """Return True for a change of the table of the first change."""
        if self._table is None:
            self._table = place.table
        return place.table == self._table

    def _move_to(self, log: LogMark) -> None:
        """Move to the point `log`, within the transaction that reaches it."""
        known, position = self._log.position, log.position
        if known is not None and position is not None and position < known and not self._log.snapshot:
            self.report(_ANOTHER_LOG)
        self._log = log

    def _log_with(self, place: LogPlace, identity: str) -> LogMark | None:
        """Return the point in the log after a change, None for a change that was read before: a connector that restarts
        sends its last changes again.
        """
        position, log = place.position, self._log
        if position is None or place.snapshot:
            return log
        there = [hashlib.blake2b(identity.encode(), digest_size=8).hexdigest()]
        known = None if log.position is None else tuple(log.position)
        if position == known:
            if there[0] in log.there:
                return None
            there = [*log.there, *there]
        elif known is not None and position < known and place.tick <= log.latest:
            return None
        return LogMark(position=list(position), there=there, latest=max(log.latest, place.tick))
