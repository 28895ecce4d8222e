"""The monitoring application."""

from django.apps import AppConfig


class MonitoringConfig(AppConfig):
    """The live page of a run: progress, results and quarantine."""

    name = "webapp.monitoring"
