"""The scenarios application."""

from django.apps import AppConfig


class ScenariosConfig(AppConfig):
    """Samples kept with queries, and whether each version gives what they expect."""

    name = "webapp.scenarios"

    def ready(self) -> None:
        """Import for their registrations."""
        from webapp.scenarios import tasks, usage  # noqa: F401
