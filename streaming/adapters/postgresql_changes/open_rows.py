"""Which lives are open, and what a transaction does to them in the end; on the disk, not in memory.

It is what the kept lines add up to, so that it can be made again from them and is kept nowhere else: a private
database without a name, which goes with its process.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final

from streaming.adapters.postgresql_changes.lines import RowLife, ended, life_of, started

_CACHE_KIB: Final = 8_192
_MADE: Final = """
    CREATE TABLE open (key TEXT PRIMARY KEY, start INTEGER, about TEXT NOT NULL, row TEXT NOT NULL);
    CREATE TABLE touched (seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, start INTEGER, about TEXT, row TEXT);
"""
_TOUCH: Final = """
    INSERT OR IGNORE INTO touched (key, start, about, row)
    SELECT ?1, open.start, open.about, open.row FROM (SELECT 1) LEFT JOIN open ON open.key = ?1"""
_CHANGED: Final = """
    SELECT t.key, t.start, t.about, t.row, o.about, o.row
      FROM touched t LEFT JOIN open o ON o.key = t.key WHERE t.row IS NOT o.row ORDER BY t.seq"""


class OpenRows:
    """The open lives by key, and beside them how those were that the transaction in hand has touched."""

    def __init__(self) -> None:
        self._db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._db.executescript(
            f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -{_CACHE_KIB}; {_MADE}"
        )

    def fold(self, lines: Iterable[bytes]) -> None:
        """Open and close what `lines` open and close."""
        for line in lines:
            said = life_of(line)
            if said is None:
                continue
            starts, life = said
            if starts:
                self._db.execute("INSERT OR REPLACE INTO open VALUES (?, ?, ?, ?)", _columns(life))
            else:
                self._db.execute("DELETE FROM open WHERE key = ? AND start = ?", [life.key, life.start])

    def row_of(self, key: str) -> str | None:
        """The row of that key as it is now."""
        found = self._db.execute("SELECT row FROM open WHERE key = ?", [key]).fetchone()
        return None if found is None else found[0]

    def put(self, key: str, about: str, row: str) -> None:
        """The transaction in hand writes a row."""
        self._db.execute(_TOUCH, [key])
        self._db.execute("INSERT OR REPLACE INTO open VALUES (?, NULL, ?, ?)", [key, about, row])

    def remove(self, key: str) -> None:
        """The transaction in hand deletes a row."""
        self._db.execute(_TOUCH, [key])
        self._db.execute("DELETE FROM open WHERE key = ?", [key])

    def clear(self) -> None:
        """The transaction in hand deletes all rows."""
        self._db.execute(
            "INSERT OR IGNORE INTO touched (key, start, about, row)"
            " SELECT key, start, about, row FROM open WHERE start IS NOT NULL"
        )
        self._db.execute("DELETE FROM open")

    def changes(self, time: int) -> Iterator[bytes]:
        """The lines that say what the transaction at `time` (ticks) did in the end, in the order of its first changes.

        A row that is as it was before says nothing.
        """
        for key, start, about, row, now_about, now_row in self._db.execute(_CHANGED):
            if row is not None:
                yield ended(RowLife(key, start, about, row), time)
            if now_row is not None:
                yield started(RowLife(key, time, now_about, now_row))

    def settle(self, time: int) -> None:
        """The transaction in hand is done: what it opened began at `time`."""
        self._db.execute(
            "UPDATE open SET (start, about) = (SELECT t.start, t.about FROM touched t WHERE t.key = open.key)"
            " WHERE start IS NULL AND row = (SELECT t.row FROM touched t WHERE t.key = open.key)"
        )
        self._db.execute("UPDATE open SET start = ? WHERE start IS NULL AND key IN (SELECT key FROM touched)", [time])
        self._db.execute("DELETE FROM touched")

    def close(self) -> None:
        """Let go of it."""
        self._db.close()


def _columns(life: RowLife) -> tuple[str, int, str, str]:
    return life.key, life.start, life.about, life.row
