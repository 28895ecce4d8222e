"""The sign-in as an application of its own, so that its templates of mails stand before allauth's."""

from django.apps import AppConfig


class SignInConfig(AppConfig):
    """No models; templates and start-up checks."""

    name = "webapp.accounts.sign_in"
    label = "sign_in"

    def ready(self) -> None:
        """Import for its registration."""
        from webapp.accounts.sign_in import checks  # noqa: F401
