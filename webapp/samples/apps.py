"""The samples application."""

from django.apps import AppConfig


class SamplesConfig(AppConfig):
    """Samples for the time simulator; it has no models of its own."""

    name = "webapp.samples"
