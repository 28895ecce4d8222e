"""The audit event."""

import uuid
from typing import ClassVar

from django.db import models

from webapp.core.tenancy import TenantModel


class AuditEvent(TenantModel):
    """What was done: `action` to the target, by the actor, with its state before and after, secrets redacted.

    The organisation is no constraint of the database, for events outlive it; those without one are the installation's.
    Ids and labels are texts: a person who is gone stays named. Written by `record` alone, never changed.
    """

    append_only: ClassVar[bool] = True
    """`manage.py databaseroles` grants the application no change of these rows."""

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
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)

    class Meta(TenantModel.Meta):
        """Newest first."""

        ordering: ClassVar = ["-at", "-pk"]
        indexes: ClassVar = [models.Index(fields=["organisation", "-at", "-id"], name="audit_by_time")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.actor_label} {self.action} {self.target_label}"
