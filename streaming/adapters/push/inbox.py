"""The store of pushed rows: a SQLite database for each inbox, with one table row for each acknowledged batch.

Rows are numbered from 0 in the order in which their batches were stored, and that number is their position for readers.
A batch counts when its transaction has reached the disk (`synchronous=FULL`). Bodies are JSON lines, compressed.
"""

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from streaming.adapters.contract import AdapterError
from streaming.adapters.stored_lines import StoredBatch
from streaming.temporal.ticks import NO_CTI
from streaming.wire.rows.arrived import Int64s

INBOXES: Final = "inboxes"
"""The folder of an organisation's inboxes, next to its `files/`."""
WAITS_S: Final = 30.0
"""The time in seconds that a writer waits for other writers; a busy disk can take 10 s for a single batch."""
IDS_KEPT: Final = 100_000
"""The number of newest batch ids that are always remembered."""
IDS_KEPT_US: Final = 24 * 3_600 * 1_000_000
"""The time in ticks for which all batch ids are remembered."""
_PRUNED_AT_ONCE: Final = 100
_DAY_US: Final = 24 * 3_600 * 1_000_000
_SEEN_AGAIN_US: Final = 3_600 * 1_000_000
"""The interval after which an unchanged reader is recorded again."""
VERSION: Final = 2
_SCHEMA: Final = """
CREATE TABLE batches (first INTEGER PRIMARY KEY, rows INTEGER NOT NULL, bytes INTEGER NOT NULL, body BLOB NOT NULL,
                      arrived INTEGER NOT NULL);
CREATE TABLE ids (id TEXT PRIMARY KEY, digest BLOB NOT NULL, first INTEGER NOT NULL, rows INTEGER NOT NULL,
                  arrived INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX ids_by_first ON ids (first);
CREATE TABLE readers (name TEXT PRIMARY KEY, position INTEGER NOT NULL, before INTEGER NOT NULL, seen INTEGER NOT NULL);
CREATE TABLE state (next INTEGER NOT NULL, stored INTEGER NOT NULL, newest INTEGER);
INSERT INTO state VALUES (0, 0, NULL);
PRAGMA user_version = 2;
"""
_NO_TIMES: Final = (
    "The inbox has rows from before 2026-11-25, which have no arrival time. Start at a row number, or now."
)
_TO_2: Final = "ALTER TABLE batches ADD COLUMN arrived INTEGER NOT NULL DEFAULT 0; PRAGMA user_version = 2;"
"""Inboxes from before 2026-11-25 have no arrival times of their batches."""


class InboxFull(Exception):
    """The inbox has no room and can't make any; `read` is True if it has readers."""

    def __init__(self, *, read: bool) -> None:
        super().__init__("the inbox is full")
        self.read = read


class BatchIdReused(Exception):
    """The id was already used for a batch with other rows."""


@dataclass(frozen=True)
class Receipt:
    """The result of accepting a batch: its rows are `[first, first + rows)`; `again`: it was already stored."""

    first: int
    rows: int
    again: bool


@dataclass(frozen=True)
class InboxState:
    """Rows `[oldest, next)` are stored, in `stored` bytes; `newest` is the last arrival, `unread` the unread rows.

    `readers` counts the bindings for which rows are kept. Times are ticks.
    """

    oldest: int
    next: int
    stored: int
    newest: int | None
    readers: int
    unread: int


EMPTY: Final = InboxState(0, 0, 0, None, 0, 0)


@dataclass(frozen=True)
class InboxLimits:
    """The size limit of an inbox (bytes, compressed), and how long it waits for a reader (days)."""

    most_bytes: int
    wait_days: int


@dataclass(frozen=True)
class PushInbox:
    """The inbox at `path`, which need not exist yet: the first batch creates it."""

    path: Path

    @staticmethod
    def of(files: Path, name: str) -> "PushInbox":
        """The inbox `name` of the organisation whose data are in `files`."""
        return PushInbox(files.parent / INBOXES / f"{name}.sqlite")

    def accept(self, lines: bytes, rows: int, *, batch: str | None, now: int, limits: InboxLimits) -> Receipt:
        """Store `rows` lines, which end with a line feed each, and return when they are on disk.

        A `batch` id that is already stored is not stored again. `now` in ticks. Raises `BatchIdReused`, `InboxFull`,
        `AdapterError` (external) if the disk refuses.
        """
        digest = hashlib.sha256(lines).digest()
        body = pa.compress(lines, codec="zstd", asbytes=True)
        with self._writing(create=True) as database:
            if batch is not None and (known := _receipt_of(database, batch, digest)) is not None:
                return known
            [[first, stored]] = database.execute("SELECT next, stored FROM state")
            freed = _make_room(database, stored + len(body) - limits.most_bytes, now - limits.wait_days * _DAY_US)
            database.execute("INSERT INTO batches VALUES (?, ?, ?, ?, ?)", (first, rows, len(lines), body, now))
            if batch is not None:
                database.execute("INSERT INTO ids VALUES (?, ?, ?, ?, ?)", (batch, digest, first, rows, now))
            _forget_ids(database, now)
            changed = (first + rows, stored + len(body) - freed, now)
            database.execute("UPDATE state SET next = ?, stored = ?, newest = ?", changed)
        return Receipt(first, rows, again=False)

    def state(self) -> InboxState:
        """Return the current contents. Raises `AdapterError` if the inbox can't be read."""
        with self._reading() as database:
            if database is None:
                return EMPTY
            [[following, stored, newest]] = database.execute("SELECT next, stored, newest FROM state")
            oldest = _oldest(database, following)
            [[readers, reached]] = database.execute("SELECT COUNT(*), MIN(position) FROM readers")
            unread = following - max(oldest, reached if reached is not None else oldest)
            return InboxState(oldest, following, stored, newest, readers, unread)

    def note_reader(self, name: str, position: int, now: int) -> None:
        """Keep the unread rows of `name`, and its previous batch, which it may have to read again.

        A power failure may undo progress, and then more rows are kept: so no push waits while the disk stores it.
        """
        with self._reading() as database:
            if database is None:
                return
            found = "SELECT position, before, seen FROM readers WHERE name = ?"
            last, before, seen = database.execute(found, (name,)).fetchone() or (position, position, None)
        if seen is not None and last == position and now - seen < _SEEN_AGAIN_US:
            return
        frees_rows = seen is not None and position > last
        if last != position:
            before = min(last, position)  # a reader that was reset may start there again
        with self._writing(create=False, durable=not frees_rows) as database:
            database.execute("INSERT OR REPLACE INTO readers VALUES (?, ?, ?, ?)", (name, position, before, now))

    def sizes(self, start: int) -> Iterator[tuple[int, int]]:
        """Yield the end and the bytes of each batch that has rows from `start` on, ascending."""
        with self._reading() as database:
            if database is not None:
                found = "SELECT first + rows, bytes FROM batches WHERE first >= ? ORDER BY first"
                yield from database.execute(found, (_batch_at(database, start),))

    def between(self, start: int, end: int) -> Iterator[StoredBatch]:
        """Yield the batches that have rows of `[start, end)`, ascending."""
        with self._reading() as database:
            if database is None:
                return
            wanted = "SELECT first, rows, bytes, body FROM batches WHERE first >= ? AND first < ? ORDER BY first"
            for first, rows, size, body in database.execute(wanted, (_batch_at(database, start), end)):
                yield StoredBatch(first, rows, pa.decompress(body, size, codec="zstd", asbytes=True))

    def arrivals(self, start: int, end: int) -> Int64s:
        """The arrival of each of the stored rows `[start, end)`, in ticks; NO_CTI if unknown."""
        found = np.full(end - start, NO_CTI, dtype=np.int64)
        with self._reading() as database:
            if database is not None and _version(database) > 1:
                wanted = "SELECT first, rows, arrived FROM batches WHERE first >= ? AND first < ?"
                for first, rows, arrived in database.execute(wanted, (_batch_at(database, start), end)):
                    if arrived:
                        found[max(first - start, 0) : max(first + rows - start, 0)] = arrived
        return found

    def since(self, tick: int) -> int:
        """The first row of the first batch that arrived at `tick` or later, otherwise the next row number."""
        with self._reading() as database:
            if database is None:
                return 0
            [[following]] = database.execute("SELECT next FROM state")
            if _version(database) < VERSION:
                raise AdapterError(_NO_TIMES)
            [[unknown]] = database.execute("SELECT COUNT(*) FROM batches WHERE arrived = 0")
            if unknown:
                raise AdapterError(_NO_TIMES)
            [[first]] = database.execute("SELECT MIN(first) FROM batches WHERE arrived >= ?", (tick,))
            return int(following if first is None else first)

    def first_arrival(self) -> int | None:
        """The arrival of the oldest stored batch, in ticks; None if the inbox is empty or it is unknown."""
        with self._reading() as database:
            if database is None or _version(database) < VERSION:
                return None
            found = database.execute("SELECT arrived FROM batches ORDER BY first LIMIT 1").fetchone()
            return found[0] or None if found else None

    def delete(self) -> None:
        """Remove the inbox with all its rows; a missing inbox is not an error."""
        for beside in ("", "-wal", "-shm"):
            self.path.with_name(f"{self.path.name}{beside}").unlink(missing_ok=True)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """The open database; None while nothing was ever pushed."""
        if not self.path.exists():
            yield None
            return
        with _reporting_errors(), closing(self._opened()) as database:
            yield None if _version(database) == 0 else database

    @contextmanager
    def _writing(self, *, create: bool, durable: bool = True) -> Iterator[sqlite3.Connection]:
        if create:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        with _reporting_errors(), closing(self._opened(create=create)) as database:
            if create and _version(database) < VERSION:
                _lay_out(database)
            database.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")

    def _opened(self, *, create: bool = False) -> sqlite3.Connection:
        address = f"{self.path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}"
        return sqlite3.connect(address, uri=True, isolation_level=None, timeout=WAITS_S, check_same_thread=False)


@contextmanager
def _reporting_errors() -> Iterator[None]:
    """Convert errors of SQLite to `AdapterError`."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise AdapterError(
            f"The inbox can't be used ({error}). Your administrator has to check the disk.",
            domain="external",
        ) from None


def _version(database: sqlite3.Connection) -> int:
    [[version]] = database.execute("PRAGMA user_version")
    return int(version)


def _lay_out(database: sqlite3.Connection) -> None:
    """Create the tables, or upgrade those of an older inbox, unless another process has just done it."""
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("BEGIN IMMEDIATE")
    version = _version(database)
    if version < VERSION:
        for statement in filter(None, map(str.strip, (_SCHEMA if version == 0 else _TO_2).split(";"))):
            database.execute(statement)
    database.execute("COMMIT")


def _receipt_of(database: sqlite3.Connection, batch: str, digest: bytes) -> Receipt | None:
    found: Sequence[Any] | None = database.execute(
        "SELECT digest, first, rows FROM ids WHERE id = ?", (batch,)
    ).fetchone()
    if found is None:
        return None
    if found[0] != digest:
        raise BatchIdReused
    return Receipt(found[1], found[2], again=True)


def _make_room(database: sqlite3.Connection, missing: int, alive_since: int) -> int:
    """Delete the oldest batches that every reader has read until `missing` bytes are free; return the freed bytes."""
    if missing <= 0:
        return 0
    database.execute("DELETE FROM readers WHERE seen < ?", (alive_since,))
    [[read_by_all]] = database.execute("SELECT MIN(before) FROM readers")
    freed, last = 0, None
    if read_by_all is not None:
        wanted = "SELECT first, LENGTH(body) FROM batches WHERE first + rows <= ? ORDER BY first"
        for first, size in database.execute(wanted, (read_by_all,)):
            freed, last = freed + size, first
            if freed >= missing:
                break
    if freed < missing:
        raise InboxFull(read=read_by_all is not None)
    database.execute("DELETE FROM batches WHERE first <= ?", (last,))
    return freed


def _forget_ids(database: sqlite3.Connection, now: int) -> None:
    """Delete old ids a few at a time, but more than a batch can add."""
    database.execute(
        "DELETE FROM ids WHERE id IN (SELECT id FROM ids WHERE arrived < ? ORDER BY first LIMIT ?) "
        "AND (SELECT COUNT(*) FROM (SELECT 1 FROM ids LIMIT ?)) > ?",
        (now - IDS_KEPT_US, _PRUNED_AT_ONCE, IDS_KEPT + 1, IDS_KEPT),
    )


def _oldest(database: sqlite3.Connection, following: int) -> int:
    [[first]] = database.execute("SELECT MIN(first) FROM batches")
    return following if first is None else int(first)


def _batch_at(database: sqlite3.Connection, position: int) -> int:
    """The first row of the batch that contains `position`."""
    [[first]] = database.execute("SELECT MAX(first) FROM batches WHERE first <= ?", (position,))
    return position if first is None else int(first)
