"""The audit application."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """Events of what was done; append-only."""

    name = "webapp.audit"

    def ready(self) -> None:
        """Import the start-up check for its registration."""
        from webapp.audit import checks  # noqa: F401
