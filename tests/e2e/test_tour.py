"""The guided tour: from the stream of the demo, through the simulator, to a running query of one's own."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages

pytestmark = pytest.mark.browser


def tour(page: Page) -> Locator:
    """The card of the tour."""
    return page.get_by_role("complementary", name="Guided tour")


def begun(page: Page) -> Locator:
    """The tour at its first step, on the overview."""
    page.goto("/")
    page.get_by_role("button", name="Take the tour").click()
    expect(tour(page)).to_contain_text("Step 1 of 14")
    return tour(page)


def step(card: Locator, title: str) -> None:
    expect(card.get_by_role("heading", name=title, level=3)).to_be_visible()


def give_a_sample(page: Page) -> Locator:
    simulator = page.get_by_role("region", name="Simulator", exact=True)
    simulator.get_by_role("button", name="From the stream").click()
    simulator.get_by_role("button", name="Read the first rows of cars").click()
    simulator.get_by_role("button", name="Use 100 rows").click()
    return simulator


def test_the_tour_goes_on_as_its_tasks_are_done_and_ends_at_the_own_run(page: Page) -> None:
    card = begun(page)
    card.get_by_role("link", name="Take me there").click()
    expect(page.get_by_role("heading", name="cars", level=1)).to_be_visible()
    card.get_by_role("button", name="Next").click()
    step(card, "Give a query some rows and watch")
    card.get_by_role("link", name="Take me there").click()
    simulator = give_a_sample(page)
    step(card, "Let the rows arrive one by one")
    expect(card).to_contain_text("✓ Done: Give a query some rows and watch.")
    simulator.get_by_label("Rows that have arrived").fill("40")
    step(card, "Choose a late row")
    simulator.get_by_label("Rows that have arrived").fill("101")
    simulator.locator("[role=option][data-late]").first.click()
    step(card, "Why it is late: the CTI")
    expect(simulator.get_by_role("region", name="Why it is so")).to_contain_text("is before the CTI")
    card.get_by_role("button", name="Next").click()
    simulator.get_by_label("delay").fill("30s")
    step(card, "What your delay changed")
    expect(simulator.locator(".sim-changes")).to_contain_text("changed outcome")
    simulator.get_by_role("button", name="Revert").click()
    step(card, "Four ways to treat what is late")
    looked_at(card, simulator, "Compare policies")
    step(card, "Which delay would be enough?")
    looked_at(card, simulator, "What if")
    step(card, "Make a query of your own")
    make_and_run_ones_own(page, card)


def looked_at(card: Locator, simulator: Locator, tab: str) -> None:
    """What is to be looked at stays, with its words, until the person goes on."""
    simulator.get_by_role("tab", name=tab).click()
    expect(card).to_contain_text(f"✓ Done: Open the tab “{tab}”")
    card.get_by_role("button", name="Next").click()


def make_and_run_ones_own(page: Page, card: Locator) -> None:
    card.get_by_role("link", name="Begin with a copy of speeding").click()
    page.get_by_role("button", name="Create the query").click()
    step(card, "Change it, and save a version")
    card.get_by_role("button", name="Next").click()
    card.get_by_role("link", name="Bind speeding_copy").click()
    binding = page.get_by_role("dialog", name="New binding")
    binding.get_by_label("Name of the binding").fill("toured")
    binding.get_by_role("button", name="Create the binding").click()
    step(card, "Start it")
    page.get_by_role("button", name="Start toured").click()
    step(card, "Your query, running")
    expect(page.get_by_role("heading", name="toured", level=1)).to_be_visible()
    expect(page.get_by_role("region", name="Late and malformed rows")).to_be_visible()
    card.get_by_role("button", name="Finish the tour").click()
    expect(card).to_be_hidden()


def test_the_tour_is_left_and_resumed_by_keyboard_where_it_was(page: Page) -> None:
    card = begun(page)
    expect(card.get_by_role("heading", name="Guided tour")).to_be_focused()
    card.get_by_role("button", name="Next").click()
    page.reload()
    step(card, "Give a query some rows and watch")
    card.get_by_role("button", name="Next").focus()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(page.get_by_role("button", name="Help")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("menuitem", name="Go on with the tour").press("Enter")
    step(card, "Give a query some rows and watch")
    expect(card.get_by_role("heading", name="Guided tour")).to_be_focused()


@pytest.mark.parametrize("width", [1280, 390])
def test_no_rule_of_accessibility_is_broken_beside_the_tour(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    card = begun(page)
    card.get_by_role("link", name="Take me there").click()
    expect(page.get_by_role("heading", name="cars", level=1)).to_be_visible()
    assert demo_pages(page).stream in page.url
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    card.get_by_role("button", name="Fold").click()
    expect(card.get_by_role("button", name="Next")).to_be_hidden()
