"""A person discards state after a confirmation, and the next run starts at a chosen time."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.browsing import SPARK_MS
from tests.e2e.runs.test_run import started
from webapp.runs.demo import RUNNING

pytestmark = pytest.mark.browser

__all__ = ["started"]


def test_state_is_discarded_and_the_next_run_starts_at_a_time(started: Page) -> None:
    page, dialog = started, started.get_by_role("dialog")
    first = page.url
    page.get_by_role("button", name=f"Stop {RUNNING}").first.click()
    dialog.get_by_role("radio", name="Discard the state").check()
    discard = dialog.get_by_role("button", name="Discard and stop")
    expect(discard).to_have_attribute("aria-disabled", "true")
    dialog.get_by_role("checkbox", name="Discard the state of this run").check()
    discard.click()
    expect(page.locator(".page-head").get_by_text("Stopped", exact=True)).to_be_visible(timeout=SPARK_MS)

    closed_while_it_asks(page)
    page.get_by_role("button", name=f"Start from…: {RUNNING}").click()
    expect(dialog.get_by_text("was discarded when it was stopped")).to_be_visible()
    expect(dialog.get_by_role("radio", name="Where the last run stopped")).to_have_count(0)
    dialog.get_by_role("radio", name="From a time").check()
    expect(dialog.get_by_role("button", name="Start", exact=True)).to_have_attribute("aria-disabled", "true")
    at = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=2)
    dialog.get_by_label("Time (UTC)").fill(at.strftime("%Y-%m-%dT%H:%M:%S"))
    expect(dialog.get_by_text("Starts with the first row that is due then or later")).to_be_visible()
    dialog.get_by_role("button", name="Start", exact=True).click()
    expect(page).not_to_have_url(first)
    expect(page.locator(".page-head").get_by_text("Running", exact=True)).to_be_visible(timeout=SPARK_MS)
    page.wait_for_function(
        """async url => (await (await fetch(url)).json()).progress?.beginning?.how?.kind === 'time'""",
        arg=re.sub(r"^https?://[^/]+/t/", "/api/t/", page.url) + "/",
        timeout=SPARK_MS,
    )


def closed_while_it_asks(page: Page) -> None:
    """The dialog waits for a slow source, not the start; if the dialog is closed, nothing starts."""
    here, dialog = page.url, page.get_by_role("dialog")
    page.route("**/timeline/**", _never_answered)
    page.get_by_role("button", name=f"Start from…: {RUNNING}").click()
    dialog.get_by_role("radio", name="From now").check()
    expect(dialog.get_by_text(re.compile(r"Checking the contents of .*… [1-9]\d* s$"))).to_be_visible()
    with page.expect_response("**/start/") as refused:
        dialog.get_by_role("button", name="Start", exact=True).click()
    assert (refused.value.status, refused.value.json()["code"]) == (409, "inputs_not_asked")
    expect(dialog.get_by_text("Not started yet: its inputs are checked first, above.")).to_be_visible()
    dialog.get_by_role("button", name="Not now").click()
    expect(dialog).to_have_count(0)
    page.unroute_all(behavior="ignoreErrors")
    expect(page).to_have_url(here)
    expect(page.get_by_role("button", name=f"Start from…: {RUNNING}")).to_be_visible()


def _never_answered(_: Route) -> None:
    """Neither forward nor answer the request, so that the page waits for it."""
