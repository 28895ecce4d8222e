"""Confirmations: plans of programs, and the decisions of people about them."""

from enum import StrEnum

from django.db import models

from webapp.accounts.models import User
from webapp.core.tenancy import TenantModel


class ConfirmationStatus(StrEnum):
    """The stored status. `expired` is computed: a pending or confirmed plan whose time is over."""

    PENDING = "pending"
    CONFIRMED = "confirmed"
    REFUSED = "refused"
    CARRIED_OUT = "carried_out"
    EXPIRED = "expired"


class Confirmation(TenantModel):
    """A plan that a program may carry out once, after a person with `permission` confirms it, until `expires_at`.

    `holder` is the id of the requesting person or service account, the only one that can carry it out, and `token` the
    start of its token. `settings` are those of the plan, without files: a program sends them again. `state` is a hash
    of the plan and of everything that it was made against. `sentences` and `changes` are the effect as people see it;
    neither contains secrets.
    """

    exported = (
        "kind",
        "title",
        "sentences",
        "changes",
        "status",
        "requested_by",
        "requested_at",
        "expires_at",
        "decided_by_label",
        "decided_at",
        "carried_out_at",
    )

    kind = models.CharField(max_length=10)
    title = models.CharField(max_length=200)
    binding = models.UUIDField(null=True)
    settings = models.JSONField()
    sentences = models.JSONField()
    changes = models.JSONField()
    state = models.CharField(max_length=64)
    permission = models.CharField(max_length=20)
    status = models.CharField(max_length=12, choices=[(each.value, each.value) for each in ConfirmationStatus])
    holder = models.CharField(max_length=36)
    requested_by = models.CharField(max_length=254)
    token = models.CharField(max_length=40, default="")
    requested_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    decided_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    decided_by_label = models.CharField(max_length=254, default="")
    decided_at = models.DateTimeField(null=True)
    carried_out_at = models.DateTimeField(null=True)

    class Meta(TenantModel.Meta):
        """Newest first."""

        ordering = ("-requested_at", "-id")

    def __str__(self) -> str:
        return self.title
