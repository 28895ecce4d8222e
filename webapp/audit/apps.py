"""The audit application."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """The audit log; append-only."""

    name = "webapp.audit"

    def ready(self) -> None:
        """Import the start-up check, which registers itself."""
        from webapp.audit import checks  # noqa: F401
