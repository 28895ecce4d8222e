"""A token is created, shown once, used by a program, and revoked."""

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browsing import demo_pages
from tests.e2e.installation import Installation

pytestmark = pytest.mark.browser


def test_a_token_is_shown_once_works_and_is_rejected_after_it_is_revoked(
    page: Page, installation: Installation
) -> None:
    organisation = demo_pages(page).runs.rpartition("/")[0]
    page.goto(organisation)
    page.get_by_role("button", name="Account of").click()
    page.get_by_role("menuitem", name="Access tokens").click()
    page.get_by_role("button", name="New token").click()
    page.get_by_label("Name", exact=True).fill("weekly figures")
    page.get_by_role("button", name="Create token").click()
    secret = page.get_by_role("dialog").locator("code").inner_text()
    page.get_by_role("button", name="Done").click()

    address = f"{installation.address}api{organisation}/runs/"
    assert request_status(address, secret) == 200
    expect(page.get_by_role("row").filter(has_text="weekly figures")).to_contain_text("active")
    assert secret not in page.content()

    page.get_by_role("button", name="Revoke weekly figures").click()
    page.get_by_role("button", name="Revoke token").click()
    expect(page.get_by_role("row").filter(has_text="weekly figures")).to_contain_text("revoked")
    assert request_status(address, secret) == 401


def request_status(address: str, token: str) -> int:
    return httpx.get(address, headers={"Authorization": f"Bearer {token}"}, timeout=60).status_code
