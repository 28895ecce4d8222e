"""The connection works for the organisation in context, even after a rollback, a reset, sharing or caching."""

import asyncio
import threading
from contextlib import suppress
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from django.db import DatabaseError, connection, transaction

from tests.webapp.application_role import OWNER, ROLE, as_user
from tests.webapp.conftest import POINTS, founded
from tests.webapp.rows.layout import changed, raw
from webapp.accounts.models import Organisation
from webapp.core.context import installation_context, organisation_context
from webapp.core.postgresql.scope import VARIABLE
from webapp.core.tasks import tenant_task
from webapp.core.tenancy import TenantQuerySet
from webapp.streams.models import Stream

SEEN = "SELECT DISTINCT organisation_id FROM streams_stream ORDER BY 1"
STREAMS = 5
THREADS, ROUNDS = 8, 25


class Undone(Exception):
    """Rolls a block back."""


def with_streams(slug: str) -> UUID:
    organisation = founded(slug, slug)
    with organisation_context(organisation.pk):
        adapter = {"kind": "file", "options": {}}
        Stream.objects.bulk_create(
            [Stream(name=f"s{number}", definition=POINTS, adapter=adapter) for number in range(STREAMS)]
        )
    return organisation.pk


@pytest.fixture(scope="module")
def acme(committed: None) -> UUID:
    assert raw("SELECT current_user") == [ROLE]
    return with_streams("acme")


@pytest.fixture(scope="module")
def zeta(committed: None) -> UUID:
    return with_streams("zeta")


def seen() -> list[UUID]:
    return raw(SEEN)


def test_a_rollback_leaves_no_wrong_organisation(acme: UUID, zeta: UUID) -> None:
    with organisation_context(acme):
        assert seen() == [acme]
    with organisation_context(zeta):
        with suppress(Undone), transaction.atomic():
            assert seen() == [zeta]
            raise Undone
        assert seen() == [zeta]


def test_a_savepoints_rollback_leaves_no_wrong_organisation(acme: UUID, zeta: UUID) -> None:
    with transaction.atomic(), organisation_context(acme):
        assert seen() == [acme]
        with suppress(Undone), transaction.atomic(), organisation_context(zeta):
            assert seen() == [zeta]
            raise Undone
        with organisation_context(zeta):
            assert seen() == [zeta]
        assert seen() == [acme]


def test_a_rollback_that_django_does_not_know_of_leaves_no_wrong_organisation(acme: UUID, zeta: UUID) -> None:
    with transaction.atomic(), organisation_context(acme):
        changed("SAVEPOINT by_hand")
        with organisation_context(zeta):
            assert seen() == [zeta]
            changed("ROLLBACK TO SAVEPOINT by_hand")
            assert seen() == [zeta]
    with organisation_context(acme):
        changed("BEGIN")
        assert seen() == [acme]
        connection.connection.rollback()
        assert seen() == [acme]


def test_a_failed_statement_leaves_no_wrong_organisation(acme: UUID, zeta: UUID) -> None:
    with organisation_context(acme), transaction.atomic():
        with organisation_context(zeta), pytest.raises(DatabaseError), transaction.atomic():
            changed("SELECT 1 / 0")
        with organisation_context(zeta):
            assert seen() == [zeta]


@pytest.mark.parametrize(
    "statement", ["RESET ALL", "DISCARD ALL", f"SET {VARIABLE} = 'installation'", f"reset {VARIABLE}"]
)
def test_a_setting_by_hand_applies_to_no_further_statement(statement: str, acme: UUID, zeta: UUID) -> None:
    with organisation_context(zeta):
        assert seen() == [zeta]
        changed(statement)
        assert seen() == [zeta]


def test_a_connection_that_is_kept_keeps_no_organisation(acme: UUID) -> None:
    with organisation_context(acme):
        [process] = raw("SELECT pg_backend_pid()")
        assert seen() == [acme]
    assert (raw("SELECT pg_backend_pid()"), seen()) == ([process], [])


def test_a_new_connection_is_set_again(acme: UUID) -> None:
    with organisation_context(acme):
        [process] = raw("SELECT pg_backend_pid()")
        connection.close()
        assert raw("SELECT pg_backend_pid()") != [process]
        assert seen() == [acme]


def test_the_installation_sees_all_and_only_inside_its_block(acme: UUID, zeta: UUID) -> None:
    with organisation_context(acme):
        with installation_context("the test looks at both"):
            assert seen() == sorted([acme, zeta])
            with organisation_context(zeta):
                assert seen() == [zeta]
        assert seen() == [acme]


def test_threads_of_two_organisations_see_their_own(acme: UUID, zeta: UUID) -> None:
    wrong: list[object] = []
    together = threading.Barrier(THREADS, timeout=60)

    def work(mine: UUID, theirs: UUID) -> None:
        try:
            together.wait()
            for number in range(ROUNDS):
                with organisation_context(mine), suppress(Undone), transaction.atomic():
                    if seen() != [mine]:
                        wrong.append((number, mine))
                    if number % 3 == 0:
                        raise Undone
                with organisation_context(theirs):
                    if {row.organisation_id for row in TenantQuerySet(Stream).all()} != {theirs}:
                        wrong.append((number, theirs))
                if seen():
                    wrong.append((number, "nobody"))
        finally:
            connection.close()

    pairs = [(acme, zeta), (zeta, acme)] * (THREADS // 2)
    threads = [threading.Thread(target=work, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not together.broken
    assert wrong == []


def test_a_thread_that_entered_no_organisation_sees_nothing(acme: UUID) -> None:
    found: list[list[UUID]] = []

    def look() -> None:
        found.append(seen())
        connection.close()

    with organisation_context(acme):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert found == [[]]


def close() -> None:
    """Close the connection of the thread that asks."""
    connection.close()


def test_coroutines_that_share_a_connection_see_their_own(acme: UUID, zeta: UUID) -> None:
    async def look(mine: UUID) -> list[list[UUID]]:
        with organisation_context(mine):
            found = []
            for _ in range(20):
                found.append(await sync_to_async(seen)())
                found.append([row.organisation_id async for row in TenantQuerySet(Stream).all()][:1])
            return found

    async def both() -> list[list[list[UUID]]]:
        found = await asyncio.gather(look(acme), look(zeta))
        await sync_to_async(close)()
        return found

    assert asyncio.run(both()) == [[[acme]] * 40, [[zeta]] * 40]


def test_a_task_sees_the_organisation_it_was_sent_for(acme: UUID, zeta: UUID) -> None:
    found = []

    def look(*, organisation: str) -> None:
        found.append((organisation, seen()))

    task = tenant_task(look)
    for each in (acme, zeta):
        task.apply(kwargs={"organisation": str(each)}, throw=True)
    assert found == [(str(acme), [acme]), (str(zeta), [zeta])]


def test_a_cursor_of_the_server_reads_for_whom_it_was_opened(acme: UUID, zeta: UUID) -> None:
    with transaction.atomic():
        with organisation_context(zeta):
            rows = TenantQuerySet(Stream).order_by("pk").iterator(chunk_size=1)
            read = [next(rows).organisation_id]
        with installation_context("a statement between two fetches"):
            assert seen() == sorted([acme, zeta])
            read += [next(rows).organisation_id]
        assert seen() == []
        read += [row.organisation_id for row in rows]
    assert read == [zeta] * STREAMS


def test_a_cursor_of_the_server_that_outlives_its_transaction_reads_for_whom_it_was_opened(
    acme: UUID, zeta: UUID
) -> None:
    with organisation_context(zeta):
        rows = TenantQuerySet(Stream).iterator(chunk_size=1)
        read = [next(rows).organisation_id]
    read += [row.organisation_id for row in rows]
    assert read == [zeta] * STREAMS


def test_rows_that_are_streamed_and_written_in_batches_are_ones_own(acme: UUID, zeta: UUID) -> None:
    with organisation_context(zeta), connection.cursor() as cursor:
        assert [row[0] for row in cursor.cursor.stream(SEEN)] == [zeta]
        cursor.executemany("UPDATE streams_stream SET name = name WHERE organisation_id = %s", [[acme], [zeta]])
        assert cursor.rowcount == STREAMS


def test_a_migration_sees_the_rows_of_all_though_it_binds_the_owner_too(acme: UUID, zeta: UUID) -> None:
    with as_user(OWNER):
        assert seen() == []
        with connection.schema_editor():
            assert seen() == sorted([acme, zeta])
        assert seen() == []


def test_two_organisations_are_listed_by_the_installation_alone(acme: UUID, zeta: UUID) -> None:
    assert list(Organisation.objects.all()) == []
    with installation_context("the reconciler asks for all"):
        assert {each.pk for each in Organisation.objects.all()} == {acme, zeta}
