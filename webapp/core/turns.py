"""Changes of one kind that run one after the other in an organisation, because a rule covers all of them together."""

from django.db import connection

from webapp.core.context import current_organisation


def alone(what: str) -> None:
    """Block other transactions of the organisation in context here until this one has ended.

    Must be called after rows are locked, never before, to avoid deadlocks. Only PostgreSQL has such locks; on SQLite a
    transaction runs alone from its start.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            name = f"{current_organisation()} {what}"
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
