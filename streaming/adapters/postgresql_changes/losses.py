"""Whether the server still knows what was committed since the last line that is kept."""

from streaming.adapters.postgresql_changes.marks import ChangesMark, ReadFrom
from streaming.adapters.postgresql_changes.slot import SlotState


def why_lost(mark: ChangesMark, now: ReadFrom, slot: SlotState | None, shown: str) -> str | None:
    """Why nobody knows what was committed since `mark`, in a sentence; None: the server does.

    `now` is what the log would be read by, `shown` the table as sentences name it.
    """
    return _why_other(mark.source, now, shown) or _why_untold(mark.lsn, now, slot, shown)


def _why_other(was: ReadFrom, now: ReadFrom, shown: str) -> str | None:
    if was.database != now.database or was.table != now.table:
        return f"{shown} is not the table that was read: it was made anew, or the options changed."
    if was.key != now.key:
        return f"The key of {shown} was {', '.join(was.key)} and is {', '.join(now.key)}."
    if was.publication != now.publication:
        return f"The publication of {shown} is another one, so that changes may not have been told."
    return None


def _why_untold(lsn: int, now: ReadFrom, slot: SlotState | None, shown: str) -> str | None:
    if slot is None:
        return f"The replication slot '{now.slot}' is gone, and with it changes of {shown} that were not read."
    if slot.lost:
        return (
            f"The server dropped changes of {shown} that were not read in time: its limit for the log "
            "(max_slot_wal_keep_size) was reached."
        )
    if slot.confirmed > lsn:
        return (
            f"Somebody has read changes from the replication slot '{now.slot}' that this binding has not: another one "
            "that goes on from the same savepoint, or this one, since its savepoint."
        )
    return None
