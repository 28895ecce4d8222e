"""Registers the start-up checks and the OpenAPI extension."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    """The core application; it has no models of its own."""

    name = "webapp.core"

    def ready(self) -> None:
        """Import for their registration."""
        from webapp.core import checks, database_checks, schema  # noqa: F401
