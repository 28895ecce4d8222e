"""The open lifetimes, and the net effect of a transaction on them; on disk, not in memory.

They are derived from the stored lines, so they can be rebuilt and are stored nowhere else: a private unnamed database
that disappears with its process.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final

from streaming.adapters.row_lifetimes.lines import RowLife, end_line, life_of, start_line

_CACHE_KIB: Final = 8_192
_MADE: Final = """
    CREATE TABLE open (key TEXT PRIMARY KEY, start INTEGER, about TEXT NOT NULL, row TEXT NOT NULL);
    CREATE TABLE touched (seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, start INTEGER, about TEXT, row TEXT);
    CREATE TABLE listed (key TEXT PRIMARY KEY);
"""
_TOUCH: Final = """
    INSERT OR IGNORE INTO touched (key, start, about, row)
    SELECT ?1, open.start, open.about, open.row FROM (SELECT 1) LEFT JOIN open ON open.key = ?1"""
_CHANGED: Final = """
    SELECT t.key, t.start, t.about, t.row, o.about, o.row
      FROM touched t LEFT JOIN open o ON o.key = t.key WHERE t.row IS NOT o.row ORDER BY t.seq"""


class OpenRows:
    """The open lifetimes by key, and the former values of those that the current transaction has touched."""

    def __init__(self) -> None:
        self._db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._db.executescript(
            f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -{_CACHE_KIB}; {_MADE}"
        )

    def fold(self, lines: Iterable[bytes]) -> None:
        """Apply the starts and ends in `lines`."""
        for line in lines:
            parsed = life_of(line)
            if parsed is None:
                continue
            starts, life = parsed
            if starts:
                self._db.execute("INSERT OR REPLACE INTO open VALUES (?, ?, ?, ?)", _columns(life))
            else:
                self._db.execute("DELETE FROM open WHERE key = ? AND start = ?", [life.key, life.start])

    def row_of(self, key: str) -> str | None:
        """The current row with that key."""
        found = self._db.execute("SELECT row FROM open WHERE key = ?", [key]).fetchone()
        return None if found is None else found[0]

    def put(self, key: str, about: str, row: str) -> None:
        """Record that the current transaction writes a row."""
        self._db.execute(_TOUCH, [key])
        self._db.execute("INSERT OR REPLACE INTO open VALUES (?, NULL, ?, ?)", [key, about, row])

    def remove(self, key: str) -> None:
        """Record that the current transaction deletes a row."""
        self._db.execute(_TOUCH, [key])
        self._db.execute("DELETE FROM open WHERE key = ?", [key])

    def clear(self) -> None:
        """Record that the current transaction deletes all rows."""
        self._db.execute(
            "INSERT OR IGNORE INTO touched (key, start, about, row)"
            " SELECT key, start, about, row FROM open WHERE start IS NOT NULL"
        )
        self._db.execute("DELETE FROM open")

    def begin_list(self) -> None:
        """Begin a list of all keys of the table."""
        self._db.execute("DELETE FROM listed")

    def list(self, key: str) -> None:
        """Add a key to the list."""
        self._db.execute("INSERT OR IGNORE INTO listed VALUES (?)", [key])

    def remove_unlisted(self) -> None:
        """Record that the current transaction deletes all rows that are not in the list."""
        self._db.execute(
            "INSERT OR IGNORE INTO touched (key, start, about, row)"
            " SELECT key, start, about, row FROM open WHERE start IS NOT NULL AND key NOT IN (SELECT key FROM listed)"
        )
        self._db.execute("DELETE FROM open WHERE key NOT IN (SELECT key FROM listed)")

    def changes(self, time: int) -> Iterator[bytes]:
        """Yield the lines with the net effect of the transaction at `time` (ticks), in the order of its first changes.

        An unchanged row has no line.
        """
        for key, start, about, row, now_about, now_row in self._db.execute(_CHANGED):
            if row is not None:
                yield end_line(RowLife(key, start, about, row), time)
            if now_row is not None:
                yield start_line(RowLife(key, time, now_about, now_row))

    def settle(self, time: int) -> None:
        """Complete the current transaction: lifetimes that it opened began at `time`."""
        self._db.execute(
            "UPDATE open SET (start, about) = (SELECT t.start, t.about FROM touched t WHERE t.key = open.key)"
            " WHERE start IS NULL AND row = (SELECT t.row FROM touched t WHERE t.key = open.key)"
            " AND key IN (SELECT key FROM touched)"
        )
        self._db.execute("UPDATE open SET start = ? WHERE start IS NULL AND key IN (SELECT key FROM touched)", [time])
        self._db.execute("DELETE FROM touched")

    def close(self) -> None:
        """Close the database."""
        self._db.close()


def _columns(life: RowLife) -> tuple[str, int, str, str]:
    return life.key, life.start, life.about, life.row
