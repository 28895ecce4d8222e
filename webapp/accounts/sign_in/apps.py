"""The sign-in as its own application, so that its mail templates take precedence over allauth's."""

from django.apps import AppConfig


class SignInConfig(AppConfig):
    """No models; templates and start-up checks."""

    name = "webapp.accounts.sign_in"
    label = "sign_in"

    def ready(self) -> None:
        """Import the module that registers the check."""
        from webapp.accounts.sign_in import checks  # noqa: F401
