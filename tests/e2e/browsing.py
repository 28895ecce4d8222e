"""Browser helpers of the tests: they use roles and labels, as a person or a screen reader does."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Locator, Page, Playwright, expect

from tests.e2e.installation import Installation
from webapp.runs.demo import RUNNING, SLUG, STREAM

expect.set_options(timeout=40_000)
SPARK_MS = 180_000
"""The timeout of a start or a stop, in which Spark opens or finishes a query; the first one also starts a runner."""

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def launched_browser(playwright: Playwright) -> Iterator[Browser]:
    """Start Debian's Chromium, which make prepare-tests installs."""
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS), headless=True)
    try:
        yield browser
    finally:
        browser.close()


def signed_in(page: Page, installation: Installation) -> Page:
    """Sign in the demo's user through the page."""
    page.goto("/sign-in")
    page.get_by_label("Email").fill(installation.email)
    page.get_by_label("Password").fill(installation.password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page).not_to_have_url(f"{installation.address}sign-in")
    return page


def loaded(page: Page) -> None:
    """Wait until no part of the page loads; such a part is empty at first, so that its words don't show it."""
    expect(page.locator(".waiting")).to_have_count(0)


def opened_panel(page: Page, title: str) -> Locator:
    """Open a panel below the editors of a query by its tab, and return it."""
    tabs = page.get_by_role("tablist", name="Panels of the query")
    tabs.get_by_role("tab", name=re.compile(f"^{title}")).click()
    return page.get_by_role("tabpanel", name=re.compile(f"^{title}"))


def hover_until(target: Locator, shown: Locator) -> None:
    """Point at `target` until `shown` is visible; again if the page moved it away from the pointer before."""
    for _ in range(10):
        target.page.mouse.move(0, 0)
        target.hover()
        try:
            expect(shown).to_be_visible(timeout=4_000)
        except AssertionError:
            continue
        return
    expect(shown).to_be_visible()


@dataclass(frozen=True)
class DemoPages:
    """The addresses of the demo's pages, from the API of the signed-in user."""

    streams: str
    stream: str
    queries: str
    query: str
    runs: str
    alerts: str
    run: str
    tokens: str
    confirmations: str
    members: str
    roles: str
    service_accounts: str
    limits: str
    audit: str
    settings: str
    overview: str
    log: str
    guide: str
    guide_page: str
    adapter: str
    api: str

    def named(self) -> dict[str, str]:
        """Return each page's address by its name."""
        return dict(vars(self))


def demo_pages(page: Page) -> DemoPages:
    """Ask the API for the demo's stream, query and latest run, next to which tests create others."""
    stream = named(page, SLUG, "streams", STREAM)["id"]
    query = named(page, SLUG, "queries", RUNNING)["id"]
    run = named(page, SLUG, "bindings", RUNNING)["latest_run"]["id"]
    base = f"/t/{SLUG}"
    return DemoPages(
        streams=f"{base}/streams",
        stream=f"{base}/streams/{stream}",
        queries=f"{base}/queries",
        query=f"{base}/queries/{query}",
        runs=f"{base}/runs",
        alerts=f"{base}/alerts",
        run=f"{base}/runs/{run}",
        tokens=f"{base}/admin/tokens",
        confirmations=f"{base}/confirmations",
        members=f"{base}/admin/members",
        roles=f"{base}/admin/roles",
        service_accounts=f"{base}/admin/service-accounts",
        limits=f"{base}/admin/limits",
        audit=f"{base}/admin/audit",
        settings=f"{base}/admin/organisation",
        overview=base,
        log=f"{base}/runs/{run}/logs",
        guide="/guide",
        guide_page="/guide/join",
        adapter=f"{base}/adapters/out/webhook",
        api="/api/",
    )


def named(page: Page, slug: str, what: str, name: str) -> dict[str, Any]:
    """Return the item with this name of an API list."""
    (found,) = [one for one in page.request.get(f"/api/t/{slug}/{what}/").json() if one["name"] == name]
    assert isinstance(found, dict)
    return found
