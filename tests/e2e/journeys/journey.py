"""A new user's journey without a shell: from an empty organisation, through all pages, back to an empty one.

`way` yields the name of each station while the page does not change, so that tests can check it and
screenshots can be taken.
"""

import re
from collections.abc import Iterator

from playwright.sync_api import Locator, Page, expect

from tests.e2e.browsing import SPARK_MS, loaded, opened_panel

FIRST = """QUERY per_minute;
-- How many cars each lane of the road has in each ten seconds
INSERT INTO results
SELECT STREAM road_lane, COUNT(*) AS cars
FROM gates
GROUP BY road_lane
WINDOW BY TUMBLE 10s;
"""
SECOND = FIRST.replace("COUNT(*) AS cars", "COUNT(*) AS cars, MAX(speed) AS fastest")


def way(page: Page, short_name: str) -> Iterator[str]:
    """Go from the form for a new organisation to an organisation that is empty again."""
    yield from organisation_made(page, short_name)
    yield from stream_made(page)
    yield from query_made(page)
    yield from binding_made(page)
    yield from run_started(page)
    yield from run_stopped(page)
    yield from version_made(page)
    yield from binding_moved(page)
    yield from started_again(page)
    yield from all_renamed(page)
    yield from all_deleted(page)


def titled(page: Page, title: str | re.Pattern[str]) -> None:
    """Wait for the page with this title, and until its data has loaded."""
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    loaded(page)


def follow(page: Page, link: str, title: str | re.Pattern[str]) -> None:
    """Click a link of the header, and wait for its page."""
    page.get_by_role("navigation", name="Pages", exact=True).get_by_role("link", name=link).click()
    titled(page, title)


def all_runs(page: Page) -> None:
    """Go to the list of bindings and runs, which the live page links."""
    follow(page, "Live", "Live")
    page.get_by_role("link", name="All runs").click()
    titled(page, "Runs")


def dialog(page: Page) -> Locator:
    """Return the open dialog."""
    return page.get_by_role("dialog")


def organisation_made(page: Page, short_name: str) -> Iterator[str]:
    """Create an organisation, and visit its empty pages."""
    titled(page, "Create an organisation")
    yield "no-organisation"
    page.get_by_label("Name", exact=True).fill("Harbour Road")
    page.get_by_label("Short name").fill(short_name)
    page.get_by_role("button", name="Create organisation").click()
    titled(page, "Live")
    yield "empty-overview"
    all_runs(page)
    yield "empty-runs"
    for link in ("Queries", "Streams"):
        follow(page, link, link)
        yield f"empty-{link.lower()}"


def stream_made(page: Page) -> Iterator[str]:
    """Create a stream of generated events, after a rejected form."""
    page.get_by_role("link", name="New stream").click()
    titled(page, "New stream")
    yield "new-stream"
    page.get_by_label("Kind").select_option("generator")
    page.get_by_label("Name", exact=True).fill("9 gates")
    page.get_by_role("button", name="Create stream").click()
    expect(page.get_by_label("Name", exact=True)).to_have_attribute("aria-invalid", "true")
    yield "new-stream-refused"
    page.get_by_label("Name", exact=True).fill("gates")
    page.get_by_label("Delay", exact=True).fill("2s")
    page.get_by_role("button", name="Create stream").click()
    titled(page, "gates")
    expect(page.get_by_label("Table of sample rows")).to_be_visible()
    yield "stream"


def write(page: Page, text: str) -> None:
    """Replace the text of the edited query, and wait for the result of its check."""
    page.get_by_role("textbox", name="The query as SQL").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def query_made(page: Page) -> Iterator[str]:
    """Create a query, first with an error."""
    follow(page, "Queries", "Queries")
    page.get_by_role("link", name="New query").click()
    titled(page, "New query")
    expect(page.get_by_text("Checked: no problems.")).to_be_visible()
    yield "new-query"
    write(page, FIRST.replace("road_lane,", "road_line,"))
    expect(opened_panel(page, "Problems").get_by_role("listitem")).not_to_have_count(0)
    yield "new-query-faulty"
    write(page, FIRST)
    expect(page.get_by_text("Checked: no problems.")).to_be_visible()
    page.get_by_role("button", name="Create query").click()
    titled(page, "per_minute")
    yield "query"


def binding_made(page: Page) -> Iterator[str]:
    """Create a binding, by the overview's next step."""
    page.get_by_role("link", name="Punctual").click()
    titled(page, "Live")
    yield "overview-with-a-query"
    page.get_by_role("link", name="Create a binding").click()
    expect(dialog(page).get_by_label("Name of the binding")).to_have_value("per_minute")
    yield "new-binding"
    dialog(page).get_by_label("Name of the binding").fill("harbour")
    dialog(page).get_by_role("button", name="Create binding").click()
    expect(page.get_by_role("link", name="harbour", exact=True)).to_be_visible()
    yield "runs-never-started"
    page.get_by_role("link", name="harbour", exact=True).click()
    titled(page, "harbour")
    yield "binding"


def state(page: Page, word: str) -> None:
    """Wait until the page head shows this state."""
    expect(page.locator(".page-head").get_by_text(word, exact=True)).to_be_visible(timeout=SPARK_MS)


def rows_shown(page: Page) -> None:
    """Wait for the first row of results."""
    results = page.get_by_role("region", name="Results", exact=True)
    expect(results.locator("tbody tr").first).to_be_visible(timeout=SPARK_MS)


def run_started(page: Page) -> Iterator[str]:
    """The first run: during its start, and with its first rows."""
    page.get_by_role("button", name="Start harbour", exact=True).click()
    expect(page).to_have_url(re.compile(r"/runs/[0-9a-f-]{36}$"))
    titled(page, "harbour")
    yield "run-starting"
    state(page, "Running")
    rows_shown(page)
    yield "run"


def run_stopped(page: Page) -> Iterator[str]:
    """Stop the run; open its log."""
    page.get_by_role("button", name="Stop harbour").click()
    expect(dialog(page).get_by_text(re.compile("next start"))).not_to_have_count(0)
    yield "stop-asked"
    dialog(page).get_by_role("button", name="Stop", exact=True).click()
    state(page, "Stopped")
    yield "run-stopped"
    page.get_by_role("link", name="Log", exact=True).click()
    expect(page.get_by_role("list", name="Lines of the log")).to_be_visible()
    yield "log"


def version_made(page: Page) -> Iterator[str]:
    """Save a second version of the query."""
    follow(page, "Queries", "Queries")
    yield "queries"
    page.get_by_role("link", name="per_minute").click()
    titled(page, "per_minute")
    write(page, SECOND)
    expect(page.get_by_text("Checked: no problems.")).to_be_visible()
    page.get_by_label("Comment for the new version").fill("The fastest car too")
    yield "query-changed"
    page.get_by_role("button", name="Save new version").click()
    expect(page.get_by_text("Saved as version 2.")).to_be_visible()
    yield "query-saved"


def binding_moved(page: Page) -> Iterator[str]:
    """Move the binding to the second version."""
    opened_panel(page, "Details").get_by_role("link", name="harbour", exact=True).click()
    titled(page, "harbour")
    page.get_by_label("Version of the query").select_option(label="version 2: The fastest car too")
    expect(page.get_by_role("group", name="Changes in the query")).to_contain_text("fastest")
    yield "binding-moving"
    page.get_by_role("button", name="Save binding").click()
    expect(page.get_by_text("Showing the stored version.")).to_be_visible()
    yield "binding-moved"


def started_again(page: Page) -> Iterator[str]:
    """Start the second run, with the second version, after choosing how to treat open windows."""
    page.get_by_role("button", name="Start harbour", exact=True).click()
    expect(dialog(page).get_by_role("radio").first).to_be_visible()
    yield "start-asked"
    dialog(page).get_by_role("button", name="Start", exact=True).click()
    expect(page).to_have_url(re.compile(r"/runs/[0-9a-f-]{36}$"))
    state(page, "Running")
    rows_shown(page)
    expect(page.get_by_role("columnheader", name="fastest")).to_be_visible()
    yield "second-run"
    page.get_by_role("button", name="Stop harbour").click()
    dialog(page).get_by_role("radio", name="Flush").check()
    yield "flush-asked"
    dialog(page).get_by_role("button", name="Flush and stop").click()
    state(page, "Stopped")
    yield "second-run-stopped"


def all_renamed(page: Page) -> Iterator[str]:
    """Rename stream, query and binding."""
    follow(page, "Streams", "Streams")
    yield "streams"
    page.get_by_role("link", name="gates", exact=True).click()
    page.get_by_role("link", name="Edit or rename…").click()
    expect(page.get_by_text("reads it as its input")).to_be_visible()
    yield "stream-changing"
    page.get_by_label("Name", exact=True).fill("sluices")
    page.get_by_role("button", name="Save stream").click()
    titled(page, "sluices")
    yield "stream-renamed"
    follow(page, "Queries", "Queries")
    page.get_by_role("link", name="per_minute").click()
    opened_panel(page, "Details").get_by_role("button", name="Rename…").click()
    dialog(page).get_by_label("New name").fill("per_lane")
    yield "query-renaming"
    dialog(page).get_by_role("button", name="Rename", exact=True).click()
    titled(page, "per_lane")
    page.get_by_role("link", name="harbour", exact=True).click()
    titled(page, "harbour")
    page.get_by_label("Name of the binding").fill("quay")
    page.get_by_role("button", name="Save binding").click()
    titled(page, "quay")
    all_runs(page)
    yield "runs"


def all_deleted(page: Page) -> Iterator[str]:
    """Delete binding, query and stream; objects in use can't be deleted."""
    follow(page, "Streams", "Streams")
    page.get_by_role("link", name="sluices", exact=True).click()
    titled(page, "sluices")
    page.get_by_role("button", name="Delete…").click()
    expect(dialog(page).get_by_role("link", name="quay")).to_be_visible()
    yield "stream-needed"
    dialog(page).get_by_role("link", name="quay").click()
    for title in ("quay", "per_lane", "sluices"):
        if title != "quay":
            link = "Queries" if title == "per_lane" else "Streams"
            follow(page, link, link)
            page.get_by_role("link", name=title, exact=True).click()
        titled(page, title)
        if title == "per_lane":
            opened_panel(page, "Details")
        page.get_by_role("button", name="Delete…").click()
        yield f"{title}-deleting"
        dialog(page).get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_role("heading", level=1)).not_to_have_text(title)
    page.get_by_role("link", name="Punctual").click()
    titled(page, "Live")
    yield "overview-of-an-organisation-that-is-empty-again"
