"""The demo's incident: opened from the live page, taken, described by a note, exported as Markdown."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages, loaded
from tests.e2e.layout import misfits
from webapp.runs.demo import LOSING

pytestmark = pytest.mark.browser
FIRES_MS = 480_000
"""The rule needs whole minutes with lost rows, and the demo's lane falls silent once in each."""


def test_the_incident_of_the_demo_is_taken_described_and_exported(page: Page) -> None:
    page.goto(demo_pages(page).overview)
    strip = page.get_by_role("region", name="Firing alerts")
    incident = strip.get_by_role("link", name=f": {LOSING}").and_(page.locator("[href*='/incidents/']"))
    incident.click(timeout=FIRES_MS)
    expect(page).to_have_url(re.compile(r"/incidents/[0-9a-f-]{36}$"))
    loaded(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(rf"^#\d+ .+ on {LOSING}$"))

    page.get_by_role("button", name=re.compile("^Take")).click()
    expect(page.get_by_text("demo@punctual.example is on it")).to_be_visible()

    page.keyboard.press("n")
    dialog = page.get_by_role("dialog", name="New note")
    dialog.get_by_label("Note").fill("Gate 7: the modem reconnects")
    assert violations(page) == []
    dialog.get_by_role("button", name="Save note").click()
    timeline = page.get_by_role("list", name="Timeline")
    entry = timeline.get_by_role("listitem").filter(has_text="Gate 7: the modem reconnects")
    expect(entry).to_be_visible()
    expect(timeline.get_by_text("Took this incident").first).to_be_visible()
    assert violations(page) == []
    assert misfits(page) == []

    with page.expect_download() as saved:
        page.get_by_role("link", name="Export Markdown").click()
    content = saved.value.path().read_text()
    assert saved.value.suggested_filename.startswith("incident-")
    assert re.search(r"\| [A-Z]{1,2} \| .* \| Gate 7: the modem reconnects \|", content)
    assert "## Rows" in content
