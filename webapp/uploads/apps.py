"""The uploads application."""

from django.apps import AppConfig


class UploadsConfig(AppConfig):
    """Files that people upload into the organisation's folder; it has no models of its own."""

    name = "webapp.uploads"

    def ready(self) -> None:
        """Import the module that registers the count of stored bytes."""
        from webapp.uploads import usage  # noqa: F401 # it registers its count
