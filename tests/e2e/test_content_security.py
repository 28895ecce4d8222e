"""Pages comply with a policy without inline styles; the fixture `page` (conftest) fails on violations."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.browsing import demo_pages, hover_until, loaded, opened_panel
from tests.e2e.conftest import TELL_VIOLATIONS
from tests.e2e.installation import Installation
from tests.e2e.runs.test_run import binding_row, demo_runs

pytestmark = pytest.mark.browser

SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
TITLED = pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.thorough)])
"""For pages that `test_pages` mostly visits in the dark scheme too, with the same check."""


def settled(page: Page) -> None:
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    loaded(page)


def in_scheme(page: Page, scheme: str) -> Page:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    return page


def test_an_inline_style_is_refused_and_reported(browser: Browser, installation: Installation) -> None:
    context = browser.new_context(base_url=installation.address)
    context.add_init_script(TELL_VIOLATIONS)
    page = context.new_page()
    page.goto("/sign-in")
    settled(page)
    with page.expect_console_message(lambda message: "CSP violation" in message.text) as caught:
        page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p id=dressed style=color:red>x</p>')")
    assert "style-src-attr" in caught.value.text
    assert page.evaluate("getComputedStyle(dressed).color") != "rgb(255, 0, 0)"
    context.close()


@TITLED
def test_no_page_of_a_member_violates_the_policy(page: Page, scheme: str) -> None:
    in_scheme(page, scheme)
    for address in demo_pages(page).named().values():
        page.goto(address)
        settled(page)


@TITLED
def test_no_page_of_a_visitor_violates_the_policy(visitor: Page, scheme: str) -> None:
    in_scheme(visitor, scheme)
    for address in ("/sign-in", "/nowhere"):
        visitor.goto(address)
        settled(visitor)


def test_editors_with_completion_and_explanation_comply_with_the_policy(page: Page) -> None:
    page.goto(demo_pages(page).query)
    expect(page.get_by_text("Checked:")).to_be_visible()
    sql = page.get_by_role("textbox", name="The query as SQL")
    sql.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("SELECT STREAM * FROM cars WHERE sp")
    page.keyboard.press("Control+Space")
    expect(page.get_by_role("option", name="speed")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".cm-lintRange-error").first).to_be_visible()
    page.locator(".cm-lintRange-error").first.hover()
    hover_until(page.locator(".cm-lint-marker").first, page.locator(".cm-tooltip-lint").first)
    assert page.locator(".cm-scroller").first.evaluate("box => getComputedStyle(box).display") == "flex"
    page.get_by_role("button", name="JSON", exact=True).click()
    expect(page.get_by_role("textbox", name="The query as JSON")).to_be_visible()
    page.goto(demo_pages(page).query)
    page.get_by_role("button", name="Discard changes").click()
    expect(page.get_by_text("Checked: no problems.")).to_be_visible()
    expect(opened_panel(page, "How it runs").get_by_role("group", name="Explanation")).to_contain_text("by_lane")
    page.get_by_role("region", name="Graph").get_by_text("by_lane", exact=True).first.click()


@SCHEMES
def test_charts_with_tooltips_comply_with_the_policy(page: Page, scheme: str) -> None:
    in_scheme(page, scheme)
    demo_runs(page)
    page.goto(demo_pages(page).run)
    charts = page.locator(".chart")
    expect(charts.first.locator("svg")).to_be_visible()
    expect(charts.first.locator("svg path").nth(8)).to_be_attached()
    for index in range(charts.count()):
        charts.nth(index).scroll_into_view_if_needed()
        charts.nth(index).hover()
    hover_until(charts.first, charts.first.get_by_text("(your time)").first)


def test_dialogs_and_menus_comply_with_the_policy(page: Page) -> None:
    pages = demo_pages(page)
    page.goto(pages.runs)
    row = binding_row(page)
    expect(row).to_be_visible()
    row.get_by_role("button", name=re.compile("^Stop|^Start")).first.hover()
    if row.get_by_role("button", name=re.compile("^Stop")).count():
        row.get_by_role("button", name=re.compile("^Stop")).first.click()
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
    for address in (pages.streams, pages.queries, pages.runs, pages.tokens):
        page.goto(address)
        settled(page)
        opened_menus(page)


def opened_menus(page: Page) -> None:
    """Open everything with a popup, and close it again."""
    for index in range(page.locator("[aria-haspopup]").count()):
        page.locator("[aria-haspopup]").nth(index).click()
        expect(page.locator("[aria-expanded=true]").first).to_be_visible()
        page.keyboard.press("Escape")
