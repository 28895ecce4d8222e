"""Writing audit events, in the transaction of the change that they tell of."""

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
    """What was touched: `kind` such as `stream`, its id, and the name by which people know it."""

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
    """Write that the current actor did `action`, such as `stream.replaced`, in the organisation in context.

    `before` and `after` are the whole states as JSON: with both, only what differs is kept (`changes`); secrets have
    placeholders already, and what looks like one all the same is concealed (`redaction`). Without an organisation in
    context the event is the installation's.
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
