"""Acting as somebody, by the way that the installation's pages offer."""

from dataclasses import replace

from django.test import Client

from tests.webapp.conftest import Person
from webapp.accounts.models import User


def acted_as(person: Person, by: str = "ada@installation.example") -> Person:
    """Return `person` with the client of the superuser `by`, who acts as them."""
    client = Client(raise_request_exception=False)
    admin = User.objects.create_superuser(by, "a long enough password")
    client.force_login(admin, backend="allauth.account.auth_backends.AuthenticationBackend")
    begun = client.post("/installation/impersonation/acquire/", {"user_pk": str(person.user.pk)})
    assert begun.status_code == 302
    return replace(person, client=client)
