"""The confirmations application."""

from django.apps import AppConfig


class ConfirmationsConfig(AppConfig):
    """Plans of programs that take effect only after a person confirms them."""

    name = "webapp.confirmations"

    def ready(self) -> None:
        """Import modules that register themselves."""
        from webapp.confirmations import plans  # noqa: F401
