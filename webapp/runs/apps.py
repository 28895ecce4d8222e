"""The runs application."""

from django.apps import AppConfig


class RunsConfig(AppConfig):
    """Bindings, runs, and the reconciler that drives the observed state of runs to the desired one."""

    name = "webapp.runs"

    def ready(self) -> None:
        """Import modules that register themselves."""
        from webapp.runs.bindings import uses  # noqa: F401
        from webapp.runs.outputs import composing  # noqa: F401
        from webapp.runs.storage import usage  # noqa: F401
        from webapp.runs.turns import closing  # noqa: F401
