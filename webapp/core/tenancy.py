"""Tenant-owned rows: every query is scoped to the organisation in context, and raises without one."""

import uuid
from collections.abc import Iterable
from typing import Any, ClassVar, Self, TypeVar

from django.db import models

from webapp.core.context import current_organisation

M = TypeVar("M", bound="TenantModel")


class WrongOrganisation(RuntimeError):
    """A row of one organisation was about to be written while another is in context; an error of the program."""


class TenantQuerySet(models.QuerySet[M]):
    """A query set whose bulk writes claim their rows too."""

    def bulk_create(self, objs: Iterable[M], *args: Any, **kwargs: Any) -> list[M]:
        """Create `objs` for the organisation in context."""
        rows = list(objs)
        for row in rows:
            row.claim()
        return super().bulk_create(rows, *args, **kwargs)

    def insert(self, row: M) -> None:
        """Write one new row unchanged: for rows that may belong to no organisation."""
        super().bulk_create([row])


class TenantManager(models.Manager[M]):
    """Access to the rows of the organisation in context only. Raises `NoOrganisation` without one."""

    def get_queryset(self) -> TenantQuerySet[M]:
        """Return the rows of the organisation in context."""
        return TenantQuerySet(self.model, using=self._db).filter(organisation_id=current_organisation())


class TenantModel(models.Model):
    """A row that belongs to one organisation.

    The scoped manager is the base manager too, so that saving, refreshing and following a foreign key fail closed.
    """

    exported: ClassVar[tuple[str, ...] | str]
    """The fields of each row in an organisation's export; or, in words, where else they are or why they are left out.

    Every model defines this itself. Digests of secrets are never exported.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organisation = models.ForeignKey("accounts.Organisation", on_delete=models.CASCADE, related_name="+")

    objects: ClassVar[TenantManager[Self]] = TenantManager()

    class Meta:
        """Abstract; a subclass with its own Meta inherits this one."""

        abstract = True
        base_manager_name = "objects"
        default_manager_name = "objects"

    def claim(self) -> None:
        """Give a new row to the organisation in context. Raises `WrongOrganisation` if it is another's."""
        current = current_organisation()
        if self.organisation_id is None:
            self.organisation_id = current
        if self.organisation_id != current:
            raise WrongOrganisation(f"{type(self).__name__} {self.pk} does not belong to the organisation in context.")

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write the row for the organisation in context."""
        self.claim()
        super().save(*args, **kwargs)
