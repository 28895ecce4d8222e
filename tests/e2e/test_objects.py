"""Streams, queries and bindings are changed, renamed and deleted in the pages, without losing typed input."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.browsing import demo_pages, opened_panel
from tests.e2e.installation import Installation

pytestmark = pytest.mark.browser

IS_UNCOVERED = """field => {
  const { x, y, width, height } = field.getBoundingClientRect();
  return field.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""


def session_ended(route: Route) -> None:
    """End the session exactly before the first change: an earlier end is noticed by the requests that pages repeat."""
    if route.request.method == "POST":
        route.request.frame.page.context.clear_cookies(name=re.compile("sessionid$"))
    route.continue_()


def test_typed_input_survives_and_errors_appear_at_their_fields(page: Page, installation: Installation) -> None:
    base = demo_pages(page).streams
    page.goto(f"{base}/new")
    page.get_by_label("Kind").select_option("generator")
    page.get_by_label("Name", exact=True).fill("scales")
    page.get_by_label("A CTI every").fill("soon")
    page.get_by_role("link", name="Queries").click()
    asked = page.get_by_role("dialog", name="Leave without saving?")
    asked.get_by_role("button", name="Stay").click()
    page.route("**/streams/", session_ended)
    page.get_by_role("button", name="Create stream").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.unroute("**/streams/")
    page.get_by_label("Email").fill(installation.email)
    page.get_by_label("Password").fill(installation.password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("scales")
    expect(page.get_by_text("Restored your unsaved changes")).to_be_visible()
    page.get_by_role("button", name="Create stream").click()
    every = page.get_by_label("A CTI every")
    expect(every).to_be_focused()
    expect(every).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("'soon' is not a duration")).to_have_count(1)
    page.wait_for_function(IS_UNCOVERED, arg=every.element_handle())  # nothing that stays in place covers it
    every.fill("10")
    page.get_by_role("button", name="Create stream").click()
    expect(page.get_by_role("heading", name="scales", level=1)).to_be_visible()


def csrf(page: Page) -> dict[str, str]:
    found = (one["value"] for one in page.context.cookies() if one["name"].endswith("csrftoken"))
    return {"X-CSRFToken": next(found)}


def made_objects(page: Page, base: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The stream conveyor, created in its page and kept; the query tally on it and its binding tallying."""
    page.goto(f"{base}/streams/new")
    page.get_by_label("Kind").select_option("generator")
    page.get_by_label("Name", exact=True).fill("conveyor")
    page.get_by_role("button", name="Create stream").click()
    expect(page.get_by_role("heading", name="conveyor", level=1)).to_be_visible()
    text = "QUERY tally;\nINSERT INTO out\nSELECT STREAM COUNT(*) AS n FROM conveyor WINDOW BY TUMBLE 1m;\n"
    query = page.request.post(f"/api{base}/queries/", data={"text": text}, headers=csrf(page)).json()
    body = {"name": "tallying", "query_version": query["current"]["id"]}
    return query, page.request.post(f"/api{base}/bindings/", data=body, headers=csrf(page)).json()


def change_elsewhere(page: Page, base: str, binding: dict[str, Any]) -> None:
    """Rename the binding and change its freshness as another person."""
    inputs = {each["node"]: {"stream": each["stream"]} for each in binding["inputs"]}
    body = {"name": "tallied", "query_version": binding["query_version"], "inputs": inputs, "freshness": "200ms"}
    changed = page.request.put(f"/api{base}/bindings/{binding['id']}/", data=body, headers=csrf(page))
    assert changed.status == 200, changed.text()


def test_a_stream_a_query_and_a_binding_are_changed_renamed_and_deleted(page: Page) -> None:
    base = demo_pages(page).streams.removesuffix("/streams")
    query, binding = made_objects(page, base)
    page.get_by_role("link", name="Edit or rename…").click()
    expect(page.get_by_text("reads it as its input")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("transporter")
    page.get_by_role("button", name="Save stream").click()
    expect(page.get_by_role("heading", name="transporter", level=1)).to_be_visible()
    page.get_by_role("button", name="Delete…").click()
    expect(page.get_by_role("dialog").get_by_role("link", name="tallying")).to_be_visible()
    page.get_by_role("button", name="Keep it").click()

    page.goto(f"{base}/queries/{query['id']}")
    opened_panel(page, "Details").get_by_role("button", name="Rename…").click()
    page.get_by_label("New name").fill("2 many")
    page.get_by_role("button", name="Rename", exact=True).click()
    expect(page.get_by_label("New name")).to_be_focused()
    page.get_by_label("New name").fill("counting")
    page.get_by_role("button", name="Rename", exact=True).click()
    expect(page.get_by_role("heading", name="counting", level=1)).to_be_visible()

    page.goto(f"{base}/bindings/{binding['id']}")
    page.get_by_label("Version of the query").select_option(label="version 3: Renamed from tally")
    expect(page.get_by_text("The next start, with version 3: This is its first start")).to_be_visible()
    expect(page.get_by_role("group", name="Changes in the query")).to_contain_text("transporter")
    page.get_by_label("Name of the binding").fill("counter")
    page.get_by_label("Freshness").select_option("1 s")
    change_elsewhere(page, base, binding)
    page.get_by_role("button", name="Save binding").click()
    expect(page.get_by_text("changed the binding tallied at")).to_be_visible()
    page.get_by_role("button", name="Overwrite with mine").click()
    expect(page.get_by_role("heading", name="counter", level=1)).to_be_visible()
    expect(page.get_by_text("counting v3")).to_be_visible()
    expect(page.get_by_label("Freshness")).to_have_value("1s")

    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="Runs", level=1)).to_be_visible()
    for path in (f"{base}/queries/{query['id']}", f"{base}/streams/{binding['inputs'][0]['stream']}"):
        page.goto(path)
        if "/queries/" in path:
            opened_panel(page, "Details")
        page.get_by_role("button", name="Delete…").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        expect(page).not_to_have_url(re.compile(re.escape(path)))
        assert page.request.get(f"/api{path}/").status == 404
