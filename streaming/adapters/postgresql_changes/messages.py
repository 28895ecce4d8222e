"""Messages of `pgoutput`, version 1 of its protocol: transactions, shapes of relations, changed rows.

The layout is that of "Logical Replication Message Formats" in the PostgreSQL manual; values are text.
"""

from dataclasses import dataclass
from enum import Enum
from struct import Struct
from typing import Final, Literal


class UnchangedToast(Enum):
    """A large value that an update did not change (TOAST): it is not in the log."""

    UNCHANGED = 1


Value = str | None | Literal[UnchangedToast.UNCHANGED]
_EPOCH_TICKS: Final = 946_684_800_000_000
"""2000-01-01, the server's epoch, in ticks."""


@dataclass(frozen=True, slots=True)
class TransactionBegin:
    """A transaction with its commit at `lsn`; `committed` in ticks by the server's clock, `xid` as 32 bits."""

    lsn: int
    committed: int
    xid: int


@dataclass(frozen=True, slots=True)
class TransactionCommit:
    """The end of the transaction; the log continues at `end`."""

    end: int


@dataclass(frozen=True, slots=True)
class RelationShape:
    """The columns of a relation from here on, with the oids of their types."""

    relation: int
    columns: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row of `relation`: `old` is its former key, if it changed or the row is deleted; `new` are its values."""

    relation: int
    old: tuple[Value, ...] | None
    new: tuple[Value, ...] | None


@dataclass(frozen=True, slots=True)
class TableTruncation:
    """Relations that were emptied."""

    relations: tuple[int, ...]


ChangeMessage = TransactionBegin | TransactionCommit | RelationShape | RowChange | TableTruncation
_BEGIN: Final = Struct("!QqI")
_COMMIT: Final = Struct("!BQQq")
_COLUMN: Final = Struct("!Ii")
_INT16: Final = Struct("!H")
_INT32: Final = Struct("!I")


class _MessageBytes:
    """Reads a message from its second byte on."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 1

    def take(self, form: Struct) -> tuple[int, ...]:
        found: tuple[int, ...] = form.unpack_from(self._data, self._at)
        self._at += form.size
        return found

    def letter(self) -> bytes:
        self._at += 1
        return self._data[self._at - 1 : self._at]

    def text(self) -> str:
        end = self._data.index(b"\0", self._at)
        found = self._data[self._at : end].decode()
        self._at = end + 1
        return found

    def values(self) -> tuple[Value, ...]:
        (count,) = self.take(_INT16)
        return tuple(self._value() for _ in range(count))

    def _value(self) -> Value:
        form = self.letter()
        if form == b"n":
            return None
        if form == b"u":
            return UnchangedToast.UNCHANGED
        (size,) = self.take(_INT32)
        self._at += size
        return self._data[self._at - size : self._at].decode()


def message_of(data: bytes) -> ChangeMessage | None:
    """Decode the message; None for one without information about rows (types, origins)."""
    read = _MessageBytes(data)
    kind = data[:1]
    if kind == b"B":
        lsn, at, xid = read.take(_BEGIN)
        return TransactionBegin(lsn, at + _EPOCH_TICKS, xid)
    if kind == b"C":
        return TransactionCommit(read.take(_COMMIT)[2])
    if kind == b"R":
        return _relation(read)
    if kind in (b"I", b"U", b"D"):
        return _row(kind, read)
    if kind == b"T":
        (count,) = read.take(_INT32)
        read.letter()
        return TableTruncation(tuple(read.take(_INT32)[0] for _ in range(count)))
    return None


def _relation(read: _MessageBytes) -> RelationShape:
    (relation,) = read.take(_INT32)
    read.text()  # schema
    read.text()  # name
    read.letter()  # replica identity
    columns = []
    for _ in range(read.take(_INT16)[0]):
        read.letter()  # key column flag
        name = read.text()
        columns.append((name, read.take(_COLUMN)[0]))
    return RelationShape(relation, tuple(columns))


def _row(kind: bytes, read: _MessageBytes) -> RowChange:
    (relation,) = read.take(_INT32)
    part = read.letter()
    old = None
    if part in (b"K", b"O"):
        old = read.values()
        if kind == b"D":
            return RowChange(relation, old, None)
        read.letter()  # N
    return RowChange(relation, old, read.values())
