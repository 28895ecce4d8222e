"""A result row shows its rows, batch and CTI; a missing one shows what dropped its rows."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.installation import Installation
from tests.e2e.runs.test_replay import ended_run
from tests.e2e.runs.test_runs_apart import listed

pytestmark = pytest.mark.browser


def test_a_row_shows_its_origin_and_a_missing_one_its_dropped_rows(page: Page, installation: Installation) -> None:
    ended_run(page, installation, "explained")
    results = page.get_by_role("region", name="Results", exact=True)
    results.get_by_role("button", name="Why the row of out at 2026-01-01 00:00:00Z is here").press("Enter")
    dialog = page.get_by_role("dialog")
    # seconds 0, 4 and 8 are in the window 0 to 10, which 16 closed; 2 and 3 arrived after that
    made = dialog.get_by_role("group", name="From 3 rows")
    expect(made.get_by_role("listitem")).to_have_count(3)
    expect(dialog).to_contain_text("set by row 4 of lane '0' (00:00:16 minus 5 s)")
    missed = dialog.get_by_role("group", name="Without 2 rows that would have counted")
    expect(missed.get_by_role("listitem")).to_have_count(2)
    expect(missed.get_by_role("listitem").first).to_contain_text("Dropped, late")
    expect(missed).to_contain_text("Kept if the delay is at least 14 s.")
    assert violations(page) == []
    page.reload()  # the address contains the question
    expect(made.get_by_role("listitem")).to_have_count(3)
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)

    results.get_by_role("button", name="Find a missing row…").click()
    dialog.get_by_label("Time within the row (UTC)").fill("2026-01-01T00:00:45Z")
    dialog.get_by_role("button", name="Explain").click()
    expect(dialog).to_contain_text("No row that was read again lives at 00:00:45, so 'out' has none.")
    dialog.get_by_label("Time within the row (UTC)").fill("2026-01-01T00:00:03Z")
    dialog.get_by_role("button", name="Explain").press("Enter")
    late = dialog.get_by_role("group", name="Too late for this result: 2 rows")
    expect(late.get_by_role("listitem")).to_have_count(2)
    assert violations(page) == []


def test_a_run_has_a_journal_and_a_searchable_log(page: Page, installation: Installation) -> None:
    run = ended_run(page, installation, "journaled")
    journal = page.get_by_role("region", name="Journal")
    rows = listed(journal)
    expect(rows.first).to_contain_text("Completed")
    expect(rows.last).to_contain_text("Start requested")
    expect(rows.last).to_contain_text("journaled, version 1.")
    expect(page.locator("svg").get_by_text("Completed").first).to_be_visible()  # a mark in the charts
    page.get_by_role("link", name="Log", exact=True).click()
    lines = page.get_by_role("list", name="Lines of the log").get_by_role("listitem")
    page.get_by_label("Search the log").fill("START REQUESTED")
    expect(lines).to_have_count(1)
    expect(page).to_have_url(re.compile(f"{run}/logs"))
    expect(lines).to_contain_text("journaled, version 1.")
    page.get_by_label("Search the log").fill("no line has this")
    expect(page.get_by_text("No matching lines")).to_be_visible()
