"""The audit application."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """Events of what was done; append-only."""

    name = "webapp.audit"
