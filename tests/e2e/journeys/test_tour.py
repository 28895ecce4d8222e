"""The guided tour: from the demo's stream, through the simulator, to the person's own running query."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages, opened_panel

pytestmark = pytest.mark.browser


def tour(page: Page) -> Locator:
    """The card of the tour."""
    return page.get_by_role("complementary", name="Guided tour")


def begun(page: Page) -> Locator:
    """Open the tour at its first step, on the overview."""
    page.goto("/")
    page.get_by_role("button", name="Take the tour").click()
    expect(tour(page)).to_contain_text("Step 1 of 14")
    return tour(page)


def step(card: Locator, title: str) -> None:
    expect(card.get_by_role("heading", name=title, level=3)).to_be_visible()


def open_the_simulator(page: Page) -> Locator:
    """Open the simulator, which has the first rows of the stream."""
    opened_panel(page, "Simulator")
    simulator = page.get_by_role("region", name="Simulator", exact=True)
    expect(simulator).to_contain_text("100 rows read from cars")
    return simulator


def test_the_tour_advances_with_its_tasks_and_ends_at_the_person_s_own_run(page: Page) -> None:
    card = begun(page)
    card.get_by_role("link", name="Open the stream").click()
    expect(page.get_by_role("heading", name="cars", level=1)).to_be_visible()
    card.get_by_role("button", name="Next").click()
    step(card, "Run a query on a few rows")
    card.get_by_role("link", name="Open the query").click()
    simulator = open_the_simulator(page)
    step(card, "Let the rows arrive one by one")
    expect(card).to_contain_text("✓ Done: Run a query on a few rows.")
    simulator.get_by_label("Rows that have arrived").fill("40")
    step(card, "Select a late row")
    simulator.get_by_label("Rows that have arrived").fill("101")
    simulator.locator("[role=option][data-late]").first.click()
    step(card, "Why it is late: the CTI")
    expect(simulator.get_by_role("region", name="Explanation")).to_contain_text("is before the CTI")
    card.get_by_role("button", name="Next").click()
    simulator.get_by_label("delay").fill("30s")
    step(card, "Effects of your delay")
    expect(simulator.locator(".sim-changes")).to_contain_text("changed outcome")
    simulator.get_by_role("button", name="Revert").click()
    step(card, "Four policies for late rows")
    view_tab(card, simulator, "Compare policies")
    step(card, "Which delay is enough?")
    view_tab(card, simulator, "What if")
    step(card, "Create your own query")
    create_and_run_a_query(page, card)


def view_tab(card: Locator, simulator: Locator, tab: str) -> None:
    """A step with something to see stays until the person continues."""
    simulator.get_by_role("tab", name=tab).click()
    expect(card).to_contain_text(f"✓ Done: Open the tab “{tab}”")
    card.get_by_role("button", name="Next").click()


def create_and_run_a_query(page: Page, card: Locator) -> None:
    card.get_by_role("link", name="Copy speeding").click()
    page.get_by_role("button", name="Create query").click()
    step(card, "Change it, and save a version")
    card.get_by_role("button", name="Next").click()
    card.get_by_role("link", name="Bind speeding_copy").click()
    binding = page.get_by_role("dialog", name="New binding")
    binding.get_by_label("Name of the binding").fill("toured")
    binding.get_by_role("button", name="Create binding").click()
    step(card, "Start it")
    page.get_by_role("button", name="Start toured").click()
    step(card, "Your query, running")
    expect(page.get_by_role("heading", name="toured", level=1)).to_be_visible()
    expect(page.get_by_role("region", name="Late and malformed rows")).to_be_visible()
    card.get_by_role("button", name="Finish tour").click()
    expect(card).to_be_hidden()


def test_the_tour_is_closed_and_resumed_by_keyboard_at_the_same_step(page: Page) -> None:
    card = begun(page)
    expect(card.get_by_role("heading", name="Guided tour")).to_be_focused()
    card.get_by_role("button", name="Next").click()
    page.reload()
    step(card, "Run a query on a few rows")
    card.get_by_role("button", name="Next").focus()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(page.get_by_role("button", name="Help")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("menuitem", name="Continue the tour").press("Enter")
    step(card, "Run a query on a few rows")
    expect(card.get_by_role("heading", name="Guided tour")).to_be_focused()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_tour_has_no_accessibility_violations(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    card = begun(page)
    card.get_by_role("link", name="Open the stream").click()
    expect(page.get_by_role("heading", name="cars", level=1)).to_be_visible()
    assert demo_pages(page).stream in page.url
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    card.get_by_role("button", name="Collapse").click()
    expect(card.get_by_role("button", name="Next")).to_be_hidden()
