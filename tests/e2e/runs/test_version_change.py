"""A running query changes to another version with an open window: no pause, no gap, no repeated window."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import SPARK_MS, demo_pages
from tests.e2e.installation import Installation, demo_files, put_file
from tests.e2e.runs.test_runs_apart import DEFINITION, SECONDS, Api, graph, listed

pytestmark = pytest.mark.browser


def test_another_version_takes_over_with_an_open_window(page: Page, installation: Installation) -> None:
    page.goto(demo_pages(page).runs)
    base = demo_pages(page).runs.rpartition("/")[0]
    api = Api(page, base)
    files = demo_files(installation)

    def write(name: str, *seconds: int) -> None:
        rows = [{"at": f"2026-01-01T00:00:{at:02}Z", "plate": "AB 1", "speed": 1.5} for at in seconds]
        put_file(files / name, "".join(json.dumps(row) + "\n" for row in rows))

    write("moving-1.jsonl", *SECONDS)
    options = {"path": "files/", "pattern": "moving-*.jsonl", "follow": True, "format": "json_lines"}
    api.send(
        "POST",
        "streams/",
        {"name": "moving", "definition": DEFINITION, "adapter": {"kind": "file", "options": options}},
    )
    asked = {**graph({"name": "n", "function": "count"}), "name": "moving"}
    asked["nodes"][0]["stream"] = "moving"
    query = api.send("POST", "queries/", {"graph": asked, "comment": ""})
    body = {"name": "moving", "query_version": query["current"]["id"], "freshness": "1s"}
    binding = api.send("POST", "bindings/", body)
    first = str(api.send("POST", f"bindings/{binding['id']}/start/", {})["id"])
    asked["nodes"][1]["aggregates"] = [{"name": "driven", "function": "sum", "of": "speed"}]
    api.send("POST", f"queries/{query['id']}/versions/", {"graph": asked})

    page.goto(f"{base}/runs/{first}")
    results = page.get_by_role("region", name="Results", exact=True)
    expect(listed(results)).to_have_count(2, timeout=SPARK_MS)  # 0 to 10 and 10 to 20; 20 to 30 is open
    page.get_by_role("button", name="Change version…").press("Enter")
    dialog = page.get_by_role("dialog")
    change = dialog.get_by_role("button", name="Change to version 2 without a pause")
    expect(dialog.get_by_text("widened")).to_be_visible()
    expect(change).not_to_have_attribute("aria-disabled", "true")
    assert violations(page) == []
    change.press("Enter")
    expect(dialog).to_have_count(0)
    took_over = page.get_by_text("Version 2 took over from this run without a pause, at the CTI 2026-01-01 00:00:20")
    expect(took_over).to_be_visible(timeout=SPARK_MS)
    expect(page.get_by_role("link", name="Open the active run")).to_be_visible()
    expect(page.get_by_role("button", name="Start again")).to_have_count(0)
    assert violations(page) == []
    page.get_by_role("link", name="Open the new run").click()
    expect(page.get_by_text("This run took over from another version without a pause")).to_be_visible()

    write("moving-2.jsonl", 32, 45)
    expect(listed(results)).to_have_count(2, timeout=SPARK_MS)
    results.get_by_role("button", name="All runs of this binding").click()
    expect(listed(results)).to_have_count(4)
    given = [["1.5", "\u2013"], ["4.5", "\u2013"], ["\u2013", "2"], ["\u2013", "3"]]
    assert [row[-2:] for row in whole_rows(page)] == given, "what was in flight is given whole, and nothing twice"
    api.send("POST", f"bindings/{binding['id']}/stop/", {"flush": False})


def whole_rows(page: Page) -> list[list[str]]:
    """The cells of the results between lifetime and reason, newest first."""
    rows = listed(page.get_by_role("region", name="Results", exact=True))
    return [each.get_by_role("cell").all_inner_texts()[2:-1] for each in rows.all()]
