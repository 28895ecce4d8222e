"""Row-level security of PostgreSQL: the second protection in addition to the scoped managers.

Each table with an organisation has the policy OWN, which limits rows to the organisation of the connection
(`webapp.core.postgresql`). If its rows refer to rows of other such tables, the policies REFERENCES refuse a row that
refers to another organisation, because PostgreSQL's own foreign keys ignore row-level security.
"""

from collections.abc import Iterator
from typing import Any, Final

from django.apps.registry import Apps
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from webapp.core.postgresql.scope import INSTALLATION, VARIABLE

TENANT: Final = "accounts.organisation"
"""The model of the organisations themselves, whose rows are their own."""
OWN: Final = "punctual_organisation"
REFERENCES: Final = {"INSERT": "punctual_references_insert", "UPDATE": "punctual_references_update"}


class EnableRowSecurity(Operation):
    """Migration operation: create the policies on tables of this application; replace existing ones.

    Without names, on every table that has an organisation at this migration. Does nothing on SQLite. A migration that
    adds such a model, or a foreign key between two, must end with it; the start-up check punctual.E003 finds missing
    ones.
    """

    reversible = True

    def __init__(self, *names: str) -> None:
        self.names = names

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Leave the models unchanged."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,  # noqa: ARG002
        to_state: ProjectState,
    ) -> None:
        """Create the policies."""
        self._execute(schema_editor, app_label, to_state, make=True)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,  # noqa: ARG002
        to_state: ProjectState,
    ) -> None:
        """Drop the policies."""
        self._execute(schema_editor, app_label, to_state, make=False)

    def describe(self) -> str:
        """Return the text of `migrate --plan`."""
        return f"Row-level security on {', '.join(self.names) or 'every table with an organisation'}"

    @property
    def migration_name_fragment(self) -> str:
        """Return the part of the migration's file name."""
        return "row_security"

    def _execute(self, editor: BaseDatabaseSchemaEditor, app_label: str, state: ProjectState, *, make: bool) -> None:
        if editor.connection.vendor != "postgresql":
            return
        for model in _owned(state.apps, app_label, self.names):
            for statement in policies(model) if make else no_policies(model):
                editor.execute(statement)


def owner_column(model: type[models.Model]) -> str | None:
    """Return the column with the owner of a row of `model`; None for tables without data of organisations."""
    if model._meta.label_lower == TENANT:
        return _column(model._meta.pk)
    for field in model._meta.concrete_fields:
        if field.name == "organisation":
            return _column(field)
    return None


def references(model: type[models.Model]) -> dict[str, type[models.Model]]:
    """Return by column the models with an organisation that rows of `model` refer to, except the organisation."""
    found: dict[str, type[models.Model]] = {}
    for field in model._meta.concrete_fields:
        target = field.related_model
        if not isinstance(target, type) or target._meta.label_lower == TENANT:
            continue
        if owner_column(target) is not None:
            found[_column(field)] = target
    return found


def policies(model: type[models.Model]) -> Iterator[str]:
    """Yield the statements that create the policies on the table of `model`, which may already have some."""
    table, column = _quoted(model._meta.db_table), owner_column(model)
    assert column is not None, f"{model._meta.label} has no organisation"  # nosec B101 # a programming error, found by the first migration
    own = f"current_setting('{VARIABLE}', true) IN ('{INSTALLATION}', {_quoted(column)}::text)"
    takes = f"{own} OR {_quoted(column)} IS NULL" if _may_be_nobodys(model) else own
    yield from no_policies(model)
    yield f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY"
    yield f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY"
    yield f"CREATE POLICY {OWN} ON {table} USING ({own}) WITH CHECK ({takes})"
    inside = " AND ".join(_inside(model, column, key, target) for key, target in references(model).items())
    if inside:
        insert, update = REFERENCES["INSERT"], REFERENCES["UPDATE"]
        yield f"CREATE POLICY {insert} ON {table} AS RESTRICTIVE FOR INSERT WITH CHECK ({inside})"
        yield f"CREATE POLICY {update} ON {table} AS RESTRICTIVE FOR UPDATE USING (true) WITH CHECK ({inside})"


def no_policies(model: type[models.Model]) -> Iterator[str]:
    """Yield the statements that drop the policies of the table of `model`."""
    table = _quoted(model._meta.db_table)
    for name in (OWN, *REFERENCES.values()):
        yield f"DROP POLICY IF EXISTS {name} ON {table}"
    yield f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY"
    yield f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY"


def gaps(connection: BaseDatabaseWrapper, registry: Apps) -> list[str]:
    """Return one sentence for each existing table of `registry` that lacks its policies."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, relrowsecurity AND relforcerowsecurity FROM pg_class WHERE relkind IN ('r', 'p')"
        )
        forced: dict[str, bool] = dict(cursor.fetchall())
        cursor.execute("SELECT tablename, policyname, coalesce(with_check, '') FROM pg_policies")
        checks = {(table, policy): check for table, policy, check in cursor.fetchall()}
    found = []
    for model in registry.get_models():
        table = model._meta.db_table
        if owner_column(model) is None or table not in forced:
            continue
        if not forced[table] or (table, OWN) not in checks:
            found.append(f"The table {table} has no row-level security.")
        for column in references(model):
            if any(f".{column})" not in checks.get((table, policy), "") for policy in REFERENCES.values()):
                found.append(f"Rows of the table {table} may refer to another organisation by {column}.")
    return found


def _owned(registry: Any, app_label: str, names: tuple[str, ...]) -> list[type[models.Model]]:
    if names:
        return [registry.get_model(app_label, name) for name in names]
    every = registry.get_app_config(app_label).get_models()
    return [model for model in every if owner_column(model) is not None]


def _may_be_nobodys(model: type[models.Model]) -> bool:
    """Return whether rows without an organisation exist: anybody may write them, only the installation sees them."""
    return model._meta.label_lower != TENANT and model._meta.get_field("organisation").null


def _inside(model: type[models.Model], column: str, key: str, target: type[models.Model]) -> str:
    table, pk, theirs = _quoted(model._meta.db_table), _column(target._meta.pk), owner_column(target)
    same = f"pointed.{_quoted(pk)} = {table}.{_quoted(key)} AND pointed.{theirs} = {table}.{_quoted(column)}"
    found = f"EXISTS (SELECT 1 FROM {_quoted(target._meta.db_table)} pointed WHERE {same})"  # nosec B608 # names of tables and columns from our own code, never from a request
    return f"({table}.{_quoted(key)} IS NULL OR {found})"


def _column(field: Any) -> str:
    return str(field.column)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
