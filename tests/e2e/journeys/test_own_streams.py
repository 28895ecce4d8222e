"""A template reads the person's own streams, chosen from a list; too few streams are reported."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages, opened_panel

pytestmark = pytest.mark.browser


def read_cars(dialog: Locator, inputs: int) -> None:
    """Let every input read the demo's stream."""
    streams = dialog.get_by_role("combobox", name=re.compile("Your stream for"))
    expect(streams).to_have_count(inputs)
    for stream in streams.all():
        stream.select_option(label="cars")


def test_a_template_uses_the_demo_stream_and_its_rows_in_the_simulator(page: Page) -> None:
    page.goto(f"{demo_pages(page).queries}/new?templates")
    page.get_by_role("button", name="Use my streams: Stock ticks with a slow reference").press("Enter")
    dialog = page.get_by_role("dialog")
    read_cars(dialog, 2)
    expect(dialog.get_by_text("Choose another stream for each input.").first).to_be_visible()
    expect(dialog.get_by_role("button", name="Create query")).to_have_attribute("aria-disabled", "true")
    expect(dialog.get_by_role("button", name="Use the template's own streams")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog.get_by_role("heading", name="Start from a template")).to_be_visible()
    page.get_by_role("button", name="Use my streams: Speeding cars by minute").press("Enter")
    read_cars(dialog, 1)
    road = dialog.get_by_label("road (string)")
    expect(road).to_have_value("road_lane")
    expect(dialog.get_by_text("Its name is similar.")).to_be_visible()
    numbers = dialog.get_by_label("speed (double)").locator("option")
    expect(numbers).to_have_text(["road_lane: long", "speed: double"])
    expect(dialog.get_by_text("The template's scenario is not added")).to_be_visible()
    road.select_option("plate")
    expect(dialog.get_by_text("GROUP BY plate;")).to_be_visible()
    assert violations(page) == []
    dialog.get_by_role("button", name="Create query").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("speeding_cars")
    expect(page.get_by_role("region", name="Results preview")).to_contain_text("read from cars")
    opened_panel(page, "Simulator")
    simulator = page.get_by_role("region", name="Simulator", exact=True)
    expect(simulator.get_by_text("read from cars").first).to_be_visible()
    rows = simulator.get_by_role("listbox", name="Rows of the sample in order of arrival").get_by_role("option")
    expect(rows.first).to_be_visible()
