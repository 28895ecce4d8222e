"""Two organisations with one row in every table that has an organisation, of whatever fields."""

import uuid
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from django.apps import apps
from django.db import connection, models

from webapp.accounts.models import Organisation, User
from webapp.core.context import organisation_context
from webapp.core.database.row_security import owner_column

OWNED = [model for model in apps.get_models() if owner_column(model) is not None]
"""Every model whose rows belong to an organisation, including organisations; new ones are included automatically."""
_VALUES: dict[type, Any] = {
    models.DateTimeField: datetime(2026, 11, 21, tzinfo=UTC),
    models.DateField: date(2026, 11, 21),
    models.BooleanField: False,
    models.IntegerField: 1,
    models.FloatField: 1.0,
    models.JSONField: {},
    models.BinaryField: b"content",
    models.UUIDField: uuid.UUID(int=1),
}


@dataclass
class Tenant:
    """An organisation and its row of each model."""

    name: str
    rows: dict[type[models.Model], models.Model] = field(default_factory=dict)

    @property
    def id(self) -> uuid.UUID:
        return self.rows[Organisation].pk  # type: ignore[no-any-return]

    def row(self, model: type[models.Model]) -> models.Model:
        """Return the row of `model`; make it and the rows it refers to if it does not exist."""
        if model not in self.rows:
            self.rows[model] = self._made(model)
        return self.rows[model]

    def _made(self, model: type[models.Model]) -> models.Model:
        values = {each.name: self._value(each) for each in model._meta.concrete_fields if self._needed(each)}
        made = model(**values)
        with organisation_context(made.pk if model is Organisation else self.id):
            made.save_base(force_insert=True)
        return made

    def _needed(self, each: Any) -> bool:
        if each.name == "organisation" or (each.is_relation and owner_column(each.related_model)):
            return True
        return not each.null and not each.has_default() and not getattr(each, "auto_now_add", False)

    def _value(self, each: Any) -> Any:
        if each.is_relation:
            return None if each.related_model is each.model else self.row(each.related_model)
        for kind, value in _VALUES.items():
            if isinstance(each, kind):
                return value
        return f"{self.name}-{each.name}"[: each.max_length]


def laid_out(name: str) -> Tenant:
    """Return an organisation with a row in every table."""
    tenant = Tenant(name)
    tenant.rows[User] = User.objects.create_user(f"{name}@rows.example")
    for model in (Organisation, *OWNED):
        tenant.row(model)
    return tenant


def raw(statement: str, *parameters: Any) -> list[Any]:
    """Return the first column of what `statement` gives, through Django's connection."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return [row[0] for row in cursor.fetchall()]


def changed(statement: str, *parameters: Any) -> int:
    """Return how many rows `statement` changed."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.rowcount


def names(model: type[models.Model]) -> tuple[str, str, str]:
    """Return the quoted names of the table, its key, and the column that says whose a row is."""
    quote = connection.ops.quote_name
    return quote(model._meta.db_table), quote(model._meta.pk.column), quote(owner_column(model) or "")
