"""Another version for a running binding: the effect on each node's state is shown before the change."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import SPARK_MS, demo_pages
from tests.e2e.runs.test_runs_apart import DEFINITION, Api, graph

pytestmark = [pytest.mark.browser, pytest.mark.thorough]


def test_the_effect_of_another_version_is_shown_for_each_node(page: Page) -> None:
    page.goto(demo_pages(page).runs)
    base = demo_pages(page).runs.rpartition("/")[0]
    api = Api(page, base)
    adapter = {"kind": "generator", "options": {"rate": 20.0, "late_share": 0.0}}
    api.send(
        "POST", "streams/", {"name": "beside", "definition": {**DEFINITION, "event_time": None}, "adapter": adapter}
    )
    first = {**graph({"name": "n", "function": "count"}), "name": "beside"}
    first["nodes"][0]["stream"] = "beside"
    query = api.send("POST", "queries/", {"graph": first, "comment": ""})
    binding = api.send("POST", "bindings/", {"name": "beside", "query_version": query["current"]["id"]})
    more = {**first, "nodes": [dict(node) for node in first["nodes"]]}
    more["nodes"][1]["aggregates"] = [
        {"name": "n", "function": "count"},
        {"name": "top", "function": "max", "of": "speed"},
    ]
    api.send("POST", f"queries/{query['id']}/versions/", {"graph": more})
    run = api.send("POST", f"bindings/{binding['id']}/start/", {})["id"]
    page.goto(f"{base}/runs/{run}")
    results = page.get_by_role("region", name="Results", exact=True)
    expect(results.locator("tbody tr").first).to_be_visible(timeout=SPARK_MS)

    page.goto(f"{base}/bindings/{binding['id']}")
    page.get_by_label("Version of the query").select_option(index=0)
    table = page.get_by_role("group", name="Effect on the state of each node")
    expect(table.locator("tbody tr")).to_have_count(1)
    expect(table).to_contain_text("widened")
    expect(table).to_contain_text("Windows and groups are unchanged. New: top.")
    assert violations(page) == []
