"""Checks if the server still has all changes since the last stored line."""

from streaming.adapters.postgresql_changes.marks import ChangesMark, ReadFrom
from streaming.adapters.postgresql_changes.slots.slot import SlotState


def why_lost(mark: ChangesMark, now: ReadFrom, slot: SlotState | None, shown: str) -> str | None:
    """Return the reason why changes since `mark` are lost, in a sentence; None: the server has them all.

    `now` is the source that would be read, `shown` the table's name in messages.
    """
    return _why_other(mark.source, now, shown) or _why_not_sent(mark.lsn, now, slot, shown)


def _why_other(was: ReadFrom, now: ReadFrom, shown: str) -> str | None:
    if was.database != now.database or was.table != now.table:
        return f"{shown} is not the table that was read: it was recreated, or the options changed."
    if was.key != now.key:
        return f"The key of {shown} changed from {', '.join(was.key)} to {', '.join(now.key)}."
    if was.publication != now.publication:
        return f"The publication of {shown} changed, so changes may be missing."
    return None


def _why_not_sent(lsn: int, now: ReadFrom, slot: SlotState | None, shown: str) -> str | None:
    if slot is None:
        return f"The replication slot '{now.slot}' was deleted, and with it unread changes of {shown}."
    if slot.lost:
        return (
            f"The server discarded changes of {shown} that were not read in time: its limit for the log "
            "(max_slot_wal_keep_size) was reached."
        )
    if slot.confirmed > lsn:
        return (
            f"Changes that this binding has not read were read from the replication slot '{now.slot}': by another "
            "binding that resumed from the same savepoint, or by this one after its savepoint."
        )
    return None
