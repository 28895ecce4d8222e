"""Visitors see nothing; signed-in people see every page, and all pages are accessible."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages, loaded, signed_in
from tests.e2e.installation import Installation
from tests.e2e.runs.test_run import demo_runs

pytestmark = pytest.mark.browser

TITLES = {
    "streams": "Streams",
    "stream": "cars",
    "queries": "Queries",
    "query": "speeding",
    "runs": "Runs",
    "alerts": "Alerts",
    "run": "speeding",
    "tokens": "Access tokens",
    "confirmations": "Plans to confirm",
    "overview": "Live",
    "log": "speeding",
    "guide": "Guide",
    "guide_page": "join",
    "adapter": "Webhook, output",
    "api": "API",
}


def test_a_stranger_is_sent_to_the_sign_in_page(visitor: Page) -> None:
    visitor.goto("/t/demo/runs")
    expect(visitor).to_have_url(re.compile(r"/sign-in\?next="))
    expect(visitor.get_by_role("heading", name="Sign in")).to_be_visible()


def test_the_demo_s_user_signs_in_and_sees_the_overview(page: Page, visitor: Page, installation: Installation) -> None:
    demo_runs(page)
    signed_in(visitor, installation)
    expect(visitor).to_have_url(re.compile(r"/t/demo$"))
    expect(visitor.get_by_role("heading", level=1)).to_have_text("Live")
    visitor.get_by_role("row").get_by_role("link", name="speeding", exact=True).click()
    expect(visitor).to_have_url(re.compile(r"/t/demo/live/[0-9a-f-]{36}$"))
    expect(visitor.get_by_role("region", name="Verdict")).to_contain_text("Can I trust the numbers?")
    assert violations(visitor) == []


def test_a_wrong_password_is_refused_with_a_sentence(visitor: Page) -> None:
    visitor.goto("/sign-in")
    visitor.get_by_label("Email").fill("demo@punctual.example")
    visitor.get_by_label("Password").fill("not the password")
    visitor.get_by_role("button", name="Sign in").click()
    expect(visitor.get_by_role("alert")).to_be_visible()


def test_the_sign_in_page_has_no_accessibility_violations(visitor: Page) -> None:
    visitor.goto("/sign-in")
    expect(visitor.get_by_role("heading", name="Sign in")).to_be_visible()
    assert violations(visitor) == []


@pytest.mark.parametrize("name", sorted(TITLES))
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_shows_its_title_and_has_no_accessibility_violations(page: Page, name: str, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(demo_pages(page).named()[name])
    expect(page.get_by_role("heading", level=1)).to_contain_text(TITLES[name])
    loaded(page)
    if name == "api":  # the page is silent while it loads the file that it describes
        expect(page.get_by_text("/api/t/{slug}/bindings/{binding}/start/").first).to_be_visible()
    assert violations(page) == []


def test_the_pages_of_an_organisation_that_is_not_mine_do_not_exist(page: Page) -> None:
    page.goto("/t/another/runs")
    expect(page.get_by_text("you are not a member")).to_be_visible()
    assert page.request.get("/api/t/another/runs/").status == 404
