"""A run uses the query on the page: changes are saved first, a file is read once, a reload shows the same figures."""

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browsing import SPARK_MS
from tests.e2e.designer.test_designer import checked, pressed, sql
from tests.e2e.installation import Installation, demo_files
from tests.e2e.runs.test_run import figure
from webapp.runs.demo import SLUG

pytestmark = pytest.mark.browser

NAME = "read_once"
ROWS = 600
DEFINITION = {
    "shape": "point",
    "fields": {"n": "long"},
    "event_time": {"start": {"column": "at", "unit": "s"}},
    "advance": {"generate": {"every": 10, "delay": "5s"}, "late": "drop"},
}
TEXT = f"""QUERY {NAME};

INSERT INTO results
SELECT STREAM COUNT(*) AS events
FROM {NAME}
WINDOW BY TUMBLE 1m;
"""


def posted(page: Page, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Send a change to the API as the page does, and return the response."""
    page.goto(f"/t/{SLUG}/queries")
    answer: dict[str, Any] = page.evaluate(
        """async ([url, body]) => {
             const token = /csrftoken=([^;]*)/.exec(document.cookie)[1];
             const headers = { "X-CSRFToken": token, "Content-Type": "application/json" };
             const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
             return { status: answer.status, ...(await answer.json()) };
           }""",
        [f"/api/t/{SLUG}/{path}", body],
    )
    assert answer["status"] == 201, answer
    return answer


def tiles(page: Page) -> Locator:
    """The figures of the ended run; the first has the peak rate of the chart."""
    expect(figure(page, "Received")).to_have_text(str(ROWS))
    expect(figure(page, "Lag")).to_have_text("none")
    expect(figure(page, "Results")).to_have_text("6")
    expect(page.locator(".tile").first).to_contain_text("up to")
    return page.locator(".tile")


def test_typed_changes_are_saved_and_run_once_and_figures_survive_a_reload(
    page: Page, installation: Installation
) -> None:
    rows = (json.dumps({"at": 1_700_000_000 + second, "n": second}) for second in range(ROWS))
    (demo_files(installation) / "once.jsonl").write_text("".join(f"{row}\n" for row in rows))
    adapter = {"kind": "file", "options": {"path": "once.jsonl", "format": "json_lines"}}
    posted(page, "streams/", {"name": NAME, "definition": DEFINITION, "adapter": adapter})
    query = posted(page, "queries/", {"text": TEXT, "comment": ""})

    page.goto(f"/t/{SLUG}/queries/{query['id']}")
    checked(page)
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    pressed(page, sql(page), "Control+a")
    page.keyboard.insert_text(TEXT.replace("1m", "2m"))
    page.get_by_role("button", name="Save and run").click()

    expect(page.locator(".page-head").get_by_text("Completed", exact=True)).to_be_visible(timeout=SPARK_MS)
    expect(page.get_by_text("version 2", exact=False).first).to_be_visible()
    seen = tiles(page).all_inner_texts()
    page.reload()
    expect(tiles(page)).to_have_text(seen, use_inner_text=True)

    dialog, first = page.get_by_role("dialog"), page.url
    page.get_by_role("button", name=f"Start again: {NAME}").click()
    expect(dialog.get_by_role("radio", name="Only new rows")).to_be_checked()
    expect(dialog.get_by_text("no result is emitted or delivered again")).to_be_visible()
    dialog.get_by_role("button", name="Start", exact=True).click()
    expect(page).not_to_have_url(first)
    expect(page.get_by_text("There are no new rows", exact=False).first).to_be_visible(timeout=SPARK_MS)

    page.goto(f"/t/{SLUG}/runs")
    # the history may be loaded sooner, and its query has the same name
    page.get_by_role("link", name=NAME, exact=True).and_(page.locator("a[href*='/bindings/']")).click()
    page.get_by_label("Name of the binding").fill(f"{NAME}_2")
    page.get_by_role("button", name=f"Start {NAME}", exact=True).click()
    expect(dialog.get_by_text("query and inputs")).to_be_visible()
    dialog.get_by_role("button", name="Save and start").click()
    expect(dialog.get_by_role("radio", name="Only new rows")).to_be_visible()
    dialog.get_by_role("button", name="Not now").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{NAME}_2")
