"""The bundles application."""

from django.apps import AppConfig


class BundlesConfig(AppConfig):
    """An organisation's definitions as files; it has no models of its own."""

    name = "webapp.bundles"
