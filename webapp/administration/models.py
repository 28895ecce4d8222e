"""Exports of whole organisations."""

from typing import ClassVar

from django.db import models

from webapp.core.tenancy import TenantModel

EXPORT_STATES = ("requested", "writing", "ready", "failed", "expired")


class Export(TenantModel):
    """A file with everything of the organisation; `bytes` and `expires_at` are set when it is ready."""

    exported = "this file itself"

    requested_by = models.CharField(max_length=254)
    created_at = models.DateTimeField()
    state = models.CharField(max_length=12, choices=[(each, each) for each in EXPORT_STATES], default="requested")
    bytes = models.BigIntegerField(null=True)
    expires_at = models.DateTimeField(null=True)
    message = models.TextField(null=True)

    class Meta(TenantModel.Meta):
        """Newest first."""

        ordering: ClassVar = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.pk} {self.state}"
