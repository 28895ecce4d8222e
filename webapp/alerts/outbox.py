"""Sending the outbox: each entry at least once, under its id, in order for each binding and channel, for a day."""

import logging
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from streaming.adapters.network.fetching import Reach
from webapp.alerts.channels.kinds import send
from webapp.alerts.channels.requests import NotSent, Sending
from webapp.alerts.models import OutboxEntry
from webapp.alerts.notifications import Notification, OutboxState

CLAIMED: Final = timedelta(minutes=2)
"""The time for which no other task tries an entry; the task that took it may have been killed."""
FIRST_WAIT: Final = timedelta(seconds=30)
LONGEST_WAIT: Final = timedelta(hours=1)
GIVES_UP: Final = timedelta(days=1)
"""An entry that could not be sent for so long is `failed`."""
KEPT: Final = timedelta(days=31)
PASS: Final = timedelta(seconds=30)
"""A pass starts no attempt after this; the next pass continues."""
logger = logging.getLogger(__name__)


def deliver(now: datetime, reach: Reach | None = None, passed: timedelta = PASS) -> None:
    """Send the due entries of the organisation in context. A channel that fails is not tried again in this pass."""
    reach = reach or Reach(settings.OUTGOING)
    failed: set[UUID] = set()
    while entries := [entry for entry in _first_in_line() if entry.due_at <= now and entry.channel_id not in failed]:
        for entry in entries:
            if timezone.now() - now >= passed:
                return
            if entry.channel_id not in failed and not (_claim(entry, now) and _attempt(entry, now, reach)):
                failed.add(entry.channel_id)


def forget_sent(now: datetime) -> None:
    """Delete the ended entries of the organisation in context that are older than a month."""
    OutboxEntry.objects.exclude(state=OutboxState.WAITING).filter(created_at__lt=now - KEPT).delete()


def _first_in_line() -> list[OutboxEntry]:
    """Return of each channel and subject the oldest entry that waits.

    Otherwise a message that is retried would arrive after a later one that reports the end of its alert.
    """
    lines: dict[tuple[UUID, str], OutboxEntry] = {}
    waiting = OutboxEntry.objects.filter(state=OutboxState.WAITING).order_by("created_at", "pk")
    for entry in waiting.select_related("channel"):
        lines.setdefault((entry.channel_id, entry.subject), entry)
    return list(lines.values())


def _claim(entry: OutboxEntry, now: datetime) -> bool:
    same = OutboxEntry.objects.filter(pk=entry.pk, due_at=entry.due_at, state=OutboxState.WAITING)
    return same.update(due_at=now + CLAIMED, attempts=entry.attempts + 1) == 1


def _attempt(entry: OutboxEntry, now: datetime, reach: Reach) -> bool:
    """Send `entry` once and note the outcome; return whether it was accepted."""
    try:
        if not entry.channel.enabled:
            raise NotSent("The channel is switched off. Switch it on to receive notifications.")
        notification = Notification.model_validate(entry.notification, strict=False)
        send(entry.channel, notification, Sending(entry.pk, now, reach))
    except NotSent as error:
        _note_failure(entry, str(error), now)
        return False
    OutboxEntry.objects.filter(pk=entry.pk).update(state=OutboxState.SENT, message="", ended_at=now)
    return True


def _note_failure(entry: OutboxEntry, message: str, now: datetime) -> None:
    wait = min(FIRST_WAIT * 2 ** min(entry.attempts, 10), LONGEST_WAIT)
    over = now - entry.created_at >= GIVES_UP
    state = OutboxState.FAILED if over else OutboxState.WAITING
    logger.warning("notification %s over channel %s was not sent: %s", entry.pk, entry.channel_id, message)
    OutboxEntry.objects.filter(pk=entry.pk).update(
        state=state, message=message, due_at=now + wait, ended_at=now if over else None
    )
