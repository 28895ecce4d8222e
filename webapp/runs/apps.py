"""The runs application."""

from django.apps import AppConfig


class RunsConfig(AppConfig):
    """Bindings, runs, and the reconciler that makes what is observed follow what is desired."""

    name = "webapp.runs"

    def ready(self) -> None:
        """Import for their registrations."""
        from webapp.runs.bindings import uses  # noqa: F401
        from webapp.runs.outputs import composing  # noqa: F401
        from webapp.runs.storage import usage  # noqa: F401
        from webapp.runs.turns import closing  # noqa: F401
