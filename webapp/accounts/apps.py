"""The accounts application."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Users, organisations, memberships and what each role may do."""

    name = "webapp.accounts"
