"""Marks stored with the lines of a partition: the point reached in it, and in the log of the database."""

from dataclasses import dataclass, field

from pydantic import Field

from streaming.adapters.postgresql.pages import PageNote, RowPages
from streaming.temporal.ticks import FIRST_TICK
from streaming.wire.message import Message


class LogMark(Message):
    """The largest position in the database's log, the changes that were read `there` (digests), and the latest time.

    `snapshot`: the table was read since, so a log that begins again has no gap.
    """

    position: list[int] | None = None
    there: list[str] = Field(default_factory=list)
    latest: int = FIRST_TICK
    snapshot: bool = False


class PartitionMark(Message):
    """All messages before `offset` are stored, and nothing will be stored at or before `time` (ticks).

    `changed`: changes are stored, not only rows of a first snapshot. `partly`: the last rows are of a snapshot that has
    more. `table` is that of the first change. `ignored` is the key of the last change if that was a repeated
    deletion, or of another table: its tombstone has no effect.
    """

    offset: int = 0
    time: int = FIRST_TICK
    log: LogMark = Field(default_factory=LogMark)
    changed: bool = False
    partly: bool = False
    table: str | None = None
    ignored: str | None = None


PartitionPages = RowPages[PartitionMark]
PartitionNote = PageNote[PartitionMark]


@dataclass
class OpenUnit:
    """The changes so far that take effect at one time: the latest of theirs, in ticks. `ends`: a whole snapshot.

    `size` is that of their rows, before and after, in characters.
    """

    name: str
    tick: int = FIRST_TICK
    count: int = 0
    size: int = 0
    reports: list[bytes] = field(default_factory=list)
    ends: bool = False
