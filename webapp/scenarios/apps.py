"""The scenarios application."""

from django.apps import AppConfig


class ScenariosConfig(AppConfig):
    """Samples stored with queries, and the verdict of each version on them."""

    name = "webapp.scenarios"

    def ready(self) -> None:
        """Import modules that register themselves."""
        from webapp.scenarios import following, tasks, usage  # noqa: F401
