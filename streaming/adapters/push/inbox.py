"""The store of pushed rows: a SQLite database for each inbox, one row of it for each batch that was acknowledged.

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
from streaming.wire.arrived import Int64s

INBOXES: Final = "inboxes"
"""The folder of an organisation's inboxes, beside its `files/`."""
WAITS_S: Final = 10.0
"""So long one who writes waits for others who write."""
IDS_KEPT: Final = 100_000
"""So many of the newest batch ids are remembered for certain."""
IDS_KEPT_US: Final = 24 * 3_600 * 1_000_000
"""And all of this time, in ticks."""
_PRUNED_AT_ONCE: Final = 100
_DAY_US: Final = 24 * 3_600 * 1_000_000
_SEEN_AGAIN_US: Final = 3_600 * 1_000_000
"""A reader that stays where it is is noted anew after so long."""
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
    "The inbox holds rows of before 2026-11-25, of which nobody knows when they came. Begin at a row number, or now."
)
_TO_2: Final = "ALTER TABLE batches ADD COLUMN arrived INTEGER NOT NULL DEFAULT 0; PRAGMA user_version = 2;"
"""Of inboxes of before 2026-11-25 nobody knows when their batches came."""


class InboxFull(Exception):
    """There is no room that may be made; `read` says whether anybody reads at all."""

    def __init__(self, *, read: bool) -> None:
        super().__init__("the inbox is full")
        self.read = read


class BatchIdReused(Exception):
    """The id was that of a batch with other rows."""


@dataclass(frozen=True)
class Receipt:
    """What became of a batch: its rows are `[first, first + rows)`; `again`: it had been stored before."""

    first: int
    rows: int
    again: bool


@dataclass(frozen=True)
class InboxState:
    """Rows `[oldest, next)` are kept, in `stored` bytes; `newest` is when the last came, `unread` what nobody read.

    `readers` counts the bindings that hold rows back. Times are ticks.
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
    """What an inbox keeps at most (bytes, compressed), and how long it waits for a reader (days)."""

    most_bytes: int
    wait_days: int


@dataclass(frozen=True)
class PushInbox:
    """The inbox at `path`, which need not exist yet: it is made by the first batch."""

    path: Path

    @staticmethod
    def of(files: Path, name: str) -> "PushInbox":
        """The inbox `name` of the organisation whose data are in `files`."""
        return PushInbox(files.parent / INBOXES / f"{name}.sqlite")

    def accept(self, lines: bytes, rows: int, *, batch: str | None, now: int, limits: InboxLimits) -> Receipt:
        """Store `rows` lines, which end with a line feed each, and return when they are on the disk.

        A `batch` that was stored before is not stored again. `now` in ticks. Raises `BatchIdReused`, `InboxFull`,
        `AdapterError` (external) when the disk refuses.
        """
        digest = hashlib.sha256(lines).digest()
        body = pa.compress(lines, codec="zstd", asbytes=True)
        with self._writing(create=True) as database:
            if batch is not None and (known := _known(database, batch, digest)) is not None:
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
        """What the inbox holds. Raises `AdapterError` when it cannot be read."""
        with self._reading() as database:
            if database is None:
                return EMPTY
            [[following, stored, newest]] = database.execute("SELECT next, stored, newest FROM state")
            oldest = _oldest(database, following)
            [[readers, reached]] = database.execute("SELECT COUNT(*), MIN(position) FROM readers")
            unread = following - max(oldest, reached if reached is not None else oldest)
            return InboxState(oldest, following, stored, newest, readers, unread)

    def note_reader(self, name: str, position: int, now: int) -> None:
        """Keep what `name` has yet to read, and its batch before, which it may have to read again."""
        with self._reading() as database:
            if database is None:
                return
            found = "SELECT position, before, seen FROM readers WHERE name = ?"
            last, before, seen = database.execute(found, (name,)).fetchone() or (position, position, None)
        if seen is not None and last == position and now - seen < _SEEN_AGAIN_US:
            return
        if last != position:
            before = min(last, position)  # one that went back may begin there again
        with self._writing(create=False) as database:
            database.execute("INSERT OR REPLACE INTO readers VALUES (?, ?, ?, ?)", (name, position, before, now))

    def sizes(self, start: int) -> Iterator[tuple[int, int]]:
        """The end and the bytes of each batch that has rows from `start` on, ascending."""
        with self._reading() as database:
            if database is not None:
                found = "SELECT first + rows, bytes FROM batches WHERE first >= ? ORDER BY first"
                yield from database.execute(found, (_batch_at(database, start),))

    def between(self, start: int, end: int) -> Iterator[StoredBatch]:
        """The batches that have rows of `[start, end)`, ascending."""
        with self._reading() as database:
            if database is None:
                return
            wanted = "SELECT first, rows, bytes, body FROM batches WHERE first >= ? AND first < ? ORDER BY first"
            for first, rows, size, body in database.execute(wanted, (_batch_at(database, start), end)):
                yield StoredBatch(first, rows, pa.decompress(body, size, codec="zstd", asbytes=True))

    def arrivals(self, start: int, end: int) -> Int64s:
        """When each of the rows `[start, end)`, which are kept, came, in ticks; NO_CTI where that is not known."""
        found = np.full(end - start, NO_CTI, dtype=np.int64)
        with self._reading() as database:
            if database is not None and _version(database) > 1:
                wanted = "SELECT first, rows, arrived FROM batches WHERE first >= ? AND first < ?"
                for first, rows, arrived in database.execute(wanted, (_batch_at(database, start), end)):
                    if arrived:
                        found[max(first - start, 0) : max(first + rows - start, 0)] = arrived
        return found

    def since(self, tick: int) -> int:
        """The first row of the first batch that came at `tick` or later; where none did, the number of the next row."""
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
        """When the oldest batch that is kept came, in ticks; None where there is none, or it is not known."""
        with self._reading() as database:
            if database is None or _version(database) < VERSION:
                return None
            found = database.execute("SELECT arrived FROM batches ORDER BY first LIMIT 1").fetchone()
            return found[0] or None if found else None

    def delete(self) -> None:
        """Remove it with all its rows; one that is absent is no error."""
        for beside in ("", "-wal", "-shm"):
            self.path.with_name(f"{self.path.name}{beside}").unlink(missing_ok=True)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """The open database; None while nothing was ever pushed."""
        if not self.path.exists():
            yield None
            return
        with _told(), closing(self._opened()) as database:
            yield None if _version(database) == 0 else database

    @contextmanager
    def _writing(self, *, create: bool) -> Iterator[sqlite3.Connection]:
        if create:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        with _told(), closing(self._opened(create=create)) as database:
            if create and _version(database) < VERSION:
                _lay_out(database)
            database.execute("PRAGMA synchronous = FULL")
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
def _told() -> Iterator[None]:
    """Say what SQLite refuses as a sentence."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise AdapterError(
            f"The inbox cannot be used ({error}); whoever runs this installation has to look at its disk.",
            domain="external",
        ) from None


def _version(database: sqlite3.Connection) -> int:
    [[version]] = database.execute("PRAGMA user_version")
    return int(version)


def _lay_out(database: sqlite3.Connection) -> None:
    """Make the tables, or those of an older inbox anew in place, unless somebody else just did."""
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("BEGIN IMMEDIATE")
    version = _version(database)
    if version < VERSION:
        for statement in filter(None, map(str.strip, (_SCHEMA if version == 0 else _TO_2).split(";"))):
            database.execute(statement)
    database.execute("COMMIT")


def _known(database: sqlite3.Connection, batch: str, digest: bytes) -> Receipt | None:
    found: Sequence[Any] | None = database.execute(
        "SELECT digest, first, rows FROM ids WHERE id = ?", (batch,)
    ).fetchone()
    if found is None:
        return None
    if found[0] != digest:
        raise BatchIdReused
    return Receipt(found[1], found[2], again=True)


def _make_room(database: sqlite3.Connection, missing: int, alive_since: int) -> int:
    """Delete the oldest batches that every reader has read until `missing` bytes are free; return what became free."""
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
    """Forget old ids a few at a time, more than can come with a batch."""
    database.execute(
        "DELETE FROM ids WHERE id IN (SELECT id FROM ids WHERE arrived < ? ORDER BY first LIMIT ?) "
        "AND (SELECT COUNT(*) FROM (SELECT 1 FROM ids LIMIT ?)) > ?",
        (now - IDS_KEPT_US, _PRUNED_AT_ONCE, IDS_KEPT + 1, IDS_KEPT),
    )


def _oldest(database: sqlite3.Connection, following: int) -> int:
    [[first]] = database.execute("SELECT MIN(first) FROM batches")
    return following if first is None else int(first)


def _batch_at(database: sqlite3.Connection, position: int) -> int:
    """The first row of the batch that holds `position`."""
    [[first]] = database.execute("SELECT MAX(first) FROM batches WHERE first <= ?", (position,))
    return position if first is None else int(first)
