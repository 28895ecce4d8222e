"""A query is shown as graph and as JSON, and what is wrong with it is said while it is written."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browsing import demo_pages

pytestmark = pytest.mark.browser

BROKEN = {
    "version": 1,
    "name": "speeding",
    "nodes": [
        {"kind": "input", "id": "cars", "stream": "cars"},
        {"kind": "filter", "id": "fast", "input": "cars", "where": "sped > 100"},
        {"kind": "output", "id": "out", "input": "nowhere"},
    ],
}


def write(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="The query as JSON").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def test_a_query_is_drawn_with_its_nodes(page: Page) -> None:
    page.goto(demo_pages(page).query)
    graph = page.get_by_role("region", name="Graph")
    for node in ("cars", "fast", "by_lane", "out"):
        expect(graph.get_by_text(node, exact=True).first).to_be_visible()
    expect(page.get_by_text("Checked: no faults.")).to_be_visible()


def test_all_faults_of_a_broken_definition_are_shown_and_it_cannot_be_saved(page: Page) -> None:
    page.goto(demo_pages(page).query)
    write(page, json.dumps(BROKEN))
    faults = page.get_by_role("region", name="Faults").get_by_role("listitem")
    for code, words in (("unknown_field", "sped"), ("unknown_node", "nowhere"), ("unused_node", "fast")):
        expect(faults.filter(has_text=code).filter(has_text=words)).to_have_count(1)
    expect(page.get_by_role("button", name="Save a new version")).to_be_disabled()


def test_text_that_is_not_json_keeps_the_last_graph_and_says_where_it_breaks(page: Page) -> None:
    page.goto(demo_pages(page).query)
    write(page, '{"version": 1,')
    expect(page.get_by_text("Not JSON yet")).to_be_visible()
    expect(page.get_by_role("region", name="Graph").get_by_text("by_lane", exact=True).first).to_be_visible()
