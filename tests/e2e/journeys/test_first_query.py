"""From an empty organisation to the first result of a hopping window with a join, by mouse and by keyboard."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browsing import opened_panel
from tests.e2e.designer.test_designer import add, box, checked, choose, form, graph, pressed, sql
from tests.e2e.journeys.journey import dialog, follow, organisation_made, rows_shown, state, titled

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

IMPORTED = "\nADVANCE TIME gates_2 IMPORT FROM gates LATE DROP;\n"
WINDOW = "results_window"
Press = Callable[[Locator], None]


def by_mouse(target: Locator) -> None:
    target.click()


def by_keyboard(target: Locator) -> None:
    target.focus()
    target.press("Enter")


def beginning(page: Page, short_name: str) -> None:
    """Create an organisation with two streams of generated events, and open a new query."""
    page.goto("/organisations/new")
    for _ in organisation_made(page, short_name):
        pass
    for name in ("gates", "tolls"):
        follow(page, "Streams", "Streams")
        page.get_by_role("link", name="New stream").first.click()
        titled(page, "New stream")
        page.get_by_label("Kind").select_option("generator")
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_label("Delay", exact=True).fill("2s")
        page.get_by_role("button", name="Create stream").click()
        titled(page, name)
    follow(page, "Queries", "Queries")
    page.get_by_role("link", name="New query").click()
    titled(page, "New query")
    checked(page)


def saved_bound_and_run(page: Page, press: Press) -> None:
    """Save, bind and start the query, wait for a result, and stop it."""
    expect(sql(page)).to_contain_text("WINDOW BY HOP 10s,5s")
    expect(sql(page)).to_contain_text("IMPORT FROM gates")
    press(page.get_by_role("button", name="Create query"))
    titled(page, "events_per_minute")
    press(page.get_by_role("tab", name="Details"))
    press(page.get_by_role("link", name="create one yourself"))
    pressed(page, dialog(page).get_by_label("Name of the binding"), "Control+a")
    page.keyboard.insert_text("harbour")
    press(dialog(page).get_by_role("button", name="Create binding"))
    press(page.get_by_role("link", name="harbour", exact=True))
    titled(page, "harbour")
    press(page.get_by_role("button", name="Start harbour", exact=True))
    expect(page).to_have_url(re.compile(r"/runs/[0-9a-f-]{36}$"))
    state(page, "Running")
    rows_shown(page)
    press(page.get_by_role("button", name="Stop harbour"))
    press(dialog(page).get_by_role("button", name="Stop", exact=True))
    state(page, "Stopped")


def import_typed(page: Page) -> None:
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(IMPORTED)
    expect(page.get_by_text(re.compile(r"^Checked: (no problems|\d+ warning)"))).to_be_visible()


def import_chosen(page: Page) -> None:
    """Let the second input copy the CTIs of the first: try it in the simulator on rows of its stream, then apply it."""
    opened_panel(page, "Simulator")
    simulator = page.get_by_role("region", name="Simulator", exact=True)
    strip = simulator.get_by_role("group", name="Time settings of gates_2")
    strip.get_by_label("copies the CTIs of").select_option("gates")
    expect(strip.get_by_text("On trial, not in the query.")).to_be_visible()
    strip.get_by_role("button", name="Apply", exact=True).click()
    expect(strip.get_by_text("On trial, not in the query.")).to_be_hidden()
    checked(page)


def test_a_first_query_is_built_by_mouse_and_gives_a_result(page: Page) -> None:
    beginning(page, "first-by-mouse")
    page.get_by_role("button", name="Add node").click()
    box(page, WINDOW).click()
    window = form(page, WINDOW)
    choose(window, "Kind of window", "hopping")
    for label, seconds in (("Size", "10"), ("New window every", "5")):
        choose(window, f"Unit of {label}", "s")
        window.get_by_label(label, exact=True).fill(seconds)
    window.get_by_label("road_lane", exact=True).check()
    checked(page)
    graph(page).locator(".react-flow__pane").click(position={"x": 12, "y": 12})
    add(page, "Input")
    checked(page)
    choose(form(page, "gates_2"), "Stream", "tolls")
    box(page, WINDOW).click()
    add(page, "Join")
    checked(page)
    choose(form(page, "join"), "Right", "gates_2")
    checked(page)
    form(page, "join").get_by_label("road_lane", exact=True).check()
    checked(page)
    import_chosen(page)
    saved_bound_and_run(page, by_mouse)


def test_a_first_query_is_built_by_keyboard_alone_and_gives_a_result(page: Page) -> None:
    beginning(page, "first-by-keyboard")
    by_keyboard(page.get_by_role("button", name="Outline", exact=True))
    outline = graph(page).get_by_role("list", name="Nodes in order")
    kinds = outline.get_by_role("region", name="Kinds of nodes")
    by_keyboard(outline.locator(f"[data-node={WINDOW}]"))
    pressed(page, outline.get_by_label("Kind of window"), "h")
    expect(outline.get_by_label("Kind of window")).to_have_value("hopping")
    for label, seconds in (("Size", "10"), ("New window every", "5")):
        pressed(page, outline.get_by_label(f"Unit of {label}"), "s")
        pressed(page, outline.get_by_label(label, exact=True), "Control+a")
        page.keyboard.type(seconds)
    pressed(page, outline.get_by_label("road_lane", exact=True), "Space")
    checked(page)
    by_keyboard(outline.locator("[data-node=gates]"))
    by_keyboard(outline.get_by_role("button", name="Duplicate"))
    expect(outline.locator("[data-node=gates_2]")).to_be_visible()
    checked(page)
    stream = outline.get_by_label("Stream", exact=True)
    pressed(page, stream, "t")
    expect(stream).to_have_value("tolls")
    by_keyboard(outline.locator(f"[data-node={WINDOW}]"))
    by_keyboard(outline.get_by_role("button", name="Add after"))
    by_keyboard(kinds.get_by_role("button", name=re.compile("^Join ")))
    checked(page)
    right = outline.get_by_label("Right", exact=True)
    pressed(page, right, "g", "g")
    expect(right).to_have_value("gates_2")
    checked(page)
    pressed(page, outline.get_by_label("road_lane", exact=True), "Space")
    checked(page)
    sql(page).focus()
    import_typed(page)
    saved_bound_and_run(page, by_keyboard)
