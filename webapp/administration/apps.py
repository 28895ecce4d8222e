"""The administration application."""

from django.apps import AppConfig


class AdministrationConfig(AppConfig):
    """The installation's own pages; audit log, export and deletion of whole organisations."""

    name = "webapp.administration"

    def ready(self) -> None:
        """Import modules that register themselves."""
        from webapp.administration import impersonation, pages  # noqa: F401
