"""The results of the text on the screen, on an automatic sample, next to those of the running version."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages, loaded, opened_panel
from tests.e2e.designer.test_query import write
from tests.e2e.runs.test_run import demo_runs

pytestmark = pytest.mark.browser
QUERY = re.compile("WINDOW BY TUMBLE [0-9a-z]+")


def test_the_preview_follows_typing_and_marks_what_differs_from_the_running_version(page: Page) -> None:
    demo_runs(page)
    page.goto(demo_pages(page).query)
    preview = page.get_by_role("region", name="Results preview", exact=True)
    expect(preview).to_contain_text("rows read from cars")
    expect(preview).to_contain_text("Live as you type.")
    expect(preview).to_contain_text("the same as in version 1")
    expect(page.locator(".graph-node .figures-line").first).to_be_visible()
    text = page.get_by_role("textbox", name="The query as SQL").inner_text()
    assert QUERY.search(text)
    write(page, QUERY.sub("WINDOW BY TUMBLE", text))
    expect(preview).to_contain_text("The query has an error")
    expect(preview).to_contain_text("not of the text on the screen")
    expect(page.locator(".graph-node .figures-line")).to_have_count(0)
    write(page, QUERY.sub("WINDOW BY TUMBLE 7s", text))
    expect(preview).to_contain_text("Live as you type.")
    expect(preview.locator("tr[data-difference=new]").first).to_be_visible()
    expect(preview.locator("tr[data-difference=gone]").first).to_be_visible()
    loaded(page)
    assert violations(page) == []
    preview.locator("tr[data-difference=new]").first.get_by_role("button", name="Why?").click()
    expect(opened_panel(page, "Simulator").get_by_role("region", name="Explanation")).to_contain_text("From ")
