"""A browser, an installation, and a page of the one on the other."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.e2e.browsing import launched_browser, signed_in
from tests.e2e.installation import Installation, running_installation


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One installation for all tests of the session, its demo running."""
    with running_installation(tmp_path_factory.mktemp("installation")) as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as playwright, launched_browser(playwright) as browser:
        yield browser


@pytest.fixture
def visitor(browser: Browser, installation: Installation) -> Iterator[Page]:
    """A page that is not signed in; the test fails when a script of it failed."""
    context = browser.new_context(base_url=installation.address, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    context.close()
    assert faults == []


@pytest.fixture
def page(visitor: Page, installation: Installation) -> Page:
    """A page of the demo's user, just signed in."""
    return signed_in(visitor, installation)
