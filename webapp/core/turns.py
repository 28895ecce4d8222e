"""Changes of one kind that an organisation makes one after the other, because a rule holds for all of them together."""

from django.db import connection

from webapp.core.context import current_organisation


def alone(what: str) -> None:
    """Let no other transaction of the organisation in context go on from here until this one has ended.

    Taken after rows are locked, never before, so that nobody waits for who waits. PostgreSQL alone knows such locks; on
    SQLite a transaction is alone from its begin.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            name = f"{current_organisation()} {what}"
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
