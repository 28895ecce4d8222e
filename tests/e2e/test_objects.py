"""Streams, queries and bindings are changed, renamed and deleted in the pages, and nothing that was typed is lost."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browsing import demo_pages
from tests.e2e.installation import Installation

pytestmark = pytest.mark.browser


def test_what_is_typed_survives_and_what_is_wrong_is_told_at_its_field(page: Page, installation: Installation) -> None:
    base = demo_pages(page).streams
    page.goto(f"{base}/new")
    page.get_by_label("Kind").select_option("generator")
    page.get_by_label("Name", exact=True).fill("scales")
    page.get_by_label("A CTI every").fill("soon")
    page.get_by_role("link", name="Queries").click()
    asked = page.get_by_role("dialog", name="Leave without saving?")
    asked.get_by_role("button", name="Stay").click()
    page.context.clear_cookies(name=re.compile("sessionid$"))
    page.get_by_role("button", name="Create the stream").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.get_by_label("E-mail").fill(installation.email)
    page.get_by_label("Password").fill(installation.password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("scales")
    expect(page.get_by_text("was not saved, and is here again")).to_be_visible()
    page.get_by_role("button", name="Create the stream").click()
    every = page.get_by_label("A CTI every")
    expect(every).to_be_focused()
    expect(every).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("'soon' is not a duration")).to_have_count(1)
    box, header = every.bounding_box(), page.locator(".top, .bar").first.bounding_box()
    assert box is not None
    assert header is not None
    assert box["y"] >= header["y"] + header["height"]  # the header, which stays, does not cover it
    every.fill("10")
    page.get_by_role("button", name="Create the stream").click()
    expect(page.get_by_role("heading", name="scales", level=1)).to_be_visible()


def csrf(page: Page) -> dict[str, str]:
    found = (one["value"] for one in page.context.cookies() if one["name"].endswith("csrftoken"))
    return {"X-CSRFToken": next(found)}


def made_objects(page: Page, base: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A stream conveyor, made in its page, which stays; the query tally over it and the binding tallying of that."""
    page.goto(f"{base}/streams/new")
    page.get_by_label("Kind").select_option("generator")
    page.get_by_label("Name", exact=True).fill("conveyor")
    page.get_by_role("button", name="Create the stream").click()
    expect(page.get_by_role("heading", name="conveyor", level=1)).to_be_visible()
    text = "QUERY tally;\nINSERT INTO out\nSELECT STREAM COUNT(*) AS n FROM conveyor WINDOW BY TUMBLE 1m;\n"
    query = page.request.post(f"/api{base}/queries/", data={"text": text}, headers=csrf(page)).json()
    said = {"name": "tallying", "query_version": query["current"]["id"]}
    return query, page.request.post(f"/api{base}/bindings/", data=said, headers=csrf(page)).json()


def change_elsewhere(page: Page, base: str, binding: dict[str, Any]) -> None:
    """Somebody else renames the binding and wants its results fresher."""
    inputs = {each["node"]: {"stream": each["stream"]} for each in binding["inputs"]}
    body = {"name": "tallied", "query_version": binding["query_version"], "inputs": inputs, "freshness": "200ms"}
    changed = page.request.put(f"/api{base}/bindings/{binding['id']}/", data=body, headers=csrf(page))
    assert changed.status == 200, changed.text()


def test_a_stream_a_query_and_a_binding_are_changed_renamed_and_deleted(page: Page) -> None:
    base = demo_pages(page).streams.removesuffix("/streams")
    query, binding = made_objects(page, base)
    page.get_by_role("link", name="Change or rename…").click()
    expect(page.get_by_text("reads it as its input")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("transporter")
    page.get_by_role("button", name="Save the stream").click()
    expect(page.get_by_role("heading", name="transporter", level=1)).to_be_visible()
    page.get_by_role("button", name="Delete…").click()
    expect(page.get_by_role("dialog").get_by_role("link", name="tallying")).to_be_visible()
    page.get_by_role("button", name="Keep it").click()

    page.goto(f"{base}/queries/{query['id']}")
    page.get_by_role("button", name="Rename…").click()
    page.get_by_label("New name").fill("2 many")
    page.get_by_role("button", name="Rename", exact=True).click()
    expect(page.get_by_label("New name")).to_be_focused()
    page.get_by_label("New name").fill("counting")
    page.get_by_role("button", name="Rename", exact=True).click()
    expect(page.get_by_role("heading", name="counting", level=1)).to_be_visible()

    page.goto(f"{base}/bindings/{binding['id']}")
    page.get_by_label("Version of the query").select_option(label="version 3: Renamed from tally")
    expect(page.get_by_text("The next start, with version 3: This is its first start")).to_be_visible()
    expect(page.get_by_role("group", name="What changes in the query")).to_contain_text("transporter")
    page.get_by_label("Name of the binding").fill("counter")
    page.get_by_label("How fresh results must be").select_option("1 s")
    change_elsewhere(page, base, binding)
    page.get_by_role("button", name="Save the binding").click()
    expect(page.get_by_text("changed the binding tallied at")).to_be_visible()
    page.get_by_role("button", name="Save mine over it").click()
    expect(page.get_by_role("heading", name="counter", level=1)).to_be_visible()
    expect(page.get_by_text("counting v3")).to_be_visible()
    expect(page.get_by_label("How fresh results must be")).to_have_value("1s")

    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="Runs", level=1)).to_be_visible()
    for path in (f"{base}/queries/{query['id']}", f"{base}/streams/{binding['inputs'][0]['stream']}"):
        page.goto(path)
        page.get_by_role("button", name="Delete…").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        expect(page).not_to_have_url(re.compile(re.escape(path)))
        assert page.request.get(f"/api{path}/").status == 404
