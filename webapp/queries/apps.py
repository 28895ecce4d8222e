"""The queries application."""

from django.apps import AppConfig


class QueriesConfig(AppConfig):
    """Queries and their immutable versions."""

    name = "webapp.queries"

    def ready(self) -> None:
        """Import the module that registers itself."""
        from webapp.queries import following  # noqa: F401
