"""A chart of results, its table and its export are the same rows; the page works by keyboard and on a phone."""

import csv
import re
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages
from tests.e2e.layout import misfits
from tests.e2e.runs.test_run import demo_runs

pytestmark = pytest.mark.browser
ENOUGH_MS = 120_000
CHART = "/results/chart/"


def results_address(page: Page) -> str:
    """Open the results of the demo's query, and return their address once there are some."""
    demo_runs(page)
    page.goto(demo_pages(page).overview)
    page.get_by_role("link", name="speeding", exact=True).first.click()
    page.get_by_role("link", name="Results", exact=True).click()
    expect(page.get_by_role("heading", name="Results of speeding")).to_be_visible()
    expect(page.get_by_role("table", name="").get_by_role("row").nth(3)).to_be_visible(timeout=ENOUGH_MS)
    expect(page).to_have_url(re.compile("measure=sum&of="))
    return page.url.partition("?")[0]


def closed_windows(page: Page, address: str) -> dict[str, str]:
    """Choose a range in which no further result can appear: windows before the newest one."""
    with page.expect_response(lambda response: CHART in response.url) as answered:
        page.goto(f"{address}?measure=count")
    points: list[dict[str, Any]] = answered.value.json()["points"]
    return {"measure": "sum", "of": "n", "to": str(max(point["at"] for point in points))}


def shown_sums(page: Page) -> dict[str, int]:
    rows = page.get_by_role("group", name="Table of the points").get_by_role("row").all()[1:]
    cells = [[cell.inner_text() for cell in row.get_by_role("cell").all()[:2]] for row in rows]
    return {start: int(value.replace(",", "")) for start, value in cells}


def exported_sums(path: Path) -> dict[str, int]:
    sums: Counter[str] = Counter()
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            sums[row["start"].replace("T", " ")] += int(row["n"])
    return dict(sums)


def check_page(page: Page, address: str) -> None:
    """Check the page of results at `address`."""
    chosen = closed_windows(page, address)
    page.goto(f"{address}?{urlencode(chosen)}")
    expect(page.get_by_role("img", name="Sum of n")).to_be_visible()
    every = page.get_by_role("button", name="Show all")
    if every.is_visible():
        every.click()
    shown = shown_sums(page)
    with page.expect_download() as downloading:
        page.get_by_role("button", name="CSV").press("Enter")
    assert shown == exported_sums(downloading.value.path())
    expect(page.get_by_role("status").filter(has_text="Downloaded")).to_be_visible()

    slider = page.get_by_role("slider", name="Point")
    newest = slider.get_attribute("aria-valuetext") or ""
    if len(shown) > 1:
        slider.press("ArrowLeft")
        expect(slider).not_to_have_attribute("aria-valuetext", newest)
    for kind in ("Line", "Heat", "Single value", "Table", "Bar"):
        page.get_by_role("button", name=kind, exact=True).press("Enter")
        expect(page.get_by_role("button", name=kind, exact=True)).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".results-figures")).to_have_attribute("aria-busy", "false")
        assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_table_of_a_chart_is_its_export(page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    check_page(page, results_address(page))
    page.set_viewport_size({"width": 390, "height": 844})
    assert misfits(page) == []
