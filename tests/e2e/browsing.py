"""Browser helpers of the tests: they use roles and labels, as a person or a screen reader does."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import Browser, Page, Playwright, expect

from tests.e2e.installation import Installation
from webapp.runs.demo import RUNNING

expect.set_options(timeout=40_000)

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
    """Ask the API for the demo's organisation, query and latest run."""
    slug = page.request.get("/api/me/").json()["organisations"][0]["slug"]
    stream = listed(page, slug, "streams")[0]["id"]
    query = next(one["id"] for one in listed(page, slug, "queries") if one["name"] == RUNNING)
    run = next(one["id"] for one in listed(page, slug, "runs") if one["binding_name"] == RUNNING)
    base = f"/t/{slug}"
    return DemoPages(
        streams=f"{base}/streams",
        stream=f"{base}/streams/{stream}",
        queries=f"{base}/queries",
        query=f"{base}/queries/{query}",
        runs=f"{base}/runs",
        alerts=f"{base}/alerts",
        run=f"{base}/runs/{run}",
        tokens=f"{base}/admin/tokens",
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


def listed(page: Page, slug: str, what: str) -> list[dict[str, str]]:
    """Return the items of an API list, paged or not."""
    body = page.request.get(f"/api/t/{slug}/{what}/").json()
    found: list[dict[str, str]] = body["results"] if isinstance(body, dict) else body
    return found
