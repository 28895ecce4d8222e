"""Documentation pages: the guide, the API reference and the log of a run."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages
from tests.e2e.runs.test_run import demo_runs

pytestmark = pytest.mark.browser


def test_the_guide_can_be_searched_and_has_sql_next_to_its_pictures(page: Page) -> None:
    page.goto(demo_pages(page).overview)
    page.get_by_role("button", name="Help").click()
    page.get_by_role("menuitem", name="Guide").click()
    page.get_by_label("Search the guide").fill("left_outer")
    page.get_by_role("main").get_by_role("listitem").get_by_role("link", name="join", exact=True).last.click()
    expect(page).to_have_url(re.compile("/guide/join$"))
    article = page.get_by_role("article")
    expect(article).to_contain_text("SELECT STREAM * FROM `left` JOIN `right` USING (k)")
    picture = article.get_by_role("img").first
    picture.scroll_into_view_if_needed()
    expect(picture).to_have_js_property("naturalWidth", 720)
    page.goto("/guide/window")
    page.get_by_role("article").get_by_role("link", name="session", exact=True).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("session windows")


def test_the_api_reference_is_public(visitor: Page) -> None:
    visitor.goto("/api/")
    expect(visitor.get_by_role("heading", level=1)).to_have_text("API")
    expect(visitor.get_by_text("/api/t/{slug}/bindings/{binding}/start/").first).to_be_visible()
    with visitor.expect_download() as taken:
        visitor.get_by_role("link", name="OpenAPI file").click()
    assert taken.value.suggested_filename == "punctual-openapi.json"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_expanded_api_calls_have_no_accessibility_violations(page: Page, scheme: str) -> None:
    """One call of each method, with its parameters, body and responses, and one that is tried."""
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto("/api/")
    for method in ("get", "post", "put", "delete"):
        call = page.locator(f".opblock-{method}").first
        call.get_by_role("button").first.click()
        expect(call.locator(".responses-table").first).to_be_visible()
    tried = page.locator(".opblock-get").first
    tried.get_by_role("button", name="Try it out").click()
    expect(tried.get_by_role("button", name="Execute")).to_be_visible()
    assert violations(page) == []


def test_the_log_of_a_run_can_be_searched(page: Page) -> None:
    demo_runs(page)
    page.goto(demo_pages(page).run)
    page.get_by_role("link", name="Log", exact=True).click()
    lines = page.get_by_role("list", name="Lines of the log").get_by_role("listitem")
    expect(lines.first).to_be_visible()
    page.get_by_label("Search the log").fill("running")
    expect(lines.filter(has_not_text="running")).to_have_count(0)
    expect(lines.first).to_be_visible()
    expect(page.get_by_label("Follow")).to_be_checked()
    page.get_by_label("Search the log").fill("no such words anywhere")
    expect(page.get_by_text("No matching lines")).to_be_visible()
