"""The audit event."""

import uuid
from collections.abc import Iterable
from typing import Any, ClassVar, Final, NoReturn

from django.db import models

from webapp.audit.append_only import SENTENCE
from webapp.core.context import current_organisation
from webapp.core.tenancy import TenantManager, TenantModel, TenantQuerySet

INDEXED: Final = {
    "time": (),
    "action": ("action",),
    "area": ("area",),
    "actor": ("actor_id",),
    "actor_label": ("actor_label",),
    "target_kind": ("target_kind",),
    "target": ("target_kind", "target_id"),
}
"""Columns of the filters inside an organisation; each index has the newest events first."""


class EventsStay(RuntimeError):
    """An event was about to be changed or deleted: an error of the program. The database refuses it too."""

    def __init__(self) -> None:
        super().__init__(SENTENCE)


class EventQuerySet(TenantQuerySet["AuditEvent"]):
    """Events to read; they cannot be changed or deleted."""

    def update(self, **_: Any) -> NoReturn:
        """Raise `EventsStay`."""
        raise EventsStay

    def delete(self) -> NoReturn:
        """Raise `EventsStay`."""
        raise EventsStay

    def bulk_update(self, objs: Iterable["AuditEvent"], fields: Iterable[str], **_: Any) -> NoReturn:  # type: ignore[override]  # noqa: ARG002
        """Raise `EventsStay`."""
        raise EventsStay


class EventManager(TenantManager["AuditEvent"]):
    """Access to the events of the organisation in context. Raises `NoOrganisation` without one."""

    def get_queryset(self) -> EventQuerySet:
        """Return the events of the organisation in context."""
        return EventQuerySet(self.model, using=self._db).filter(organisation_id=current_organisation())


class AuditEvent(TenantModel):
    """An action of an actor on a target, with the target's state before and after; secrets are redacted.

    The organisation is no foreign key in the database, because events outlive it; events without one belong to the
    installation. Ids and labels are texts, so deleted people stay named. `area` is the part of the action before the
    dot. Only `record` writes events, and they are never changed.
    """

    exported = (
        "id",
        "at",
        "action",
        "actor_kind",
        "actor_id",
        "actor_label",
        "token",
        "impersonator",
        "address",
        "request_id",
        "target_kind",
        "target_id",
        "target_label",
        "area",
        "before",
        "after",
    )

    append_only: ClassVar[bool] = True
    """`manage.py databaseroles` grants the application no right to change these rows."""

    organisation = models.ForeignKey(  # type: ignore[assignment]
        "accounts.Organisation", on_delete=models.DO_NOTHING, related_name="+", null=True, db_constraint=False
    )
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    at = models.DateTimeField()
    action = models.CharField(max_length=60)
    actor_kind = models.CharField(max_length=20)
    actor_id = models.CharField(max_length=40, null=True)
    actor_label = models.CharField(max_length=254)
    token = models.CharField(max_length=40, null=True)
    impersonator = models.CharField(max_length=254, null=True)
    address = models.CharField(max_length=64, null=True)
    request_id = models.CharField(max_length=40, null=True)
    target_kind = models.CharField(max_length=40)
    target_id = models.CharField(max_length=64, null=True)
    target_label = models.CharField(max_length=254)
    area = models.CharField(max_length=60)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)

    objects: ClassVar[EventManager] = EventManager()

    class Meta(TenantModel.Meta):
        """Newest first."""

        ordering: ClassVar = ["-at", "-pk"]
        indexes: ClassVar = [
            models.Index(fields=["organisation", *fields, "-at", "-id"], name=f"audit_by_{name}")
            for name, fields in INDEXED.items()
        ] + [
            models.Index(
                fields=["organisation", "impersonator", "-at", "-id"],
                name="audit_by_impersonator",
                condition=models.Q(impersonator__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.actor_label} {self.action} {self.target_label}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write a new event. Raises `EventsStay` for a stored one."""
        if not self._state.adding:
            raise EventsStay
        super().save(*args, **kwargs)

    def delete(self, *_: Any, **__: Any) -> NoReturn:
        """Raise `EventsStay`."""
        raise EventsStay
