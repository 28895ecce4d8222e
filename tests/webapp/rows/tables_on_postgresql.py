"""An organisation can do nothing to the rows of another, even without the scoped managers."""

import uuid
from typing import Any

import psycopg
import pytest
from django.db import ProgrammingError, connection, models, transaction

from tests.webapp.application_role import ROLE
from tests.webapp.rows.layout import OWNED, Tenant, changed, laid_out, names, raw
from webapp.accounts.models import Organisation
from webapp.audit.models import AuditEvent
from webapp.core.context import installation_context, organisation_context
from webapp.core.database.row_security import references
from webapp.core.postgresql.roles import append_only_tables
from webapp.core.tenancy import TenantModel, TenantQuerySet
from webapp.runs.models import BindingInput

POINTING = [(model, key) for model in OWNED for key in references(model)]
Model = type[models.Model]


@pytest.fixture
def acme(db: None) -> Tenant:
    return laid_out("acme")


@pytest.fixture
def zeta(acme: Tenant) -> Tenant:
    assert raw("SELECT current_user") == [ROLE]
    return laid_out("zeta")


def refused(statement: str, *parameters: Any) -> str:
    """Return with what sentence the database refuses `statement`."""
    with pytest.raises(ProgrammingError) as raised, transaction.atomic():
        changed(statement, *parameters)
    return str(raised.value).splitlines()[0]


def columns(model: Model) -> list[str]:
    return [connection.ops.quote_name(each.column) for each in model._meta.concrete_fields]


def copied(model: Model, row: models.Model) -> list[Any]:
    """Return the values of `row` with another key."""
    fields = model._meta.concrete_fields
    return [
        uuid.uuid4() if each.primary_key else each.get_db_prep_save(getattr(row, each.attname), connection)
        for each in fields
    ]


def test_without_a_filter_there_are_only_ones_own_rows(acme: Tenant, zeta: Tenant) -> None:
    for model in OWNED:
        table, key, _ = names(model)
        forgotten = TenantQuerySet(model) if issubclass(model, TenantModel) else models.QuerySet(model)
        for mine in (acme, zeta):
            with organisation_context(mine.id):
                assert raw(f"SELECT {key} FROM {table}") == [mine.row(model).pk]
                assert [row.pk for row in forgotten.all()] == [mine.row(model).pk]
        assert raw(f"SELECT {key} FROM {table}") == []
        assert not forgotten.all().exists()
        with installation_context("the test looks at both"):
            assert set(raw(f"SELECT {key} FROM {table}")) == {acme.row(model).pk, zeta.row(model).pk}


def test_anothers_row_can_neither_be_changed_nor_deleted(acme: Tenant, zeta: Tenant) -> None:
    for model in OWNED:
        table, key, _ = names(model)
        theirs = acme.row(model).pk
        statements = [
            f"UPDATE {table} SET {key} = {key} WHERE {key} = %s RETURNING {key}",
            f"DELETE FROM {table} WHERE {key} = %s RETURNING {key}",
        ]
        for context in (organisation_context(zeta.id), organisation_context(None)):
            with context:
                for statement in statements:
                    if model._meta.db_table in append_only_tables():
                        assert "permission denied" in refused(statement, theirs)
                    else:
                        assert raw(statement, theirs) == []
        with installation_context("the test looks whether it is there"):
            assert raw(f"SELECT {key} FROM {table} WHERE {key} = %s", theirs) == [theirs]


def test_no_row_can_be_written_for_another(acme: Tenant, zeta: Tenant) -> None:
    for model in OWNED:
        table, key, _ = names(model)
        places = ", ".join(["%s"] * len(columns(model)))
        statement = f"INSERT INTO {table} ({', '.join(columns(model))}) VALUES ({places})"
        for context in (organisation_context(zeta.id), organisation_context(None)):
            with context:
                assert "row-level security" in refused(statement, *copied(model, acme.row(model)))
                instead = f"ON CONFLICT ({key}) DO UPDATE SET {key} = {table}.{key} RETURNING {key}"
                refusal = refused(f"{statement} {instead}", *copied(model, acme.row(model)))
                assert ("permission denied" if model is AuditEvent else "row-level security") in refusal


def test_ones_own_row_cannot_be_given_away(acme: Tenant, zeta: Tenant) -> None:
    for model in OWNED:
        table, _, owner = names(model)
        with organisation_context(zeta.id):
            refusal = refused(f"UPDATE {table} SET {owner} = %s", acme.id)
        assert "row-level security" in refusal or model._meta.db_table in append_only_tables()


def test_nobody_truncates(zeta: Tenant) -> None:
    for model in OWNED:
        with installation_context("not even the installation"):
            assert "permission denied" in refused(f"TRUNCATE {names(model)[0]} CASCADE")


def test_a_copy_holds_only_ones_own_rows_and_none_is_copied_in(acme: Tenant, zeta: Tenant) -> None:
    for model in OWNED:
        table, key, _ = names(model)
        with organisation_context(zeta.id), connection.cursor() as cursor:
            with cursor.copy(f"COPY {table} ({key}) TO STDOUT") as copy:
                assert [row[0] for row in copy.rows()] == [str(zeta.row(model).pk)]
            into = cursor.copy(f"COPY {table} ({key}) FROM STDIN")
            with pytest.raises(psycopg.Error, match="row-level security"), transaction.atomic(), into as copy:
                copy.write_row([str(uuid.uuid4())])


def test_pointing_at_anothers_row_is_refused_as_pointing_at_nothing_is(acme: Tenant, zeta: Tenant) -> None:
    for model, key in POINTING:
        table, column = names(model)[0], connection.ops.quote_name(key)
        target = references(model)[key]
        with organisation_context(zeta.id):
            refusals = {refused(f"UPDATE {table} SET {column} = %s", at) for at in (acme.row(target).pk, uuid.uuid4())}
            assert changed(f"UPDATE {table} SET {column} = %s", zeta.row(target).pk) == 1
        policy = '"punctual_references_update"'
        assert refusals == {f"new row violates row-level security policy {policy} for table {table}"}


def test_a_new_row_that_points_at_anothers_is_refused(acme: Tenant, zeta: Tenant) -> None:
    own, theirs = zeta.row(BindingInput), acme.row(BindingInput)
    with (
        organisation_context(zeta.id),
        pytest.raises(ProgrammingError, match="references_insert"),
        transaction.atomic(),
    ):
        BindingInput(binding_id=own.binding_id, node="other", stream_id=theirs.stream_id).save()  # type: ignore[attr-defined]


@pytest.mark.parametrize("change", ["UPDATE {} SET action = 'forged'", "DELETE FROM {}", "TRUNCATE {}"])
def test_what_was_done_stays_written(change: str, acme: Tenant) -> None:
    table = names(AuditEvent)[0]
    for context in (organisation_context(acme.id), installation_context("not even the installation")):
        with context:
            assert "permission denied" in refused(change.format(table))


def test_an_event_of_the_installation_is_written_by_anybody_and_seen_by_it_alone(acme: Tenant) -> None:
    event = AuditEvent(organisation_id=None, at=acme.row(AuditEvent).at, action="signed_in")  # type: ignore[attr-defined]
    TenantQuerySet(AuditEvent).insert(event)
    seen = "SELECT id FROM audit_auditevent WHERE action = 'signed_in'"
    with organisation_context(acme.id):
        assert raw(seen) == []
    with installation_context("the installation's own events"):
        assert raw(seen) == [event.pk]


def test_joins_and_subqueries_stop_at_the_wall_too(acme: Tenant, zeta: Tenant) -> None:
    with organisation_context(zeta.id):
        joined = "SELECT s.id FROM runs_bindinginput i LEFT JOIN streams_stream s ON true"
        assert raw(joined) == [zeta.row(BindingInput).stream_id]  # type: ignore[attr-defined]
        assert raw("SELECT (SELECT count(*) FROM accounts_token) + (SELECT count(*) FROM runs_run)") == [2]
        assert list(Organisation.objects.values_list("pk", flat=True)) == [zeta.id]
