"""Late and malformed rows of a run: a preview of their effect, by keyboard, with counts checked by hand."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages
from tests.e2e.installation import Installation, demo_files
from tests.e2e.runs.test_runs_apart import DEFINITION, SECONDS, Api, graph, listed, ran_to_the_end

pytestmark = pytest.mark.browser


def ended_run(page: Page, installation: Installation, name: str) -> str:
    """Open the page of an ended run of a file with 11 rows, two late and one malformed; return its id."""
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


def test_changes_by_quarantined_rows_are_previewed_and_corrected_rows_are_tried(
    page: Page, installation: Installation
) -> None:
    ended_run(page, installation, "replayed")
    quarantine = page.get_by_role("region", name="Late and malformed rows")
    expect(listed(quarantine)).to_have_count(3)
    quarantine.get_by_role("button", name="Preview changes").press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Preview changes").press("Enter")
    changes = dialog.get_by_role("group", name="Result rows that would change")
    # seconds 2 and 3 were late for the window 0 to 10, which contains 0, 4 and 8
    expect(listed(changes)).to_have_count(1)
    expect(listed(changes)).to_contain_text("was 3 → would be 5")
    expect(listed(changes)).to_contain_text("changed")
    still = dialog.get_by_role("group", name="Selected rows that still would not count")
    expect(listed(still)).to_contain_text("bad_time")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    malformed = quarantine.get_by_role("checkbox", name="Select 0 · 10")
    malformed.press("Space")
    expect(malformed).to_be_checked()
    quarantine.get_by_role("button", name="Preview changes of 1 row").click()
    start = dialog.get_by_label("Start UTC, of 0 · 10")
    expect(dialog.get_by_label("plate string, of 0 · 10")).to_have_value("CD 2")
    start.fill("2026-01-01T00:00:12Z")
    dialog.get_by_role("button", name="Preview changes").click()
    expect(listed(changes)).to_contain_text("new")
    expect(listed(changes)).to_contain_text("CD 2")
    expect(still).to_have_count(0)
    assert violations(page) == []
    assert_repaired(page)


def assert_repaired(page: Page) -> None:
    """Restore the corrected row, then the late ones: results and quarantine show it, and the author is recorded."""
    dialog, results = page.get_by_role("dialog"), page.get_by_role("region", name="Results")
    quarantine, repairs = (page.get_by_role("region", name=name) for name in ("Late and malformed rows", "Repairs"))
    dialog.get_by_role("button", name="Repair the results…").press("Enter")
    dialog.get_by_role("button", name="Restore 1 now").press("Enter")
    expect(dialog.get_by_text("1 row restored.")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(listed(repairs)).to_contain_text("1 new")
    expect(repairs.get_by_text("batch")).to_be_visible()
    corrected = listed(results).filter(has_text="CD 2")
    expect(corrected).to_contain_text("corrected by a repair")
    expect(listed(quarantine).filter(has_text="0 · 10")).to_contain_text("restored by a repair")

    quarantine.get_by_role("button", name="Clear selection").click()
    quarantine.get_by_role("button", name="Preview changes").press("Enter")
    dialog.get_by_role("button", name="Preview changes").press("Enter")
    still = dialog.get_by_role("group", name="Selected rows that still would not count")
    expect(listed(still)).to_contain_text("a repair has already restored it")
    dialog.get_by_role("button", name="Repair the results…").press("Enter")
    dialog.get_by_role("button", name="Restore 2 now").press("Enter")
    expect(dialog.get_by_text("2 rows restored.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(listed(repairs)).to_have_count(2)
    expect(listed(results).filter(has_text="retracted by a repair")).to_have_count(1)
    expect(listed(results).filter(has_text="retracts a row")).to_have_count(1)
    assert violations(page) == []
