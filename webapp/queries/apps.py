"""The queries application."""

from django.apps import AppConfig


class QueriesConfig(AppConfig):
    """Queries and their immutable versions."""

    name = "webapp.queries"
