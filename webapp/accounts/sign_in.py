"""How people sign in: allauth's headless API, by e-mail address and password, rate limits on."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Accounts are made by the people who run the installation; nobody signs up by themselves."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002
        """No."""
        return False
