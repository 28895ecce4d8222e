"""Reading events: filtered, newest first, page by page."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from webapp.audit.models import AuditEvent

_CURSOR: Final = re.compile(r"([0-9]{1,17})-([0-9a-f]{32})")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class AuditCursor:
    """The event after which the next page starts; the order by time and id is total, so pages never overlap."""

    at: datetime
    id: UUID

    def __str__(self) -> str:
        return f"{(self.at - _EPOCH) // timedelta(microseconds=1)}-{self.id.hex}"

    @classmethod
    def parse(cls, text: str) -> "AuditCursor | None":
        """Return the cursor that `text` represents; None if invalid."""
        found = _CURSOR.fullmatch(text)
        return None if found is None else cls(_EPOCH + timedelta(microseconds=int(found[1])), UUID(found[2]))


@dataclass(frozen=True)
class AuditFilter:
    """A filter of events: all that match every given condition.

    `action` is one action, for example `stream.replaced`, or ends with the dot: all actions of that area. `actor` is an
    id or a label of the actor, or of the administrator who acted as somebody. `target` is a kind, or `kind:id`.
    `since` is inclusive, `until` exclusive.
    """

    action: str | None = None
    actor: str | None = None
    target: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def wanted_events(wanted: AuditFilter) -> QuerySet[AuditEvent]:
    """Return the events of the organisation in context that match `wanted`, newest first."""
    conditions = [
        *_named(wanted.action, _action),
        *_named(wanted.actor, _actor),
        *_named(wanted.target, _target),
    ]
    if wanted.since is not None:
        conditions.append(Q(at__gte=wanted.since))
    if wanted.until is not None:
        conditions.append(Q(at__lt=wanted.until))
    return AuditEvent.objects.filter(*conditions).order_by("-at", "-id")


def page_of(
    wanted: AuditFilter, before: AuditCursor | None, limit: int
) -> tuple[Sequence[AuditEvent], AuditCursor | None]:
    """Return at most `limit` events after `before`, and the cursor of the next page; None after the oldest event."""
    events = wanted_events(wanted)
    if before is not None:
        # The first condition limits the scan of the index; the second orders events of the same moment.
        events = events.filter(at__lte=before.at).filter(Q(at__lt=before.at) | Q(id__lt=before.id))
    found = list(events[: limit + 1])
    if len(found) <= limit:
        return found, None
    last = found[limit - 1]
    return found[:limit], AuditCursor(last.at, last.pk)


def _named(value: str | None, condition: Callable[[str], Q]) -> list[Q]:
    return [] if value is None else [condition(value)]


def _action(value: str) -> Q:
    return Q(area=value[:-1]) if value.endswith(".") else Q(action=value)


def _actor(value: str) -> Q:
    try:
        return Q(actor_id=str(UUID(value)))
    except ValueError:
        # Checked first, because impersonation is rare: an OR of two columns would sort all events of the person.
        behind = AuditEvent.objects.filter(impersonator=value).exists()
        return Q(actor_label=value) | Q(impersonator=value) if behind else Q(actor_label=value)


def _target(value: str) -> Q:
    kind, colon, key = value.partition(":")
    return Q(target_kind=kind, target_id=key) if colon else Q(target_kind=kind)
