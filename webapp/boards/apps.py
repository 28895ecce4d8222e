"""The boards application."""

from django.apps import AppConfig


class BoardsConfig(AppConfig):
    """Boards, their versions and their links."""

    name = "webapp.boards"

    def ready(self) -> None:
        """Import modules that register themselves."""
        from webapp.boards import usage  # noqa: F401
