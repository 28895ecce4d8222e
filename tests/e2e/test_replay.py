"""Late and malformed rows of a run: what they would change, by keyboard, and as a count by hand says."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages
from tests.e2e.installation import Installation, demo_files
from tests.e2e.test_runs_apart import DEFINITION, SECONDS, Api, graph, listed, ran_to_the_end

pytestmark = pytest.mark.browser


def ended_run(page: Page, installation: Installation, name: str) -> str:
    """Open the page of a run of a file that has ended: of 11 rows two came late, and one cannot be read; its id."""
    page.goto(demo_pages(page).runs)
    base = demo_pages(page).runs.rpartition("/")[0]
    api = Api(page, base)
    lines = [json.dumps({"at": f"2026-01-01T00:00:{at:02}Z", "plate": "AB 1", "speed": 1.5}) for at in SECONDS]
    text = "\n".join([*lines, '{"at": "noon", "plate": "CD 2", "speed": 2.5}'])
    (demo_files(installation) / f"{name}.jsonl").write_text(text)
    adapter = {"kind": "file", "options": {"path": f"files/{name}.jsonl", "format": "json_lines"}}
    api.send("POST", "streams/", {"name": name, "definition": DEFINITION, "adapter": adapter})
    asked = {**graph({"name": "n", "function": "count"}), "name": name}
    asked["nodes"][0]["stream"] = name
    query = api.send("POST", "queries/", {"graph": asked, "comment": ""})
    binding = api.send("POST", "bindings/", {"name": name, "query_version": query["current"]["id"]})
    return ran_to_the_end(page, base, api, binding["id"])


def test_what_rows_of_quarantine_would_change_is_seen_and_tried_mended(page: Page, installation: Installation) -> None:
    ended_run(page, installation, "replayed")
    quarantine = page.get_by_role("region", name="Late and malformed rows")
    expect(listed(quarantine)).to_have_count(3)
    quarantine.get_by_role("button", name="What would change").press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Say what would change").press("Enter")
    changes = dialog.get_by_role("group", name="Rows of the result that would be others")
    # seconds 2 and 3 came late to the window 0 to 10, which holds 0, 4 and 8
    expect(listed(changes)).to_have_count(1)
    expect(listed(changes)).to_contain_text("was 3 → would be 5")
    expect(listed(changes)).to_contain_text("changed")
    still = dialog.get_by_role("group", name="Chosen rows that would still not count")
    expect(listed(still)).to_contain_text("bad_time")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    malformed = quarantine.get_by_role("checkbox", name="Choose 0 · 10")
    malformed.press("Space")
    expect(malformed).to_be_checked()
    quarantine.get_by_role("button", name="What 1 row would change").click()
    start = dialog.get_by_label("Start UTC, of 0 · 10")
    expect(dialog.get_by_label("plate string, of 0 · 10")).to_have_value("CD 2")
    start.fill("2026-01-01T00:00:12Z")
    dialog.get_by_role("button", name="Say what would change").click()
    expect(listed(changes)).to_contain_text("new")
    expect(listed(changes)).to_contain_text("CD 2")
    expect(still).to_have_count(0)
    assert violations(page) == []
    assert_repaired(page)


def assert_repaired(page: Page) -> None:
    """Take the mended row back, then the late ones: results and quarantine say so, and who did it is kept."""
    dialog, results = page.get_by_role("dialog"), page.get_by_role("region", name="Results")
    quarantine, repairs = (page.get_by_role("region", name=name) for name in ("Late and malformed rows", "Repairs"))
    dialog.get_by_role("button", name="Repair the results…").press("Enter")
    dialog.get_by_role("button", name="Take 1 back now").press("Enter")
    expect(dialog.get_by_text("1 row taken back.")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(listed(repairs)).to_contain_text("1 new")
    expect(repairs.get_by_text("batch")).to_be_visible()
    corrected = listed(results).filter(has_text="CD 2")
    expect(corrected).to_contain_text("corrected by a repair")
    expect(listed(quarantine).filter(has_text="0 · 10")).to_contain_text("taken back by a repair")

    quarantine.get_by_role("button", name="Choose none").click()
    quarantine.get_by_role("button", name="What would change").press("Enter")
    dialog.get_by_role("button", name="Say what would change").press("Enter")
    still = dialog.get_by_role("group", name="Chosen rows that would still not count")
    expect(listed(still)).to_contain_text("a repair has taken it back into the results already")
    dialog.get_by_role("button", name="Repair the results…").press("Enter")
    dialog.get_by_role("button", name="Take 2 back now").press("Enter")
    expect(dialog.get_by_text("2 rows taken back.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(listed(repairs)).to_have_count(2)
    expect(listed(results).filter(has_text="taken back by a repair")).to_have_count(1)
    expect(listed(results).filter(has_text="takes a row back")).to_have_count(1)
    assert violations(page) == []
