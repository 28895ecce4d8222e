"""The alerts application."""

from django.apps import AppConfig


class AlertsConfig(AppConfig):
    """Rules on bindings, and notifications about them."""

    name = "webapp.alerts"

    def ready(self) -> None:
        """Import modules that register themselves."""
        from webapp.alerts import resealing  # noqa: F401
