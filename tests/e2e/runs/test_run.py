"""The demo's run: stopped and started by a person, live while active, with every late row and its reason."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browsing import SPARK_MS, demo_pages
from webapp.runs.demo import RUNNING, SLUG

pytestmark = pytest.mark.browser

READS = """async ([url, binding]) => {
  const { latest_run: run } = (await (await fetch(url)).json()).find(({ name }) => name === binding);
  return run.observed === "running" && Object.values(run.progress?.inputs ?? {}).some(({ received }) => received > 0);
}"""
"""True if the run of a binding reads rows."""


def figure(page: Page, name: str) -> Locator:
    """Return the value of the tile `name`."""
    return page.locator(".tile").filter(has=page.get_by_text(name, exact=True)).locator(".value")


def count(page: Page, name: str) -> int:
    return int(re.sub(r"\D", "", figure(page, name).inner_text()))


def expect_to_rise(page: Page, name: str) -> None:
    """Expect the count `name` to rise."""
    before = count(page, name)
    page.wait_for_function(
        """([name, before]) => [...document.querySelectorAll('.tile')].some(tile =>
             tile.querySelector('.name').textContent === name
             && Number(tile.querySelector('.value').textContent.replace(/\\D/g, '')) > before)""",
        arg=[name, before],
        timeout=SPARK_MS,
    )


def binding_row(page: Page) -> Locator:
    bindings = page.get_by_role("region", name="Bindings")
    return bindings.get_by_role("row").filter(has=page.get_by_role("rowheader", name=RUNNING, exact=True))


def stop_in_dialog(page: Page) -> None:
    page.get_by_role("button", name=f"Stop {RUNNING}").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Stop", exact=True).click()


@pytest.fixture
def started(page: Page) -> Page:
    """The page of a run that was just started; an active run is stopped first."""
    start = start_button(page)
    if not start.is_visible():
        stop_in_dialog(page)
    expect(start).to_be_visible(timeout=SPARK_MS)
    return begun(page, start)


def start_button(page: Page) -> Locator:
    """The button that starts the demo's run on the runs page; it exists while nothing runs."""
    page.goto(demo_pages(page).runs)
    row = binding_row(page)
    expect(row).to_be_visible()
    return row.get_by_role("button", name=f"Start {RUNNING}")


def demo_runs(page: Page) -> None:
    """Wait until the demo's run reads rows; start it if an earlier test has stopped it."""
    start = start_button(page)
    if start.is_visible():
        begun(page, start)
    page.wait_for_function(READS, arg=[f"/api/t/{SLUG}/bindings/", RUNNING], timeout=SPARK_MS)


def begun(page: Page, start: Locator) -> Page:
    """Click the button, and wait on the run's page until the run is active."""
    start.click()
    expect(page).to_have_url(re.compile(r"/runs/[0-9a-f-]{36}$"))
    expect(page.get_by_role("heading", level=1)).to_have_text(RUNNING)
    expect(page.locator(".page-head").get_by_text("Running", exact=True)).to_be_visible(timeout=SPARK_MS)
    return page


def test_a_person_starts_the_demo_sees_late_rows_judged_and_stops_it(started: Page) -> None:
    page = started
    expect(figure(page, "Adjusted")).to_be_visible()
    for name in ("Received", "On time", "Reordered", "Adjusted", "Dropped"):
        expect_to_rise(page, name)

    expect(page.get_by_role("region", name="Results").get_by_role("row").nth(1)).to_be_visible()

    quarantine = page.get_by_role("region", name="Late and malformed rows")
    quarantine.get_by_label("Outcome").select_option("Dropped, late")
    dropped = quarantine.get_by_role("row").filter(has=page.get_by_role("cell", name="Dropped, late"))
    expect(dropped.first).to_be_visible()
    expect(dropped.first.get_by_role("cell").nth(2)).to_have_text(re.compile(r"\S"))

    stop_in_dialog(page)
    expect(page.locator(".page-head").get_by_text("Stopped", exact=True)).to_be_visible(timeout=SPARK_MS)
    expect(page.get_by_role("button", name=f"Start again: {RUNNING}")).to_be_visible()


def test_the_charts_of_a_run_have_descriptions(page: Page) -> None:
    page.goto(demo_pages(page).run)
    for title in ("Rows per second by outcome", "Lateness of late rows", "CTI against the largest start"):
        expect(page.get_by_role("heading", name=re.compile(title)).first).to_be_visible(timeout=SPARK_MS)
