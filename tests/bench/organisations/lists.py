"""Lists of one organisation among a thousand: p50 and p95 on PostgreSQL, with row-level security and without, in turns.

Run by `python -m tests.bench.organisations.lists`. With security: the application's role and backend, as in an
installation. Without: a superuser, to whom no policy applies, with Django's own backend.
"""

import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import psycopg
from rich.console import Console
from rich.table import Table

from tests.postgresql import running_postgresql

ORGANISATIONS: Final = 1_000
OF_EACH: Final = 40
"""Streams, queries, bindings, runs and audit events of each organisation: 200 objects, and about as many related
ones.
"""
ASKED: Final = 50
"""The number of organisations whose lists are requested, by their owner."""
REQUESTS: Final = 60
CONSOLE = Console(width=160)


@dataclass
class Taken:
    """Milliseconds of requests."""

    values: list[float] = field(default_factory=list)

    @property
    def p50(self) -> float:
        """The median."""
        return statistics.median(self.values)

    @property
    def p95(self) -> float:
        """The 95th percentile."""
        return statistics.quantiles(self.values, n=20)[-1]


def main() -> None:
    """Create the organisations, request each list, and print the figures."""
    with tempfile.TemporaryDirectory(prefix="punctual-bench-") as data, running_postgresql() as server:
        os.environ |= {"PUNCTUAL_DATA": data, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        with psycopg.connect(server.url, autocommit=True) as superuser:
            superuser.execute("CREATE ROLE owner LOGIN CREATEDB CREATEROLE")
            superuser.execute("CREATE DATABASE bench OWNER owner")
        as_user = {
            name: f"{server.url.replace('punctual@', f'{name}@').removesuffix('postgres')}bench"
            for name in ("punctual", "owner", "application")
        }
        for command in (["migrate", "-v0"], ["databaseroles", "--application", "application"]):
            environment = {**os.environ, "DATABASE_URL": as_user["owner"]}
            subprocess.run([sys.executable, "manage.py", *command], env=environment, check=True)
        os.environ["DATABASE_URL"] = as_user["application"]
        import django

        django.setup()
        CONSOLE.print(measured(as_user["punctual"]))


def measured(url: str) -> Table:
    """Return the figures of each list; `url` is the superuser's."""
    from django.conf import settings
    from django.db import connections

    from tests.webapp.rows.test_lists import LISTED

    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    settings.ALLOWED_HOSTS = ["testserver"]
    began = time.perf_counter()
    asker = laid_out(url)
    rows = counted(url)
    CONSOLE.print(f"{ORGANISATIONS:,} organisations, {rows:,} rows, laid out in {time.perf_counter() - began:.0f} s")
    walled = connections["default"]
    plain = without_wall()
    table = Table("list", "KiB", "queries", "with: p50 / p95 ms", "without: p50 / p95 ms", "p50 ratio", "read whole")
    for route in LISTED:
        with_wall, without, length = Taken(), Taken(), 0
        for number in range(REQUESTS + 5):
            request = asker.request(route)
            for connection, taken in ((walled, with_wall), (plain, without)):
                connections["default"] = connection
                seconds, length = timed(request)
                if number >= 5:
                    taken.values.append(seconds * 1000)
        connections["default"] = walled
        queries, whole = plans(asker.request(route))
        ratio = f"{with_wall.p50 / without.p50:.2f}"
        figures = [f"{each.p50:.1f} / {each.p95:.1f}" for each in (with_wall, without)]
        CONSOLE.print(f"{route}: {figures[0]}, {figures[1]}")
        table.add_row(route, f"{length / 1024:.0f}", str(queries), *figures, ratio, ", ".join(sorted(whole)) or "none")
    plain.close()
    walled.close()
    return table


@dataclass(frozen=True)
class Asker:
    """The owner of some of the organisations; `filled`: the ids for addresses, by slug."""

    client: Any
    filled: dict[str, Any]

    def request(self, route: str) -> Callable[[], Any]:
        """Return a request of `route` in a random organisation."""
        from tests.webapp.rows.filling import address_of

        slug = random.choice(list(self.filled))
        found = self.filled[slug]
        address = address_of(route, slug, found)
        return lambda: self.client.get(address)


def laid_out(url: str) -> Asker:
    """Fill one organisation, copy it a thousand times with SQL, and return the owner of some of the copies."""
    from django.test import Client

    from tests.webapp.rows.filling import Filled, fill
    from webapp.accounts.models import Membership, Organisation, User
    from webapp.accounts.permissions import Role
    from webapp.core.context import installation_context

    with installation_context("the benchmark lays out what it measures"):
        asker = User.objects.create_user("asker@people.example")
        template = Organisation.objects.create(slug="template", name="Template")
        many = [Organisation(slug=f"tenant-{n:04}", name=f"Tenant {n}") for n in range(ORGANISATIONS - 1)]
        Organisation.objects.bulk_create(many)
        filled = fill(template, OF_EACH)
        copy_to_all(url, template.pk)
        asked = random.Random(6).sample(many, ASKED)
        Membership.objects.bulk_create(Membership(organisation=each, user=asker, role=Role.OWNER) for each in asked)
    client = Client()
    client.force_login(asker, backend="allauth.account.auth_backends.AuthenticationBackend")
    with psycopg.connect(url) as superuser:
        known = {
            each.slug: Filled(*(_copied(superuser, one, each.pk) for one in (filled.query, filled.account)))
            for each in asked
        }
    return Asker(client, known)


def _copied(superuser: "psycopg.Connection", one: Any, organisation: Any) -> Any:
    found = superuser.execute("SELECT md5(%s::text || %s::text)::uuid", [one, organisation]).fetchone()
    return found[0] if found else None


def copy_to_all(url: str, template: Any) -> None:
    """Copy the rows of organisation `template` to all others; ids derive from both, so references are valid."""
    from tests.webapp.rows.layout import OWNED
    from webapp.accounts.models import Organisation
    from webapp.core.database.row_security import references

    with psycopg.connect(url) as superuser:
        superuser.execute("SET session_replication_role = replica")  # skip triggers and foreign keys
        for model in OWNED:
            if model is Organisation:
                continue
            made = {"organisation_id": "o.id", "key_id": "left(md5(t.key_id || o.id::text), 12)"}
            made |= {key: f"md5(t.{key}::text || o.id::text)::uuid" for key in ("id", *references(model))}
            columns = [each.column for each in model._meta.concrete_fields]
            values = ", ".join(made.get(column, f't."{column}"') for column in columns)
            names = ", ".join(f'"{column}"' for column in columns)
            table = model._meta.db_table
            superuser.execute(
                f"INSERT INTO {table} ({names}) SELECT {values} FROM {table} t, accounts_organisation o"
                " WHERE t.organisation_id = %s AND o.id <> t.organisation_id",
                [template],
            )
    with psycopg.connect(url, autocommit=True) as superuser:
        superuser.execute("VACUUM ANALYZE")


def counted(url: str) -> int:
    """Return the number of rows in all tables with an organisation."""
    from tests.webapp.rows.layout import OWNED

    with psycopg.connect(url) as superuser:
        tables = [model._meta.db_table for model in OWNED]
        return sum((superuser.execute(f"SELECT count(*) FROM {each}").fetchone() or (0,))[0] for each in tables)


def without_wall() -> Any:
    """Return a connection of the superuser with Django's own backend."""
    from django.db import connections
    from django.db.utils import load_backend

    settings = {**connections["default"].settings_dict, "USER": "punctual", "ENGINE": "django.db.backends.postgresql"}
    return load_backend("django.db.backends.postgresql").DatabaseWrapper(settings, "default")


def timed(request: Callable[[], Any]) -> tuple[float, int]:
    """Return the seconds of `request`, and the bytes of its answer."""
    began = time.perf_counter()
    answered = request()
    length = len(b"".join(answered)) if answered.streaming else len(answered.content)
    seconds = time.perf_counter() - began
    if answered.status_code != 200:
        raise SystemExit(f"{answered.status_code}: {answered.content[:500]!r}")
    return seconds, length


def plans(request: Callable[[], Any]) -> tuple[int, set[str]]:
    """Return the number of queries of `request`, and the organisations' tables that one of them scans completely."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from tests.webapp.rows.layout import OWNED

    owned, whole = {model._meta.db_table for model in OWNED}, set()
    with CaptureQueriesContext(connection) as captured, explaining() as explained:
        timed(request)
    for plan in explained:
        whole |= {each for each in re.findall(r"Seq Scan on (\w+)", plan) if each in owned}
    return len(captured), whole


@contextmanager
def explaining() -> Iterator[list[str]]:
    """Explain each query before it runs, with its own role; yield the list of plans."""
    from django.db import connection

    found: list[str] = []

    def explain(execute: Any, statement: Any, parameters: Any, many: bool, context: Any) -> Any:
        if str(statement).startswith("SELECT"):
            with connection.connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN {statement}", parameters)
                found.append("\n".join(row[0] for row in cursor.fetchall()))
        return execute(statement, parameters, many, context)

    with connection.execute_wrapper(explain):
        yield found


if __name__ == "__main__":
    main()
