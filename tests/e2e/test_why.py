"""A row of a run's results opens to the rows, the batch and the CTI that made it; a missing one to what dropped it."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.installation import Installation
from tests.e2e.test_replay import ended_run
from tests.e2e.test_runs_apart import listed

pytestmark = pytest.mark.browser


def test_a_row_says_what_made_it_and_a_missing_one_what_dropped_it(page: Page, installation: Installation) -> None:
    ended_run(page, installation, "explained")
    results = page.get_by_role("region", name="Results", exact=True)
    results.get_by_role("button", name="Why the row of out at 2026-01-01 00:00:00Z is so").press("Enter")
    dialog = page.get_by_role("dialog")
    # seconds 0, 4 and 8 are in the window 0 to 10, which 16 closed; 2 and 3 came after that
    made = dialog.get_by_role("group", name="Made of 3 rows")
    expect(made.get_by_role("listitem")).to_have_count(3)
    expect(dialog).to_contain_text("set by row 4 of lane '0' (00:00:16 minus 5 s)")
    missed = dialog.get_by_role("group", name="Missed 2 rows, which would have counted")
    expect(missed.get_by_role("listitem")).to_have_count(2)
    expect(missed.get_by_role("listitem").first).to_contain_text("Dropped, late")
    expect(missed).to_contain_text("Kept if the delay is at least 14 s.")
    assert violations(page) == []
    page.reload()  # the address says what was asked
    expect(made.get_by_role("listitem")).to_have_count(3)
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)

    results.get_by_role("button", name="Why is there no row…").click()
    dialog.get_by_label("Time inside of the row (UTC)").fill("2026-01-01T00:00:45Z")
    dialog.get_by_role("button", name="Say why").click()
    expect(dialog).to_contain_text("No row that was read again lives at 00:00:45, so that 'out' has none.")
    dialog.get_by_label("Time inside of the row (UTC)").fill("2026-01-01T00:00:03Z")
    dialog.get_by_role("button", name="Say why").press("Enter")
    late = dialog.get_by_role("group", name="Too late for it: 2 rows")
    expect(late.get_by_role("listitem")).to_have_count(2)
    assert violations(page) == []


def test_what_happened_to_a_run_stands_in_its_journal_and_its_log_is_searched(
    page: Page, installation: Installation
) -> None:
    run = ended_run(page, installation, "journaled")
    journal = page.get_by_role("region", name="Journal")
    rows = listed(journal)
    expect(rows.first).to_contain_text("Completed")
    expect(rows.last).to_contain_text("Asked to run")
    expect(rows.last).to_contain_text("journaled, version 1.")
    expect(page.locator("svg").get_by_text("Completed").first).to_be_visible()  # a mark in the charts
    page.get_by_role("link", name="Log", exact=True).click()
    lines = page.get_by_role("list", name="Lines of the log").get_by_role("listitem")
    page.get_by_label("Find in the log").fill("ASKED TO RUN")
    expect(lines).to_have_count(1)
    expect(page).to_have_url(re.compile(f"{run}/logs"))
    expect(lines).to_contain_text("journaled, version 1.")
    page.get_by_label("Find in the log").fill("no line has this")
    expect(page.get_by_text("No line fits.")).to_be_visible()
