"""A query is shown as graph, SQL and JSON, and its errors are reported while it is typed."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browsing import demo_pages, opened_panel

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


MISSPELT = """-- Cars that are too fast
INSERT INTO out
SELECT STREAM * FROM cars
WHERE sped > 100;
"""


def write(page: Page, text: str, form: str = "SQL") -> None:
    turn_to(page, form)
    page.get_by_role("textbox", name=f"The query as {form}").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def turn_to(page: Page, form: str) -> None:
    expect(page.get_by_text("Checked:")).to_be_visible()
    page.get_by_role("button", name=form, exact=True).click()
    expect(page.get_by_role("textbox", name=f"The query as {form}")).to_be_visible()


def test_a_query_is_drawn_with_its_nodes(page: Page) -> None:
    page.goto(demo_pages(page).query)
    graph = page.get_by_role("region", name="Graph")
    for node in ("cars", "fast", "by_lane", "out"):
        expect(graph.get_by_text(node, exact=True).first).to_be_visible()
    expect(page.get_by_text("Checked: no problems.")).to_be_visible()


def test_all_errors_of_an_invalid_query_are_shown_and_it_cannot_be_saved(page: Page) -> None:
    page.goto(demo_pages(page).query)
    write(page, json.dumps(BROKEN), "JSON")
    faults = opened_panel(page, "Problems").get_by_role("listitem")
    for code, words in (("unknown_field", "sped"), ("unknown_node", "nowhere"), ("unused_node", "fast")):
        expect(faults.filter(has_text=code).filter(has_text=words)).to_have_count(1)
    expect(page.get_by_role("button", name="Save new version")).to_be_disabled()


def test_invalid_json_keeps_the_last_graph_and_shows_the_position(page: Page) -> None:
    page.goto(demo_pages(page).query)
    write(page, '{"version": 1,', "JSON")
    expect(page.get_by_role("status").filter(has_text="Invalid JSON")).to_be_visible()
    expect(page.get_by_role("region", name="Graph").get_by_text("by_lane", exact=True).first).to_be_visible()


def test_a_misspelt_field_is_marked_at_its_place_in_the_sql(page: Page) -> None:
    page.goto(demo_pages(page).query)
    write(page, MISSPELT)
    fault = opened_panel(page, "Problems").get_by_role("listitem").filter(has_text="unknown_field")
    expect(fault).to_contain_text("speed")
    expect(page.locator(".cm-lintRange-error").get_by_text("sped", exact=True)).to_be_visible()
    fault.get_by_role("button", name="line 4, column 7").click()
    expect(page.get_by_role("textbox", name="The query as SQL")).to_be_focused()
    page.wait_for_function("getSelection().toString() === 'sped'")


def test_the_streams_and_fields_are_offered_while_sql_is_typed(page: Page) -> None:
    page.goto(demo_pages(page).query)
    write(page, "SELECT STREAM * FROM ca")
    page.keyboard.press("Control+Space")
    label = page.locator(".cm-completionLabel").filter(has_text=re.compile("^cars$"))  # a test may add cars_2
    expect(page.get_by_role("option").filter(has=label)).to_be_visible()
    write(page, "SELECT STREAM * FROM cars WHERE sp")
    page.keyboard.press("Control+Space")
    expect(page.get_by_role("option", name="speed")).to_be_visible()


def test_comments_come_back_from_a_change_to_json_and_are_stored(page: Page) -> None:
    address = demo_pages(page).query
    page.goto(address)
    sql = page.get_by_role("textbox", name="The query as SQL")
    expect(sql).to_contain_text("SELECT STREAM")
    sql.click()
    page.keyboard.press("Control+Home")
    page.keyboard.insert_text("-- Watched by the night shift\n")
    turn_to(page, "JSON")
    expect(page.get_by_role("textbox", name="The query as JSON")).not_to_contain_text("night shift")
    turn_to(page, "SQL")
    expect(sql).to_contain_text("-- Watched by the night shift")
    page.get_by_role("button", name="Save new version").click()
    expect(page.get_by_text("it is still version")).to_be_visible()
    page.goto(address)
    expect(sql).to_contain_text("-- Watched by the night shift")


def test_a_query_is_explained(page: Page) -> None:
    with page.expect_response("**/queries/validate/") as checked:
        page.goto(demo_pages(page).query)
    assert checked.value.ok
    expect(page.get_by_text("Checked: no problems.")).to_be_visible()
    explanation = opened_panel(page, "How it runs").get_by_role("group", name="Explanation")
    expect(explanation).to_contain_text("by_lane")
    turn_to(page, "JSON")
    graph = json.dumps(checked.value.json()["graph"])
    page.get_by_role("textbox", name="The query as JSON").fill(graph.replace('"by_lane"', '"by_road"'))
    expect(explanation).to_contain_text("by_road")
    expect(explanation).not_to_contain_text("by_lane")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_the_graph_is_fitted_again_when_the_width_of_the_window_changes(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(demo_pages(page).query)
    graph = page.get_by_role("region", name="Graph").locator(".graph")
    expect(graph.get_by_text("by_lane", exact=True).first).to_be_visible()
    for width in (700, 1280):  # both are drawn from left to right
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(FITTED, arg=graph.element_handle())


FITTED = """graph => {
  const outer = graph.getBoundingClientRect();
  const nodes = [...graph.querySelectorAll(".graph-node")].map((each) => each.getBoundingClientRect());
  const [left, right] = [Math.min(...nodes.map((each) => each.left)), Math.max(...nodes.map((each) => each.right))];
  const middle = Math.abs(left + right - outer.left - outer.right) < 20;
  return nodes.length > 3 && left >= outer.left && right <= outer.right && middle;
}"""
"""True if all nodes are inside and centred horizontally."""
