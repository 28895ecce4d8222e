"""What allauth's sign-up form is asked beside its own questions."""

from typing import Any

from allauth.core import context
from django import forms
from django.conf import settings
from django.http import HttpRequest

from webapp.accounts.sign_in.invited import is_invited


class SignUpForm(forms.Form):
    """An invitation opens sign-up for the address that it was sent to, and for no other."""

    def clean(self) -> dict[str, Any]:
        """Check the address. It is in `cleaned_data` unless it has a fault of its own."""
        found: dict[str, Any] = super().clean() or self.cleaned_data
        email = found.get("email")
        if settings.SIGN_UP != "open" and email and not is_invited(context.request, email):
            sentence = "The invitation was sent to another address. Sign up with that one, or ask for a new invitation."
            self.add_error("email", forms.ValidationError(sentence, code="not_invited"))
        return found

    def signup(self, request: HttpRequest, user: Any) -> None:
        """Add nothing; allauth asks for this method."""
