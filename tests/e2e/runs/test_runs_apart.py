"""Two runs of a file with two query versions: each page shows its own data, even after later changes."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browsing import SPARK_MS, demo_pages
from tests.e2e.installation import Installation, demo_files
from tests.e2e.runs.test_run import figure

pytestmark = pytest.mark.browser

SECONDS = (0, 4, 8, 12, 16, 2, 20, 24, 3, 28)
"""Two of them are late with a delay of 5 s."""
DEFINITION = {
    "shape": "point",
    "fields": {"plate": "string", "speed": "double"},
    "event_time": {"start": {"column": "at"}},
    "advance": {"generate": {"every": 1, "delay": "5s"}, "late": "drop"},
}


def graph(aggregate: dict[str, str]) -> dict[str, Any]:
    window = {"kind": "window", "id": "w", "input": "in", "group_by": ["plate"]}
    return {
        "version": 1,
        "name": "apart",
        "nodes": [
            {"kind": "input", "id": "in", "stream": "gate"},
            {**window, "window": {"kind": "tumbling", "size": "10s"}, "aggregates": [aggregate]},
            {"kind": "output", "id": "out", "input": "w"},
        ],
    }


class Api:
    """The API with the rights of the page's user."""

    def __init__(self, page: Page, base: str) -> None:
        self.page, self.base = page, f"/api{base}/"

    def send(self, method: str, path: str, body: Any) -> Any:
        token = next(each["value"] for each in self.page.context.cookies() if each["name"].endswith("csrftoken"))
        headers = {"X-CSRFToken": token, "Content-Type": "application/json", "Referer": self.page.url}
        answered = self.page.request.fetch(self.base + path, method=method, headers=headers, data=json.dumps(body))
        assert answered.ok, answered.text()
        return answered.json()


def listed(panel: Locator) -> Locator:
    return panel.locator("tbody tr")


def ran_to_the_end(page: Page, base: str, api: Api, binding: str) -> str:
    run = str(api.send("POST", f"bindings/{binding}/start/", {"begin": "beginning"})["id"])
    page.goto(f"{base}/runs/{run}")
    expect(page.locator(".page-head").get_by_text("Completed", exact=True)).to_be_visible(timeout=SPARK_MS)
    return run


def test_each_of_two_runs_shows_its_own_rows_and_query(page: Page, installation: Installation) -> None:
    page.goto(demo_pages(page).runs)
    base = demo_pages(page).runs.rpartition("/")[0]
    api = Api(page, base)
    rows = [{"at": f"2026-01-01T00:00:{second:02}Z", "plate": "AB 1", "speed": 1.5} for second in SECONDS]
    (demo_files(installation) / "gate.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    adapter = {"kind": "file", "options": {"path": "files/gate.jsonl", "format": "json_lines"}}
    api.send("POST", "streams/", {"name": "gate", "definition": DEFINITION, "adapter": adapter})
    first_graph = graph({"name": "n", "function": "count"})
    query = api.send("POST", "queries/", {"graph": first_graph, "comment": ""})
    binding = api.send("POST", "bindings/", {"name": "twice", "query_version": query["current"]["id"]})
    first = ran_to_the_end(page, base, api, binding["id"])
    second_graph = graph({"name": "fastest", "function": "max", "of": "speed"})
    version = api.send("POST", f"queries/{query['id']}/versions/", {"graph": second_graph})
    api.send("PUT", f"bindings/{binding['id']}/", {"name": "renamed", "query_version": version["id"]})
    second = ran_to_the_end(page, base, api, binding["id"])

    results = page.get_by_role("region", name="Results", exact=True)
    quarantine = page.get_by_role("region", name="Late and malformed rows")
    for run, version_words, column in ((first, "version 1", "n"), (second, "version 2", "fastest")):
        page.goto(f"{base}/runs/{run}")
        for name, number in (("Received", "10"), ("Dropped", "2"), ("Results", "3")):
            expect(figure(page, name)).to_have_text(number)
        expect(page.get_by_text(version_words).first).to_be_visible()
        expect(listed(results)).to_have_count(3)
        expect(results).to_contain_text("3 rows of this run")
        expect(results.get_by_role("columnheader")).to_have_text(["Start (UTC)", "End (UTC)", "plate", column, "Why"])
        expect(listed(quarantine)).to_have_count(2)
        expect(quarantine).to_contain_text("2 rows of this run")
        expect(page.get_by_text("No late rows")).to_have_count(0)

    results.get_by_role("button", name="All runs of this binding").click()
    expect(listed(results)).to_have_count(6)
    cells = results.get_by_role("row").nth(6).get_by_role("cell")
    expect(cells.first).to_have_text(re.compile(r"2\d\d\d-.* · version 1"))
    expect(cells).to_have_count(7)
    expect(cells.nth(4)).to_have_text("\u2013")  # version 1 has no such column, which is not null
    results.get_by_role("button", name="This run").click()
    expect(listed(results)).to_have_count(3)

    page.goto(f"{base}/runs/{first}")
    expect(page.get_by_role("heading", level=1)).to_have_text("twice")
    expect(page.get_by_text("binding now named renamed")).to_be_visible()
    ran = page.get_by_role("region", name="Executed query")
    ran.get_by_role("button", name="Show").click()
    expect(ran).to_contain_text("COUNT(*)")
    expect(ran.get_by_role("row").nth(1)).to_contain_text("gate")
