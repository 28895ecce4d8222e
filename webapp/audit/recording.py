"""Writing audit events, in the transaction of the change that they record."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils import timezone

from webapp.audit.changes import difference
from webapp.audit.models import AuditEvent
from webapp.audit.redaction import safe_state, safe_text
from webapp.core.context import current_actor, organisation_or_none, request_id
from webapp.core.tenancy import TenantQuerySet

LONGEST_LABEL = 254


@dataclass(frozen=True)
class Target:
    """The changed object: `kind`, for example `stream`, its id, and the name that people see."""

    kind: str
    id: str | UUID | None
    label: str


def record(
    action: str,
    *,
    target: Target,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Record that the current actor did `action`, for example `stream.replaced`, in the organisation in context.

    `before` and `after` are whole states as JSON; with both, only the difference is stored (`changes`). Callers have
    replaced secrets with placeholders; remaining text that looks like a secret is concealed (`redaction`). Without an
    organisation in context the event belongs to the installation.
    """
    if before is not None and after is not None:
        before, after = difference(before, after)
    actor = current_actor()
    event = AuditEvent(
        organisation_id=organisation_or_none(),
        at=timezone.now(),
        action=action,
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_label=safe_text(actor.label, LONGEST_LABEL),
        token=actor.token,
        impersonator=actor.impersonator,
        address=actor.address,
        request_id=request_id(),
        target_kind=target.kind,
        target_id=None if target.id is None else str(target.id),
        target_label=safe_text(target.label, LONGEST_LABEL),
        area=action.partition(".")[0],
        before=None if before is None else safe_state(before),
        after=None if after is None else safe_state(after),
    )
    events: TenantQuerySet[AuditEvent] = TenantQuerySet(AuditEvent)
    events.insert(event)
