"""Fixtures: a browser, an installation, and pages of the installation in the browser."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, StorageState, sync_playwright

from tests.e2e.browsing import launched_browser, signed_in
from tests.e2e.installation import Installation, running_installation
from tests.e2e.mailbox import mail_server
from tests.oidc import CLIENT, SECRET, Provider, running_provider


@pytest.fixture(scope="session")
def provider() -> Iterator[Provider]:
    """An OpenID Connect provider for signing in."""
    with running_provider() as running:
        yield running


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> Iterator[Installation]:
    """One installation for all tests of the session, with a running demo."""
    var = tmp_path_factory.mktemp("installation")
    with mail_server(var) as post, running_installation(var, settings_of(provider, post)) as running:
        before = os.umask(0o077)  # the files of tests are those of the installation's user
        yield running
        os.umask(before)


def settings_of(provider: Provider, post: str) -> dict[str, str]:
    """The settings of an installation with an account provider and a mail server."""
    return {
        "PUNCTUAL_SMTP_URL": post,
        "PUNCTUAL_OIDC_ISSUER": provider.issuer,
        "PUNCTUAL_OIDC_CLIENT_ID": CLIENT,
        "PUNCTUAL_OIDC_CLIENT_SECRET": SECRET,
        "PUNCTUAL_OIDC_NAME": "Company",
    }


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as playwright, launched_browser(playwright) as browser:
        yield browser


@pytest.fixture(scope="session")
def session_cookies(browser: Browser, installation: Installation) -> StorageState:
    """The browser's storage after the demo's user has signed in through the page."""
    context = browser.new_context(base_url=installation.address)
    signed_in(context.new_page(), installation)
    cookies = context.storage_state()
    context.close()
    return cookies


TELL_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error("CSP violation", event.effectiveDirective, event.blockedURI, event.sourceFile, event.sample))
"""
"""Runs before any script of a page and logs violations of the content security policy to the console."""


DEFERRED = "ResizeObserver loop"
"""The browser's message that it reports a change of size one frame later: it depends on the browser's load."""


@contextmanager
def page_without_faults(browser: Browser, address: str, cookies: StorageState | None) -> Iterator[Page]:
    """Open a page; at the end check that no script failed and that nothing violated its content security policy."""
    context = browser.new_context(
        base_url=address, storage_state=cookies, viewport={"width": 1280, "height": 900}, reduced_motion="reduce"
    )
    context.add_init_script(TELL_VIOLATIONS)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)) if DEFERRED not in str(error) else None)
    page.on("console", lambda message: faults.append(message.text) if "CSP violation" in message.text else None)
    try:
        yield page
    finally:
        page.unroute_all(behavior="ignoreErrors")  # pages poll: a request may be on its way through a test's route
        context.close()
    assert faults == []


@pytest.fixture
def visitor(browser: Browser, installation: Installation) -> Iterator[Page]:
    """A page of a visitor who is not signed in."""
    with page_without_faults(browser, installation.address, None) as page:
        yield page


@pytest.fixture
def page(browser: Browser, installation: Installation, session_cookies: StorageState) -> Iterator[Page]:
    """A page of the demo's signed-in user."""
    with page_without_faults(browser, installation.address, session_cookies) as page:
        yield page
