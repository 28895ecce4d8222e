"""A query is built on the canvas by mouse, and in the outline by keyboard; text and graph stay in sync."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages

pytestmark = pytest.mark.browser

BEGINNING = """QUERY {name};

-- Everything, at first
INSERT INTO out SELECT STREAM * FROM cars;
"""
IMPORTED = "\nADVANCE TIME cars_2 IMPORT FROM cars LATE DROP;\n"


def begin(page: Page, name: str) -> None:
    """Open a new query that passes one stream through."""
    queries = demo_pages(page).queries
    page.goto(f"{queries}/new")
    write(page, BEGINNING.format(name=name))
    expect(box(page, "out")).to_be_visible()
    checked(page)


def write(page: Page, text: str) -> None:
    sql(page).click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def sql(page: Page) -> Locator:
    return page.get_by_role("textbox", name="The query as SQL")


def checked(page: Page) -> None:
    expect(page.get_by_text("Checked:")).to_be_visible()


def graph(page: Page) -> Locator:
    return page.get_by_role("region", name="Graph")


def box(page: Page, node: str) -> Locator:
    return graph(page).locator(f'.react-flow__node[data-id="{node}"]')


def form(page: Page, node: str) -> Locator:
    return page.get_by_role("region", name=f"Form of {node}")


def add(page: Page, kind: str) -> None:
    page.get_by_role("region", name="Kinds of nodes").get_by_role("button", name=re.compile(f"^{kind} ")).click()


def connect(page: Page, source: str, target: str, port: str) -> None:
    """Drag from a node's output port to a port of another node."""
    start = box(page, source).locator('[data-handleid="out"]')
    end = box(page, target).locator(f'[data-handleid="{port}"]')
    start.hover()
    page.mouse.down()
    end.hover()
    end.hover()
    page.mouse.up()


def choose(scope: Page | Locator, label: str, value: str) -> None:
    scope.get_by_label(label, exact=True).select_option(value)


def test_a_join_with_a_window_is_built_by_mouse_and_saved(page: Page) -> None:
    begin(page, "drawn_by_mouse")
    page.get_by_role("button", name="Add node").click()
    box(page, "cars").click()
    add(page, "Window")
    window = form(page, "window")
    choose(window, "Kind of window", "hopping")
    window.get_by_label("Size", exact=True).fill("10")
    window.get_by_label("road_lane", exact=True).check()
    checked(page)
    expect(sql(page)).to_contain_text("WINDOW BY HOP 10m,1m")
    box(page, "cars").click()
    add(page, "Filter")
    checked(page)
    where = form(page, "filter").get_by_role("textbox", name="Condition of filter")
    where.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("speed > 100 and sp")
    page.keyboard.press("Control+Space")
    page.get_by_role("option", name="speed").click()
    page.keyboard.insert_text(" < 300")
    checked(page)
    expect(sql(page)).to_contain_text("speed > 100 and speed < 300")
    graph(page).locator(".react-flow__pane").click(position={"x": 12, "y": 12})
    add(page, "Input")
    checked(page)
    choose(form(page, "cars_2"), "Stream", "cars")
    box(page, "window").click()
    add(page, "Join")
    checked(page)
    connect(page, "cars_2", "join", "right")
    form(page, "join").get_by_label("road_lane", exact=True).check()
    checked(page)
    page.get_by_role("button", name="Close", exact=True).click()
    sql(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(IMPORTED)
    expect(
        page.get_by_text("Checked: no problems.").or_(page.get_by_text(re.compile(r"Checked: \d+ warning")))
    ).to_be_visible()
    expect(sql(page)).to_contain_text("-- Everything, at first")
    page.get_by_role("button", name="Create query").click()
    expect(page.get_by_role("heading", name="drawn_by_mouse")).to_be_visible()
    expect(box(page, "join")).to_be_visible()
    expect(sql(page)).to_contain_text("IMPORT FROM cars")


def pressed(page: Page, target: Locator, *keys: str) -> None:
    """Press keys on an element, focused by name as with a screen reader."""
    target.focus()
    for key in keys:
        page.keyboard.press(key)


def test_the_same_is_built_in_the_outline_by_keyboard_alone(page: Page) -> None:
    begin(page, "typed_by_keyboard")
    pressed(page, page.get_by_role("button", name="Outline", exact=True), "Enter")
    outline = graph(page).get_by_role("list", name="Nodes in order")
    head = outline.locator("[data-node=cars]")
    pressed(page, head, "ArrowDown")
    expect(outline.locator("[data-node=out]")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(head).to_be_focused()
    page.keyboard.press("Enter")
    pressed(page, outline.get_by_role("button", name="Add after"), "Enter")
    kinds = outline.get_by_role("region", name="Kinds of nodes")
    pressed(page, kinds.get_by_role("button", name=re.compile("^Window ")), "Enter")
    checked(page)
    pressed(page, outline.get_by_label("Kind of window"), "h")
    expect(outline.get_by_label("Kind of window")).to_have_value("hopping")
    pressed(page, outline.get_by_label("road_lane", exact=True), "Space")
    checked(page)
    expect(sql(page)).to_contain_text("GROUP BY road_lane")
    pressed(page, outline.get_by_role("button", name="Add before"), "Enter")
    pressed(page, kinds.get_by_role("button", name=re.compile("^Filter ")), "Enter")
    checked(page)
    name = outline.get_by_label("Name", exact=True)
    pressed(page, name, "Control+a")
    page.keyboard.insert_text("fast")
    page.keyboard.press("Enter")
    checked(page)
    expect(outline.locator("[data-node=fast]")).to_be_visible()
    pressed(page, outline.locator("[data-node=cars]"), "Enter")
    pressed(page, outline.get_by_role("button", name="Duplicate"), "Enter")
    expect(outline.locator("[data-node=cars_2]")).to_be_visible()
    checked(page)
    pressed(page, outline.locator("[data-node=window]"), "Enter")
    pressed(page, outline.get_by_role("button", name="Add after"), "Enter")
    pressed(page, kinds.get_by_role("button", name=re.compile("^Join ")), "Enter")
    checked(page)
    outline.get_by_label("Right", exact=True).select_option("cars_2")
    checked(page)
    pressed(page, outline.get_by_label("road_lane", exact=True), "Space")
    checked(page)
    pressed(page, sql(page), "Control+End")
    page.keyboard.insert_text(IMPORTED)
    expect(page.get_by_role("button", name="Create query")).to_be_enabled()
    page.get_by_role("button", name="Create query").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="typed_by_keyboard")).to_be_visible()
    expect(sql(page)).to_contain_text("IMPORT FROM cars")


def test_a_comment_is_written_into_the_text_and_read_from_it(page: Page) -> None:
    begin(page, "commented")
    graph(page).get_by_role("button", name="Outline", exact=True).click()
    outline = graph(page).get_by_role("list", name="Nodes in order")
    outline.locator("[data-node=out]").click()
    expect(outline.get_by_label("Comment")).to_have_value("Everything, at first")
    outline.locator("[data-node=cars]").click()
    outline.get_by_label("Comment").press_sequentially("As they come\nfrom the road")
    expect(sql(page)).to_contain_text("-- cars: from the road")
    checked(page)
    sql(page).click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(BEGINNING.format(name="commented").replace("Everything, at first", "All of it"))
    expect(outline.get_by_label("Comment")).to_have_value("")
    outline.locator("[data-node=out]").click()
    expect(outline.get_by_label("Comment")).to_have_value("All of it")


def test_everything_is_undone_and_redone_by_keys_and_buttons(page: Page) -> None:
    begin(page, "undone")
    before = sql(page).inner_text()
    box(page, "cars").click()
    page.get_by_role("button", name="Add node").click()
    add(page, "Shift")
    expect(sql(page)).to_contain_text("SHIFT")
    checked(page)
    after = sql(page).inner_text()
    moved = box(page, "shift")
    moved.hover()  # waits until the box stays in its place
    start = moved.bounding_box()
    assert start is not None
    page.mouse.down()
    page.mouse.move(start["x"] + 40, start["y"] + 120, steps=5)
    page.mouse.up()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    expect(box(page, "shift")).to_have_count(0)
    checked(page)
    expect(sql(page)).to_have_text(before, use_inner_text=True)
    sql(page).focus()
    page.keyboard.press("Control+Shift+z")
    expect(box(page, "shift")).to_be_visible()
    page.keyboard.press("Control+y")
    checked(page)
    expect(sql(page)).to_have_text(after, use_inner_text=True)


def test_an_invalid_text_locks_the_canvas_and_offers_a_way_back(page: Page) -> None:
    begin(page, "broken")
    write(page, "SELECT FROM (")
    expect(graph(page).get_by_text("The SQL has errors, so this is the last valid graph")).to_be_visible()
    expect(box(page, "cars")).to_be_visible()
    expect(page.get_by_role("button", name="Add node")).to_be_disabled()
    box(page, "out").click()
    page.keyboard.press("Delete")
    expect(graph(page).get_by_role("alert")).to_contain_text("Not applied.")
    page.get_by_role("button", name="Back to the last valid text").click()
    checked(page)
    expect(sql(page)).to_contain_text("Everything, at first")
    expect(page.get_by_role("button", name="Add node")).to_be_enabled()


def test_positions_of_boxes_are_stored_without_a_new_version(page: Page) -> None:
    page.goto(demo_pages(page).query)
    checked(page)
    moved = box(page, "out")
    moved.hover()  # waits until the box stays in its place
    start = moved.bounding_box()
    assert start is not None
    with page.expect_response("**/layout/") as answered:
        page.mouse.down()
        page.mouse.move(start["x"] + 30, start["y"] + 90, steps=5)
        page.mouse.up()
    assert "out" in answered.value.json()["positions"]
    expect(page.get_by_role("button", name="Save new version")).to_be_disabled()


def test_nodes_are_copied_from_one_query_into_another(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(demo_pages(page).query)
    box(page, "by_lane").click()
    graph(page).get_by_role("button", name="Copy", exact=True).click()
    begin(page, "pasted")
    for name in ("by_lane", "by_lane_2"):
        graph(page).get_by_role("button", name="Paste", exact=True).click()
        expect(box(page, name)).to_be_visible()
    checked(page)
    expect(sql(page)).to_contain_text("by_lane_2 AS")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_canvas_and_outline_are_accessible(page: Page, scheme: str, width: int) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(demo_pages(page).query)
    checked(page)
    graph(page).get_by_role("button", name="Canvas", exact=True).click()
    box(page, "by_lane").click()
    page.get_by_role("button", name="Add node").click()
    expect(form(page, "by_lane")).to_be_visible()
    assert violations(page) == []
    graph(page).get_by_role("button", name="Outline", exact=True).click()
    expect(graph(page).get_by_role("list", name="Nodes in order")).to_be_visible()
    assert violations(page) == []
    width_of_page = page.evaluate("document.documentElement.scrollWidth")
    assert width_of_page <= width


def test_time_settings_of_an_input_are_chosen_in_its_form(page: Page) -> None:
    begin(page, "time_in_the_form")
    box(page, "cars").click()
    inputs = form(page, "cars")
    expect(inputs).to_contain_text("Set by the stream cars; this query can override them: A CTI after every 20 events")
    inputs.get_by_label("late rows").select_option("keep")
    expect(inputs.get_by_text("On trial, not in the query.")).to_be_visible()
    inputs.get_by_role("button", name="Apply", exact=True).click()
    expect(sql(page)).to_contain_text("ADVANCE TIME cars")
    expect(sql(page)).to_contain_text("LATE KEEP")
    expect(inputs).to_contain_text("Set by this query (ADVANCE TIME): A CTI after every 20 events")
    expect(sql(page)).to_contain_text("-- Everything, at first")
    checked(page)
