"""Registers the start-up checks and the OpenAPI extension."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    """The core application; it has no models of its own."""

    name = "webapp.core"

    def ready(self) -> None:
        """Import modules that register themselves."""
        from webapp.core import checks, schema  # noqa: F401
        from webapp.core.database import checks as database_checks  # noqa: F401
