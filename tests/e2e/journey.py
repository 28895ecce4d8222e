"""The way of a new user from an empty organisation to the end of all that was made there, without a shell.

`way` yields the name of each station, at which the page stands still: a test sees what must hold there, and
pictures are drawn.
"""

import re
from collections.abc import Iterator

from playwright.sync_api import Locator, Page, expect

SPARK_MS = 120_000
"""How long a start or a stop may take: Spark opens or finishes a query."""
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
    """Walk from the page that asks for an organisation's name to an organisation that is empty again."""
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
    """Wait for the page of this title, and until it has loaded what it shows."""
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.get_by_text(re.compile("^(Loading|Looking|Reading the first)"))).to_have_count(0)


def follow(page: Page, link: str, title: str | re.Pattern[str]) -> None:
    """Press a link of the header, and wait for its page."""
    page.get_by_role("navigation", name="Pages", exact=True).get_by_role("link", name=link).click()
    titled(page, title)


def dialog(page: Page) -> Locator:
    """The dialog that is open."""
    return page.get_by_role("dialog")


def organisation_made(page: Page, short_name: str) -> Iterator[str]:
    """An organisation, and its pages while there is nothing in it."""
    titled(page, "Create an organisation")
    yield "no-organisation"
    page.get_by_label("Name", exact=True).fill("Harbour Road")
    page.get_by_label("Short name").fill(short_name)
    page.get_by_role("button", name="Create the organisation").click()
    titled(page, "Harbour Road")
    yield "empty-overview"
    for link in ("Queries", "Runs", "Streams"):
        follow(page, link, link)
        yield f"empty-{link.lower()}"


def stream_made(page: Page) -> Iterator[str]:
    """A stream of made-up events, after a form that was refused."""
    page.get_by_role("link", name="New stream").click()
    titled(page, "New stream")
    yield "new-stream"
    page.get_by_label("Kind").select_option("generator")
    page.get_by_label("Name", exact=True).fill("9 gates")
    page.get_by_role("button", name="Create the stream").click()
    expect(page.get_by_label("Name", exact=True)).to_have_attribute("aria-invalid", "true")
    yield "new-stream-refused"
    page.get_by_label("Name", exact=True).fill("gates")
    page.get_by_label("Delay", exact=True).fill("2s")
    page.get_by_role("button", name="Create the stream").click()
    titled(page, "gates")
    expect(page.get_by_label("Table of sample rows")).to_be_visible()
    yield "stream"


def write(page: Page, text: str) -> None:
    """Replace the text of the query that is edited, and wait for what is said of it."""
    page.get_by_role("textbox", name="The query as SQL").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def query_made(page: Page) -> Iterator[str]:
    """A query, first with a fault."""
    follow(page, "Queries", "Queries")
    page.get_by_role("link", name="New query").click()
    titled(page, "New query")
    expect(page.get_by_text("Checked: no faults.")).to_be_visible()
    yield "new-query"
    write(page, FIRST.replace("road_lane,", "road_line,"))
    expect(page.get_by_role("region", name="Faults").get_by_role("listitem")).not_to_have_count(0)
    yield "new-query-faulty"
    write(page, FIRST)
    expect(page.get_by_text("Checked: no faults.")).to_be_visible()
    page.get_by_role("button", name="Create the query").click()
    titled(page, "per_minute")
    yield "query"


def binding_made(page: Page) -> Iterator[str]:
    """A binding, by the overview's next step."""
    page.get_by_role("link", name="Punctual").click()
    titled(page, "Harbour Road")
    yield "overview-with-a-query"
    page.get_by_role("link", name="Make a binding").click()
    expect(dialog(page).get_by_label("Name of the binding")).to_have_value("per_minute")
    yield "new-binding"
    dialog(page).get_by_label("Name of the binding").fill("harbour")
    dialog(page).get_by_role("button", name="Create the binding").click()
    expect(page.get_by_role("link", name="harbour", exact=True)).to_be_visible()
    yield "runs-never-started"
    page.get_by_role("link", name="harbour", exact=True).click()
    titled(page, "harbour")
    yield "binding"


def state(page: Page, word: str) -> None:
    """Wait until the head of the page says this state."""
    expect(page.locator(".page-head").get_by_text(word, exact=True)).to_be_visible(timeout=SPARK_MS)


def rows_shown(page: Page) -> None:
    """Wait for the first row of results."""
    results = page.get_by_role("region", name="Results", exact=True)
    expect(results.locator("tbody tr").first).to_be_visible(timeout=SPARK_MS)


def run_started(page: Page) -> Iterator[str]:
    """The first run: while it starts, and with its first rows."""
    page.get_by_role("button", name="Start harbour").click()
    expect(page).to_have_url(re.compile(r"/runs/[0-9a-f-]{36}$"))
    titled(page, "harbour")
    yield "run-starting"
    state(page, "Running")
    rows_shown(page)
    yield "run"


def run_stopped(page: Page) -> Iterator[str]:
    """The run is stopped; its log."""
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
    """A second version of the query."""
    follow(page, "Queries", "Queries")
    yield "queries"
    page.get_by_role("link", name="per_minute").click()
    titled(page, "per_minute")
    write(page, SECOND)
    expect(page.get_by_text("Checked: no faults.")).to_be_visible()
    page.get_by_label("Comment for the new version").fill("The fastest car too")
    yield "query-changed"
    page.get_by_role("button", name="Save a new version").click()
    expect(page.get_by_text("Saved as version 2.")).to_be_visible()
    yield "query-saved"


def binding_moved(page: Page) -> Iterator[str]:
    """The binding is moved to the second version."""
    page.get_by_role("link", name="harbour", exact=True).click()
    titled(page, "harbour")
    page.get_by_label("Version of the query").select_option(label="version 2: The fastest car too")
    expect(page.get_by_role("group", name="What changes in the query")).to_contain_text("fastest")
    yield "binding-moving"
    page.get_by_role("button", name="Save the binding").click()
    expect(page.get_by_text("This is what is stored now.")).to_be_visible()
    yield "binding-moved"


def started_again(page: Page) -> Iterator[str]:
    """The second run, of the second version, after the question what becomes of what was open."""
    page.get_by_role("button", name="Start harbour").click()
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
    """Stream, query and binding get other names."""
    follow(page, "Streams", "Streams")
    yield "streams"
    page.get_by_role("link", name="gates", exact=True).click()
    page.get_by_role("link", name="Change or rename…").click()
    expect(page.get_by_text("reads it as its input")).to_be_visible()
    yield "stream-changing"
    page.get_by_label("Name", exact=True).fill("sluices")
    page.get_by_role("button", name="Save the stream").click()
    titled(page, "sluices")
    yield "stream-renamed"
    follow(page, "Queries", "Queries")
    page.get_by_role("link", name="per_minute").click()
    page.get_by_role("button", name="Rename…").click()
    dialog(page).get_by_label("New name").fill("per_lane")
    yield "query-renaming"
    dialog(page).get_by_role("button", name="Rename", exact=True).click()
    titled(page, "per_lane")
    page.get_by_role("link", name="harbour", exact=True).click()
    titled(page, "harbour")
    page.get_by_label("Name of the binding").fill("quay")
    page.get_by_role("button", name="Save the binding").click()
    titled(page, "quay")
    follow(page, "Runs", "Runs")
    yield "runs"


def all_deleted(page: Page) -> Iterator[str]:
    """Binding, query and stream are deleted; what is needed says so first."""
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
        page.get_by_role("button", name="Delete…").click()
        yield f"{title}-deleting"
        dialog(page).get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_role("heading", level=1)).not_to_have_text(title)
    page.get_by_role("link", name="Punctual").click()
    titled(page, "Harbour Road")
    yield "overview-of-an-organisation-that-is-empty-again"
