"""What explains: the guide, the API and the log of a run, where people look for them."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browsing import demo_pages

pytestmark = pytest.mark.browser


def test_the_guide_is_searched_and_read_with_sql_beside_its_pictures(page: Page) -> None:
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
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("image => image.naturalWidth") == 720
    page.goto("/guide/window")
    page.get_by_role("article").get_by_role("link", name="session", exact=True).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("session windows")


def test_the_api_is_described_to_everybody_where_it_is(visitor: Page) -> None:
    visitor.goto("/api/")
    expect(visitor.get_by_role("heading", level=1)).to_have_text("API")
    expect(visitor.get_by_text("/api/t/{slug}/bindings/{binding}/start/").first).to_be_visible()
    with visitor.expect_download() as taken:
        visitor.get_by_role("link", name="OpenAPI file").click()
    assert taken.value.suggested_filename == "punctual-openapi.json"


def test_the_log_of_a_run_is_a_page_of_it_that_is_looked_through(page: Page) -> None:
    page.goto(demo_pages(page).run)
    page.get_by_role("link", name="Log", exact=True).click()
    lines = page.get_by_role("list", name="Lines of the log").get_by_role("listitem")
    expect(lines.filter(has_text="running").first).to_be_visible()
    expect(page.get_by_label("Follow")).to_be_checked()
    page.get_by_label("Find in the log").fill("no such words anywhere")
    expect(page.get_by_text("No line fits.")).to_be_visible()
