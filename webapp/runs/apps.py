"""The runs application."""

from django.apps import AppConfig


class RunsConfig(AppConfig):
    """Bindings, runs, and the reconciler that makes what is observed follow what is desired."""

    name = "webapp.runs"

    def ready(self) -> None:
        """Import for their registrations."""
        from webapp.runs import closing, composing, usage, uses  # noqa: F401
