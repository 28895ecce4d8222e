"""Dora has an account; the address of the pages is another than the host that tests ask."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.oidc import PROVIDER, Provider, running_provider
from tests.webapp.sign_in.browser import PASSWORD, Browser
from webapp.accounts.models import User
from webapp.accounts.sign_in import invited

EMAIL = "dora@acme.example"


@pytest.fixture
def dora(db: None) -> User:
    return User.objects.create_user(EMAIL, PASSWORD)


@pytest.fixture
def browser(dora: User) -> Browser:
    """A browser in which dora is signed in."""
    made = Browser()
    assert made.sign_in(EMAIL).status_code == 200
    return made


@pytest.fixture
def by_invitation(settings: Any) -> None:
    settings.SIGN_UP = "invitation"


@pytest.fixture
def open_sign_up(settings: Any, db: None) -> None:
    settings.SIGN_UP = "open"


@pytest.fixture
def invitations(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Invitations that are open: their texts, each with its address."""

    class Found:
        def __init__(self, email: str) -> None:
            self.email = email
            self.sent_at: datetime | None = datetime(2026, 11, 22, tzinfo=UTC)

    texts: dict[str, str] = {}
    monkeypatch.setattr(invited, "find", lambda text: Found(texts[text]) if text in texts else None)
    return texts


@pytest.fixture
def invite(invitations: dict[str, str]) -> Any:
    """Show a browser an invitation for an address, as `POST /api/invitations/look/` does."""

    def show(browser: Browser, email: str) -> None:
        invitations["inv_1_secret"] = email
        session = browser.client.session
        session[invited.SESSION_KEY] = "inv_1_secret"
        session.save()
        browser.client.cookies["sessionid"] = session.session_key

    return show


@pytest.fixture(scope="session")
def running() -> Iterator[Provider]:
    with running_provider() as provider:
        yield provider


@pytest.fixture
def provider(running: Provider, settings: Any) -> Provider:
    """A real provider on the loopback address, which the installation is configured for."""
    app = {**PROVIDER, "settings": {"server_url": running.issuer}}
    providers = {"openid_connect": {**settings.SOCIALACCOUNT_PROVIDERS["openid_connect"], "APPS": [app]}}
    settings.SOCIALACCOUNT_PROVIDERS = providers
    return running
