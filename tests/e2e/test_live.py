"""From the live page to a lane that loses rows, and to the repair of its rows, in three clicks."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages, hover_until, loaded
from tests.e2e.runs.test_run import demo_runs

pytestmark = pytest.mark.browser
LANE = "Lane 7 of cars has 84 of the 85 dropped rows of this run."
LOSS = f"85 rows (8.5 %) lost in 15 minutes. {LANE}"


def losing(home: dict[str, Any]) -> dict[str, Any]:
    """Let the demo's query lose rows in a lane."""
    rows = [row | {"condition": "rows_lost", "sentence": LOSS} for row in home["rows"]]
    return home | {"rows": rows, "tiles": home["tiles"] | {"conditions": {"rows_lost": len(rows)}}}


def short(dashboard: dict[str, Any]) -> dict[str, Any]:
    """Let its results lack these rows."""
    sentence = "No: 85 of 1,000 rows are in no result."
    verdict = {"trust": "short", "sentence": sentence, "since": dashboard["begin"], "blame": LANE, "final_until": None}
    return dashboard | {"verdict": verdict}


def changed(page: Page, address: str, change: Any) -> None:
    """Change what the API answers at `address`."""

    def answer(route: Route) -> None:
        found = route.fetch()
        route.fulfill(status=found.status, json=change(found.json()))

    page.route(re.compile(address), answer)


def test_a_lane_that_loses_rows_is_three_clicks_from_its_repair(page: Page) -> None:
    demo_runs(page)
    home = demo_pages(page).overview
    changed(page, r"/home/(\?.*)?$", losing)
    changed(page, r"/home/[0-9a-f-]{36}/(\?.*)?$", short)
    page.goto(home)
    link = page.get_by_role("link", name="speeding", exact=True)
    row = page.get_by_role("row").filter(has=link).filter(has_text=LANE)
    expect(row.get_by_text("Losing rows")).to_be_visible()
    assert violations(page) == []

    row.get_by_role("link", name="speeding", exact=True).click()
    verdict = page.get_by_role("region", name="Verdict")
    expect(verdict).to_contain_text(LANE)
    assert violations(page) == []

    verdict.get_by_role("link", name="See and repair the rows").click()
    expect(page).to_have_url(re.compile(r"/runs/[0-9a-f-]{36}#quarantine$"))
    expect(page.get_by_role("region", name="Late and malformed rows")).to_be_visible()


def with_lane(details: dict[str, Any]) -> dict[str, Any]:
    """Let a lane fall silent in the range: the details are those of one input."""
    count = len(details["lags"]["largest"])
    lane = {"lane": "7", "lanes": 1, "rows": 30, "late": 4, "dropped": 4}
    line = [22_000_000 if index > count // 2 else 6_000_000 for index in range(count)]
    cars = {
        "name": "cars",
        "behind": [{"9": 90, "13": 10}] * count,
        "unmeasured": 0,
        "median": [400_000] * count,
        "most": [8_000_000] * count,
        "delay": [5_000_000] * count,
        "lanes": [lane | {"behind": line, "lost": [0] * count}],
    }
    known = {"largest": line, "input": [0] * count, "delay": [5_000_000] * count, "source": [0] * count}
    lags = known | {"lane": [each - 5_500_000 for each in line], "work": [500_000] * count}
    return details | {"inputs": [cars], "lags": lags}


def mark_known(dashboard: dict[str, Any]) -> dict[str, Any]:
    """Let a run have lived in the whole range."""
    return dashboard | {"steps": [step | {"knowledge": "known"} for step in dashboard["steps"]]}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_charts_of_a_query_share_range_and_crosshair(page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    demo_runs(page)
    changed(page, r"/home/[0-9a-f-]{36}/(\?.*)?$", mark_known)
    changed(page, r"/home/[0-9a-f-]{36}/details/", with_lane)
    page.goto(demo_pages(page).overview)
    page.get_by_role("link", name="speeding", exact=True).first.click()
    panel = page.get_by_role("region", name="Parts of the lag")
    loaded(page)
    read = page.get_by_role("status", name="Values at the crosshair").filter(has_text="99 % at most 8 s behind")
    hover_until(panel.locator("svg"), read)
    page.mouse.move(0, 0)  # the keyboard's crosshair stays when the page moves its charts
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    expect(read).to_be_visible()
    expect(page.locator(".crosshair")).to_have_count(4)  # outcomes, distances, lag, lanes
    assert violations(page) == []

    with page.expect_download() as saved:
        panel.get_by_role("button", name="PNG of Parts of the lag").click()
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")

    panel.get_by_role("button", name="Table").click()
    expect(panel.get_by_role("row").nth(1)).to_contain_text("22 s")

    page.get_by_label("Compare with").select_option("a day earlier")
    expect(page).to_have_url(re.compile("compare=day"))
    page.get_by_role("slider", name="Start of the range").press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"begin=\d+&end=\d+"))
    page.get_by_role("button", name="2 h", exact=True).click()
    expect(page).to_have_url(re.compile("seconds=7200"))
    assert violations(page) == []


def test_the_ledger_of_a_query_is_downloaded_with_its_signature(page: Page) -> None:
    demo_runs(page)
    page.goto(demo_pages(page).overview)
    page.get_by_role("link", name="speeding", exact=True).first.click()
    page.get_by_role("link", name="Ledger", exact=True).click()
    table = page.get_by_role("table")
    expect(table.get_by_role("row", name="All days")).to_contain_text("adds up")
    page.get_by_role("button", name="7 d").click()
    expect(table.get_by_role("row")).to_have_count(2 + 7)
    assert violations(page) == []
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download signed CSV").click()
    content = downloading.value.path().read_text()
    assert [line[:6] for line in content.splitlines() if line.startswith("day,")] == 7 * ["day,20"]
    assert content.splitlines()[-1].startswith("signature,ed25519:")
