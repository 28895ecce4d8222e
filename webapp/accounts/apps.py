"""The accounts application."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Users, organisations, memberships and what each role may do."""

    name = "webapp.accounts"

    def ready(self) -> None:
        """Import modules that register themselves."""
        from webapp.accounts import checks, sign_in_events  # noqa: F401
        from webapp.accounts.limits import previews  # noqa: F401
