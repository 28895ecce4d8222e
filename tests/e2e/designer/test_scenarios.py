"""A template creates a query with a scenario; a version that breaks it is red and shows the differences."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browsing import demo_pages, opened_panel
from tests.e2e.designer.test_query import write

pytestmark = pytest.mark.browser


def test_the_scenario_of_a_template_is_green_and_a_change_makes_it_red(page: Page) -> None:
    queries = demo_pages(page).query.rsplit("/", 1)[0]
    page.goto(f"{queries}/new?templates")
    page.get_by_role("button", name="Use template: Speeding cars by minute").click()
    expect(page.get_by_role("heading", name="speeding_cars", level=1)).to_be_visible()
    scenarios = opened_panel(page, "Scenarios")
    expect(scenarios.get_by_text("✓ green")).to_be_visible()
    text = page.get_by_role("textbox", name="The query as SQL").inner_text()
    write(page, text.replace("speed > 120", "speed > 130"))
    scenarios.get_by_role("button", name="Run on my changes").click()
    expect(scenarios.get_by_text("✕ red: 2 differences")).to_be_visible()
    scenarios.get_by_role("button", name="Show differences in Speeding cars by minute").click()
    differs = scenarios.get_by_role("table")
    expect(differs.get_by_role("rowheader", name="missing")).to_have_count(1)
    page.get_by_role("button", name="Save new version").click()
    expect(page.get_by_text("Saved as version 2.")).to_be_visible()
    versions = opened_panel(page, "Versions")
    expect(versions.get_by_text("✕ 1 red")).to_be_visible()
    versions.get_by_role("button", name="Compare version 2").click()
    expect(page.get_by_role("dialog").get_by_text("where speed > 120 -> speed > 130")).to_be_visible()
