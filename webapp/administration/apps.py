"""The administration application."""

from django.apps import AppConfig


class AdministrationConfig(AppConfig):
    """The pages of those who run the installation; audit, export and deletion of whole organisations."""

    name = "webapp.administration"

    def ready(self) -> None:
        """Import for their registration."""
        from webapp.administration import impersonation, pages  # noqa: F401
