"""The additional check of allauth's sign-up form."""

from typing import Any

from allauth.core import context
from django import forms
from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.http import HttpRequest

from webapp.accounts.models import User
from webapp.accounts.sign_in.invited import invited, is_invited


class SignUpForm(forms.Form):
    """An invitation opens sign-up for the address that it was sent to, and for no other."""

    def clean(self) -> dict[str, Any]:
        """Check address and password. They are in `cleaned_data` unless they have an error of their own."""
        found: dict[str, Any] = super().clean() or self.cleaned_data
        email, password = found.get("email", ""), found.get("password")
        invitation = invited(context.request)
        if settings.SIGN_UP != "open" and email and invitation and not is_invited(context.request, email):
            sentence = "The invitation was sent to another address. Sign up with that one, or ask for a new invitation."
            self.add_error("email", forms.ValidationError(sentence, code="not_invited"))
        if password:
            try:  # at sign-up allauth compares it with no address, because there is no user yet
                validate_password(password, User(email=email))
            except forms.ValidationError as error:
                self.add_error("password", error)
        return found

    def signup(self, request: HttpRequest, user: Any) -> None:
        """Add nothing; allauth asks for this method."""
