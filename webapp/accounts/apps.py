"""The accounts application."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Users, organisations, memberships and what each role may do."""

    name = "webapp.accounts"

    def ready(self) -> None:
        """Import for their registrations."""
        from webapp.accounts import checks, previews, sign_in_events  # noqa: F401
