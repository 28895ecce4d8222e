"""Ada runs the installation; she belongs to no organisation."""

from typing import Any

import pytest
from django.test import Client

from webapp.accounts.models import User

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


@pytest.fixture
def ada(db: None) -> Client:
    """A superuser, signed in."""
    user = User.objects.create_superuser("ada@installation.example", "a long enough password")
    client = Client(raise_request_exception=False)
    client.force_login(user, backend=BACKEND)
    return client


@pytest.fixture
def staff(db: None) -> Client:
    """Somebody of the staff without further rights, signed in."""
    user = User.objects.create_user("sam@installation.example", "a long enough password", is_staff=True)
    client = Client(raise_request_exception=False)
    client.force_login(user, backend=BACKEND)
    return client


def text(answered: Any) -> str:
    return str(answered.content.decode())
