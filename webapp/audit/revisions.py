"""Optimistic locking: a change names the revision on which it was made, and is refused if another change was faster."""

import hashlib
import json
from typing import Any

from webapp.audit.models import AuditEvent
from webapp.audit.recording import Target
from webapp.core.errors import Conflict


def revision_of(stored: Any) -> str:
    """Return a short text that differs when `stored`, any JSON, does; it reveals nothing of the content."""
    canonical = json.dumps(stored, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]


def require_current(target: Target, *, upon: str | None, now: str) -> None:
    """Raise `Conflict` if a change was made `upon` another revision than `now`, with its author and time.

    None: the caller does not want the check. Called while the row is locked.
    """
    if upon is None or upon == now:
        return
    found = AuditEvent.objects.filter(target_kind=target.kind, target_id=str(target.id)).first()
    who = "Somebody" if found is None else found.actor_label
    when = "" if found is None else f" at {found.at:%Y-%m-%d %H:%M:%S} UTC"
    raise Conflict(
        f"{who} changed the {target.kind} {target.label}{when}, after you opened it. Your change was not saved: "
        "reload it, and save again."
    )
