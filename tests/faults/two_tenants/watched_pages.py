"""A browser that reads the pages of both organisations all the time, and notes each that says what is not so."""

import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import httpx
from playwright.sync_api import Error, Page, sync_playwright

from tests.e2e.browsing import launched_browser
from tests.faults.two_tenants.tenant import KINDS, Tenant

WRONG: Final = re.compile(r"\bundefined\b|\bNaN\b|\[object Object\]|Something went wrong")
LABELS: Final = {"running": "Running", "recovering": "Recovering", "lost": "Unknown", "failed": "Failed"}
READ_MS: Final = 15_000


class WatchedPages(threading.Thread):
    """`lies`: what a page said although the API said otherwise before and after; `read`: pages that were read."""

    def __init__(self, tenants: Sequence[Tenant], email: str, password: str) -> None:
        super().__init__(daemon=True)
        self._tenants, self._email, self._password = tenants, email, password
        self.lies: list[str] = []
        self.read = 0
        self.ended = threading.Event()

    def run(self) -> None:
        with sync_playwright() as playwright, launched_browser(playwright) as browser:
            address = str(self._tenants[0].pages.base_url).partition("/api/")[0]
            page = browser.new_page(base_url=address, viewport={"width": 1280, "height": 900})
            page.on("pageerror", lambda error: self.lies.append(f"{page.url}: {error}"))
            while not self.ended.is_set():
                for tenant in self._tenants:
                    with suppress(Error, httpx.HTTPError):
                        self._read(page, tenant)
                self.ended.wait(0.5)

    def __enter__(self) -> "WatchedPages":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.join()

    def _read(self, page: Page, tenant: Tenant) -> None:
        if "/sign-in" in page.url or page.url == "about:blank":
            self._sign_in(page)
        for path in ("", "/runs", *self._run_pages(tenant)):
            before = tenant.states()
            page.goto(f"/t/{tenant.slug}{path}", timeout=READ_MS)
            page.get_by_role("heading", level=1).first.wait_for(timeout=READ_MS)
            main = page.locator("main", has_not_text="Loading the ")
            for kind in KINDS if path == "/runs" else ():  # until then the page says nothing of what is so
                main = main.filter(has_text=kind)
            text = main.inner_text(timeout=READ_MS)
            self.read += 1
            found = WRONG.search(text)
            if found:
                self.lies.append(f"{page.url}: {found[0]}")
            if path == "/runs":
                self._compare(page.url, text, before, tenant.states())

    def _compare(self, url: str, text: str, before: dict[str, str], after: dict[str, str]) -> None:
        """Note each state that the page does not name although it held before and after the page was read."""
        for kind in KINDS:
            state = before.get(kind)
            if state == after.get(kind) and state in LABELS and LABELS[state] not in text:
                self.lies.append(f"{url}: {kind} is {state}, the page does not say {LABELS[state]}")

    def _run_pages(self, tenant: Tenant) -> list[str]:
        latest = [each["latest_run"] for each in tenant.call("GET", "bindings/")]
        return [f"/runs/{each['id']}" for each in latest if each]

    def _sign_in(self, page: Page) -> None:
        page.goto("/sign-in", timeout=READ_MS)
        page.get_by_label("Email").fill(self._email, timeout=READ_MS)
        page.get_by_label("Password").fill(self._password, timeout=READ_MS)
        page.get_by_role("button", name="Sign in").click(timeout=READ_MS)
        page.wait_for_url(re.compile(r"/t/"), timeout=READ_MS)
