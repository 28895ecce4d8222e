"""One partition: its messages, read once and stored as lines of lifetimes, from which positions are counted."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from streaming.adapters.kafka.debezium.marks import PartitionMark, PartitionNote, PartitionPages
from streaming.adapters.kafka.debezium.reading import MessageReader
from streaming.adapters.kafka.debezium.transactions import ChangeCombiner
from streaming.adapters.row_lifetimes.lines import cti_line
from streaming.adapters.row_lifetimes.open_rows import OpenRows
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK

_TICKS_PER_MS: Final = 1_000
_PREFIX: Final = "changes-"


def stored_lanes(folder: Path | None) -> Sequence[str]:
    """Return the partitions that have stored lines in `folder`, by their numbers."""
    if folder is None:
        return []
    return sorted({each.name.removeprefix(_PREFIX).partition("-")[0] for each in folder.glob(f"{_PREFIX}*")})


class ChangeLane:
    """Stores the changes of the partition `name` in `folder` (None: in memory), which all partitions share.

    Lines are stored with the offset that they reach, so a restart repeats none; a transaction that is not complete is
    read again.
    """

    def __init__(self, name: str, folder: Path | None, reader: MessageReader, settle_ticks: int) -> None:
        self.pages = PartitionPages(folder, PartitionNote, f"{_PREFIX}{name}-")
        self._reader = reader
        self._settle_ticks = settle_ticks
        self._changes: ChangeCombiner | None = None
        self._next = 0
        self._heard: int | None = None

    @property
    def end(self) -> int:
        """The number of stored lines."""
        last = self.pages.last()
        return 0 if last is None else last.end

    def offset(self, *, alone: bool) -> int:
        """The offset of the next message to read."""
        self._combiner(alone=alone)
        return self._next

    def take(self, parts: Iterable["list[Any] | range"], end: int, now: int, *, alone: bool) -> None:
        """Read the messages up to the offset `end`, at `now` (ticks), and store what is complete.

        Raises `AdapterError`, `OSError`.
        """
        changes = self._combiner(alone=alone)
        try:
            heard = False
            for part in parts:
                heard = True
                self._part(changes, part)
                self._store(changes, now)
            self._next = max(self._next, end)
            if heard or self._heard is None:
                self._heard = now
            if changes.waits and now - self._heard >= self._settle_ticks:
                changes.settle(self._next)
            changes.reach(self._next)
            self._store(changes, now, idle=not heard)
        except BaseException:
            self._changes = None  # the next call starts from the stored lines
            raise

    def _part(self, changes: ChangeCombiner, part: "list[Any] | range") -> None:
        if isinstance(part, range):
            changes.settle(part.start)
            changes.report(f"The messages {part.start} to {part.stop - 1} were deleted before they were read.")
            self._next = part.stop
            changes.reach(part.stop)
            return
        for message in part:
            kind, time = message.timestamp()
            arrival = time * _TICKS_PER_MS
            if kind == 0 or not FIRST_TICK <= arrival <= LAST_TICK:
                arrival = FIRST_TICK  # not known: a tombstone counts a tick after the transaction before it
            changes.take(message.offset(), self._reader.content(message), arrival)
            self._next = message.offset() + 1

    def _store(self, changes: ChangeCombiner, now: int, *, idle: bool = False) -> None:
        """Store the lines so far. In an `idle` partition also the offset after messages without lines, with a CTI:
        otherwise they would be read again, or be missing when they are deleted.
        """
        lines = changes.taken()
        if not lines and idle and changes.mark.time > FIRST_TICK and changes.mark.offset > self._last_offset():
            lines = [cti_line(changes.mark.time + 1)]
        if lines:
            self.pages.append(lines, changes.mark, now)

    def _last_offset(self) -> int:
        last = self.pages.last()
        return 0 if last is None else last.mark.offset

    def _combiner(self, *, alone: bool) -> ChangeCombiner:
        if self._changes is None:
            last = self.pages.last()
            mark = PartitionMark() if last is None else last.mark
            rows = OpenRows()
            for note in self.pages.notes(0):
                for batch in self.pages.between(note.first, note.first + 1):
                    rows.fold(batch.lines.split(b"\n")[: note.rows])
            self._changes = ChangeCombiner(rows, mark, alone=alone)
            self._next = mark.offset
        self._changes.alone = alone
        return self._changes
