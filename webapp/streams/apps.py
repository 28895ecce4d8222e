"""The streams application."""

from django.apps import AppConfig


class StreamsConfig(AppConfig):
    """Streams and the adapters that feed them."""

    name = "webapp.streams"
