"""A customer who did not pay within 15 minutes: written as SQL, drawn as an automaton, understood, and run."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import SPARK_MS, demo_pages, opened_panel
from tests.e2e.designer.test_designer import box, checked, form, sql, write
from tests.e2e.designer.test_simulator import made
from tests.e2e.installation import Installation, demo_files

pytestmark = pytest.mark.browser

QUERY = """QUERY unpaid;

INSERT INTO alerts
SELECT STREAM * FROM shop MATCH_RECOGNIZE (
  PARTITION BY customer
  MEASURES unix_micros(PLACED._start) AS placed_at
  PATTERN (PLACED ABSENT PAID FOR 20m)
  WITHIN 1h
  DEFINE PLACED AS kind = 'placed', PAID AS kind = 'paid'
);

ADVANCE TIME shop EVERY 1 DELAY 1m BASIS MAX FINAL LATE DROP;
"""
ROWS = """start,customer,kind
2026-01-01T10:00:00Z,1,placed
2026-01-01T10:02:00Z,2,placed
2026-01-01T10:12:00Z,1,paid
2026-01-01T10:20:00Z,3,placed
"""
ALERT = "2026-01-01T10:17:00Z"
"""15 minutes after the order of customer 2."""
PLACED = "1767261720000000"
"""The time of that order in the results, in ticks."""


def shop_stream(page: Page, installation: Installation) -> None:
    """Create the stream of orders and payments, which reads the rows from a file."""
    (demo_files(installation) / "shop.csv").write_text(ROWS)
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    slug = page.request.get("/api/me/").json()["organisations"][0]["slug"]
    times = {"start": {"column": "start"}}
    definition = {"shape": "point", "fields": {"customer": "long", "kind": "string"}, "event_time": times}
    adapter = {"kind": "file", "options": {"path": "shop.csv", "format": "csv"}}
    made(page, f"/api/t/{slug}/streams/", {"name": "shop", "definition": definition, "adapter": adapter})


def simulator(page: Page) -> Locator:
    """Open the simulator, and replace its sample by paid and unpaid orders."""
    opened_panel(page, "Simulator")
    part = page.get_by_role("region", name="Simulator", exact=True)
    expect(part.get_by_role("listbox").get_by_role("option").first).to_be_visible()
    part.get_by_role("button", name="Sample…").click()
    part.get_by_label("Rows in order of arrival").fill(ROWS)
    part.get_by_role("button", name="Replace the sample with 4 rows").click()
    return part


def edited(page: Page, node: str) -> None:
    """Shorten the absence in the form; the text follows."""
    box(page, node).click()
    step = form(page, node).get_by_role("group", name="Step 2: PAID")
    step.get_by_label("Absent for", exact=True).fill("15")
    expect(sql(page)).to_contain_text("ABSENT PAID FOR 15m")


def explained(part: Locator) -> None:
    """Let the simulator explain a missing alert, and one that left."""
    part.get_by_role("tab", name="Sequences").click()
    first = part.get_by_role("region", name=re.compile("customer = 1$"))
    expect(first).to_contain_text("no match")
    first.get_by_role("button", name=re.compile("no match$")).click()
    why = part.get_by_role("region", name="Explanation")
    expect(why).to_contain_text("it came 12 min after row 1, so PAID was not absent for 15 min")
    second = part.get_by_role("region", name=re.compile("customer = 2$"))
    second.get_by_role("button", name=re.compile("match$")).click()
    expect(why).to_contain_text("nothing ended the absence of PAID for 15 min")


def test_a_missing_alert_is_written_drawn_edited_explained_and_run(page: Page, installation: Installation) -> None:
    shop_stream(page, installation)
    page.goto(f"{demo_pages(page).queries}/new")
    write(page, QUERY)
    checked(page)
    page.get_by_role("button", name="Create query").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("unpaid")
    node = page.get_by_role("list", name=re.compile("^States of "))
    expect(node).to_contain_text("no PAID for 20m")
    expect(node).to_contain_text("match, within 1h")
    edited(page, str(node.get_attribute("aria-label")).removeprefix("States of "))
    part = simulator(page)
    explained(part)
    assert violations(page) == []
    part.get_by_role("tab", name="Table").click()
    alerts = part.get_by_role("region", name="Output alerts").locator("tbody tr")
    expect(alerts).to_have_text([re.compile("customer = 2"), re.compile("customer = 3")])
    expect(alerts.first.locator("time").first).to_have_attribute("datetime", ALERT)

    page.get_by_role("button", name="Save and run").click()
    expect(page.locator(".page-head").get_by_text("Completed", exact=True)).to_be_visible(timeout=SPARK_MS)
    results = page.get_by_role("region", name="Results", exact=True).locator("tbody tr")
    expect(results).to_have_count(2)
    expect(results.filter(has=page.locator(f'time[datetime="{ALERT}"]'))).to_contain_text(PLACED)
