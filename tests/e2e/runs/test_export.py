"""Results and files leave the browser: whole, with their types, by keyboard, on a phone too."""

import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages
from tests.e2e.installation import Installation, demo_files
from tests.e2e.layout import misfits
from tests.e2e.runs.test_run import demo_runs

pytestmark = pytest.mark.browser


def opened_choices(page: Page) -> Locator:
    """Open the choices of a download on the page of the demo's run, by keyboard."""
    demo_runs(page)
    page.goto(demo_pages(page).run)
    results = page.get_by_role("region", name="Results")
    expect(results.get_by_role("row").nth(1)).to_be_visible()
    results.get_by_role("button", name="Download…").press("Enter")
    return page.get_by_role("dialog", name="Download results")


def test_results_become_a_file_with_their_types(page: Page) -> None:
    dialog = opened_choices(page)
    dialog.get_by_label("Format").select_option("parquet")
    assert misfits(page) == []
    assert violations(page) == []
    with page.expect_download() as downloading:
        dialog.get_by_role("button", name="Download", exact=True).press("Enter")
    assert downloading.value.suggested_filename.endswith("-out.parquet")
    table = pq.read_table(downloading.value.path())
    expect(dialog.get_by_text(f"Downloaded {table.num_rows:,} row")).to_be_visible()
    assert table.num_rows > 0
    assert str(table.schema.field("start").type) == "timestamp[us, tz=UTC]"
    assert table.column_names[:3] == ["start", "end", "op"]
    assert table.column_names[-4:] == ["final", "dropped", "repaired", "incomplete"]
    assert table.column("final").to_pylist() == [True] * table.num_rows


def test_a_wrong_range_is_a_sentence_in_the_dialog(page: Page) -> None:
    dialog = opened_choices(page)
    dialog.get_by_label("From (start of the rows)").fill("yesterday")
    dialog.get_by_role("button", name="Download", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("'yesterday' isn't a time.")
    assert violations(page) == []


def test_a_stored_file_is_downloaded_as_it_is(page: Page, installation: Installation) -> None:
    content = b'{"plate": "ZH 1"}\n' * 50_000
    (demo_files(installation) / "downloaded.jsonl").write_bytes(content)
    page.goto(f"{demo_pages(page).streams}/files")
    link = page.get_by_role("link", name="Download downloaded.jsonl", exact=True)
    expect(link).to_be_visible()
    assert violations(page) == []
    with page.expect_download() as downloading:
        link.press("Enter")
    assert downloading.value.suggested_filename == "downloaded.jsonl"
    assert downloading.value.path().read_bytes() == content
