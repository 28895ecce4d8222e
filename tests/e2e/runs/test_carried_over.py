"""A version with an additional aggregate continues open windows; rows name their incomplete column."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import SPARK_MS, demo_pages
from tests.e2e.installation import Installation, demo_files, put_file
from tests.e2e.runs.test_runs_apart import DEFINITION, SECONDS, Api, graph, listed
from tests.e2e.runs.test_version_change import whole_rows

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

COUNT = {"name": "n", "function": "count"}


def test_state_is_carried_over_and_the_rows_of_open_windows_are_marked(page: Page, installation: Installation) -> None:
    page.goto(demo_pages(page).runs)
    base = demo_pages(page).runs.rpartition("/")[0]
    api = Api(page, base)
    files = demo_files(installation)

    def write(name: str, *seconds: int) -> None:
        rows = [{"at": f"2026-01-01T00:00:{at:02}Z", "plate": "AB 1", "speed": float(at)} for at in seconds]
        put_file(files / name, "".join(json.dumps(row) + "\n" for row in rows))

    write("widened-1.jsonl", *SECONDS)
    options = {"path": "files/", "pattern": "widened-*.jsonl", "follow": True, "format": "json_lines"}
    adapter = {"kind": "file", "options": options}
    api.send("POST", "streams/", {"name": "widened", "definition": DEFINITION, "adapter": adapter})
    asked = {**graph(COUNT), "name": "widened"}
    asked["nodes"][0]["stream"] = "widened"
    query = api.send("POST", "queries/", {"graph": asked, "comment": ""})
    body = {"name": "widened", "query_version": query["current"]["id"], "freshness": "1s"}
    binding = api.send("POST", "bindings/", body)
    first = str(api.send("POST", f"bindings/{binding['id']}/start/", {})["id"])
    asked["nodes"][1]["aggregates"] = [COUNT, {"name": "least", "function": "min", "of": "speed"}]
    api.send("POST", f"queries/{query['id']}/versions/", {"graph": asked})

    page.goto(f"{base}/runs/{first}")
    results = page.get_by_role("region", name="Results", exact=True)
    expect(listed(results)).to_have_count(2, timeout=SPARK_MS)  # 0 to 10 and 10 to 20; 20 to 30 is open
    api.send("POST", f"bindings/{binding['id']}/stop/", {"flush": False})
    expect(page.locator(".page-head").get_by_text("Stopped", exact=True)).to_be_visible(timeout=SPARK_MS)
    page.goto(f"{base}/bindings/{binding['id']}")
    page.get_by_label("Version of the query").select_option(index=0)
    carry = "Carry over open windows: no rows are read again, and new columns are incomplete at first"
    expect(page.get_by_text("Open windows can be carried over")).to_be_visible()
    expect(page.get_by_text(carry)).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Save binding").click()
    expect(page.get_by_text("can be carried over")).to_have_count(0)

    page.goto(f"{base}/runs/{first}")
    page.get_by_role("button", name="Start again").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("radio", name=carry).check()
    expect(dialog).to_contain_text("before 2026-01-01 00:00:28.000001Z, least of out is marked as incomplete")
    assert violations(page) == []
    dialog.get_by_role("button", name="Start", exact=True).click()
    began = page.get_by_text("The first results of this run are incomplete in their new columns.")
    expect(began).to_be_visible(timeout=SPARK_MS)
    write("widened-2.jsonl", 29, 32, 48)
    expect(listed(results)).to_have_count(2, timeout=SPARK_MS)
    assert whole_rows(page) == [["", "AB 1", "1", "32"], ["incomplete: least", "AB 1", "4", "incomplete 29"]]
    expect(results.get_by_text("Some rows are incomplete in some columns.")).to_be_visible()
    assert violations(page) == []
    api.send("POST", f"bindings/{binding['id']}/stop/", {"flush": False})
