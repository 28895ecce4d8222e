"""A board from its first tile to its deletion, by mouse and by keyboard, in both themes and on a phone."""

import re
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import loaded
from webapp.runs.demo import RUNNING

pytestmark = pytest.mark.browser


def made(page: Page, title: str) -> None:
    """Make an empty board with the dialog of the list, which opens it for editing."""
    page.goto("/t/demo/boards")
    page.get_by_role("button", name="New board").click()
    dialog = page.get_by_role("dialog", name="New board")
    dialog.get_by_label("Title").fill(title)
    dialog.get_by_role("button", name="Create board").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)


def add(page: Page, kind: str, **fields: str) -> None:
    """Add a tile with its dialog."""
    page.get_by_role("button", name="Add tile").click()
    dialog = page.get_by_role("dialog", name="Add a tile")
    dialog.get_by_label("Tile", exact=True).select_option(label=kind)
    if kind != "Note":
        dialog.get_by_label("Query").select_option(label=RUNNING)
    for label, value in fields.items():
        dialog.get_by_label(label, exact=True).fill(value)
    assert violations(page) == []
    dialog.get_by_role("button", name="Add tile").click()
    expect(dialog).to_be_hidden()


def titles(page: Page) -> list[str]:
    return page.locator(".board-grid > section > header > h2").all_inner_texts()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 390)])
def test_a_board_is_made_changed_and_deleted(page: Page, scheme: str, width: int) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": width, "height": 900})
    title = f"Desk {uuid4().hex[:6]}"
    made(page, title)
    expect(page.get_by_text("No tiles yet")).to_be_visible()
    add(page, "Can the results be trusted?", Title="Trust")
    add(page, "Note", Title="Phone", Text="Call the gate.")
    add(page, "Chart of results", Title="Results")
    assert titles(page) == ["Trust", "Phone", "Results"]

    page.get_by_role("button", name="Move earlier: Results").click()
    page.get_by_role("button", name="Make wider: Trust").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Trust").get_by_role("status").first).to_contain_text("4 of 12 columns")
    page.get_by_role("button", name="Remove the tile: Phone").click()
    assert violations(page) == []
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Edit", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_role("region", name="Trust")).to_contain_text(RUNNING)
    loaded(page)
    assert titles(page) == ["Trust", "Results"]
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("button", name="Delete the board").click()
    expect(page).to_have_url(re.compile(r"/t/demo/boards$"))
    expect(page.get_by_role("link", name=title)).to_have_count(0)
    loaded(page)
    assert violations(page) == []


def test_tiles_are_moved_and_resized_with_the_mouse(page: Page) -> None:
    made(page, f"Desk {uuid4().hex[:6]}")
    for name in ("One", "Two"):
        add(page, "Note", Title=name, Text="Call the gate.")
    page.get_by_role("region", name="One").locator(".tile-handle").drag_to(page.get_by_role("region", name="Two"))
    expect(page.locator(".board-grid > section > header > h2").first).to_have_text("Two")
    corner = page.get_by_role("region", name="Two").locator(".tile-corner")
    corner.hover()
    page.mouse.down()
    column = page.locator(".board-grid").evaluate("grid => grid.clientWidth / 12")
    box = corner.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 10 + 2 * column, box["y"] + 10, steps=4)
    page.mouse.up()
    expect(page.get_by_role("region", name="Two")).to_contain_text("6 of 12 columns")
