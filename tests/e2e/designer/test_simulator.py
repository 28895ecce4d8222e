"""The time simulator on the page of a query: rows are added, drawn and moved, and each number is explained."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages, loaded, opened_panel
from tests.e2e.runs.test_run import demo_runs
from webapp.runs.demo import RUNNING

pytestmark = pytest.mark.browser

ROWS = "3 6, 6 9, 5 7, 9 12, 8 11, 13 15, 11 14, 7 12, 16 18, 4 6, 21 23, 18 20, 27 29, 25 28"
"""The rows of the original design drawing: start and end, in seconds."""
OUTCOMES = (
    "On time, On time, Reordered, On time, Reordered, On time, Reordered, Adjusted +2 s, On time, Dropped late, "
    "On time, Reordered, On time, Reordered"
)
QUERY = """INSERT INTO per_ten
SELECT STREAM COUNT(*) AS n
FROM picture
WINDOW BY TUMBLE 10s;

ADVANCE TIME picture EVERY 1 DELAY 4s BASIS MAX FINAL LATE ADJUST;
"""


def as_csv(rows: str) -> str:
    times = [row.split() for row in rows.split(", ")]
    at = "2026-01-01T10:00:{:0>2}Z".format
    return "\n".join(["start,end,k", *(f"{at(start)},{at(end)},a" for start, end in times)])


def made(page: Page, path: str, body: object) -> str:
    """Create an object through the API as the page's person; return its id."""
    csrf = next(str(one["value"]) for one in page.context.cookies() if "csrftoken" in str(one["name"]))
    headers = {"X-CSRFToken": csrf, "Referer": page.url}
    answered = page.request.post(path, data=body, headers=headers)
    assert answered.ok, answered.text()
    return str(answered.json()["id"])


@pytest.fixture(scope="module")
def made_once() -> dict[str, str]:
    """Return the address of the query; it is created once."""
    return {}


@pytest.fixture
def query(page: Page, made_once: dict[str, str]) -> str:
    """The address of a query of the drawing."""
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    if "address" not in made_once:
        slug = page.request.get("/api/me/").json()["organisations"][0]["slug"]
        definition = {"shape": "interval", "fields": {"k": "string"}}
        adapter = {"kind": "rows", "options": {"path": "picture.jsonl"}}
        made(page, f"/api/t/{slug}/streams/", {"name": "picture", "definition": definition, "adapter": adapter})
        made_once["address"] = f"/t/{slug}/queries/{made(page, f'/api/t/{slug}/queries/', {'text': QUERY})}"
    return made_once["address"]


@pytest.fixture
def simulator(page: Page, query: str) -> Iterator[Locator]:
    """The simulator with the rows of the drawing, pasted."""
    page.goto(query)
    return pasted(page)


def pasted(page: Page) -> Locator:
    """Open the simulator, and replace its sample by the rows of the drawing."""
    opened_panel(page, "Simulator")
    part = page.get_by_role("region", name="Simulator", exact=True)
    expect(lines(part).first).to_be_visible()
    part.get_by_role("button", name="Sample…").click()
    part.get_by_label("Rows in order of arrival").fill(as_csv(ROWS))
    part.get_by_role("button", name="Replace the sample with 14 rows").click()
    expect(lines(part)).to_have_count(14)
    return part


def lines(simulator: Locator) -> Locator:
    """The rows next to the drawing."""
    return simulator.get_by_role("listbox").get_by_role("option")


def outcomes(simulator: Locator) -> list[str]:
    names = lines(simulator).locator(".visually-hidden").all_text_contents()
    return [name.removesuffix(", changed").rsplit(": ", 1)[1].replace(", ", " ") for name in names]


def panes(simulator: Locator) -> Locator:
    return simulator.locator(".sim-pane-label > text:not(.sim-was)")


def pane(simulator: Locator, label: str) -> Locator:
    return simulator.locator(".sim-pane-label > text", has_text=label)


def scrub_to(simulator: Locator, position: int) -> None:
    simulator.get_by_label("Rows that have arrived").fill(str(position))


def test_the_simulator_matches_the_original_drawing(simulator: Locator) -> None:
    assert ", ".join(outcomes(simulator)) == OUTCOMES
    final = ["[:00, :10) n = 6 final", "[:10, :20) n = 7 final", "[:20, :30) n = 3 final"]
    expect(panes(simulator)).to_have_text(final)
    scrub_to(simulator, 8)
    expect(simulator.get_by_text("8 of 14 rows arrived.")).to_be_visible()
    expect(panes(simulator).first).to_have_text("[:00, :10) n = 6 so far")
    simulator.get_by_role("button", name="step", exact=True).click()
    expect(simulator.get_by_text("9 of 14 rows arrived.")).to_be_visible()
    expect(panes(simulator).nth(0)).to_have_text("[:00, :10) n = 6 final")
    expect(panes(simulator).nth(1)).to_have_text("[:10, :20) n = 6 so far")


def test_why_a_number_is_six_and_not_seven_takes_two_clicks(simulator: Locator) -> None:
    why = simulator.get_by_role("region", name="Explanation")
    pane(simulator, "[:00, :10) n = 6 final").click()
    expect(why).to_contain_text("From 6 rows")
    expect(why).to_contain_text("Without 1 row that would have counted")
    why.get_by_role("button", name="row 10").click()
    expect(why).to_contain_text("10:00:04 is before the CTI 10:00:12 set by row 9")
    expect(why).to_contain_text("Kept whole if the delay is at least 12 s")


def test_a_delay_is_tried_applied_and_reverted(page: Page, simulator: Locator) -> None:
    simulator.get_by_role("option", name="Row 10,").click()
    simulator.get_by_role("button", name="Try 12 s", exact=True).first.click()
    expect(simulator.get_by_text("On trial, not in the query.")).to_be_visible()
    expect(simulator.locator(".sim-changes")).to_contain_text("2 rows changed outcome")
    expect(pane(simulator, "[:00, :10) n = 7 final")).to_be_visible()
    simulator.get_by_role("button", name="Revert").click()
    expect(pane(simulator, "[:00, :10) n = 6 final")).to_be_visible()
    simulator.get_by_role("button", name="Try 12 s", exact=True).first.click()
    simulator.get_by_role("button", name="Apply", exact=True).click()
    expect(simulator.get_by_text("On trial, not in the query.")).to_be_hidden()
    expect(page.get_by_role("textbox", name="The query as SQL")).to_contain_text("DELAY 12s")
    expect(pane(simulator, "[:00, :10) n = 7 final")).to_be_visible()


def test_settings_on_trial_become_a_version_with_a_comment(page: Page, query: str) -> None:
    page.goto(query)
    slug = query.split("/")[2]
    page.goto(f"/t/{slug}/queries/{made(page, f'/api/t/{slug}/queries/', {'text': QUERY.replace('per_ten', 'saved')})}")
    simulator = pasted(page)
    simulator.get_by_role("option", name="Row 10,").click()
    simulator.get_by_role("button", name="Try 12 s", exact=True).first.click()
    simulator.get_by_role("button", name="Apply and save").click()
    expect(simulator.get_by_text("Saved as version 2.")).to_be_visible()
    expect(simulator.get_by_text("On trial, not in the query.")).to_be_hidden()
    version = opened_panel(page, "Versions").get_by_role("row").filter(has_text="minus 12s")
    expect(version.get_by_role("rowheader")).to_have_text("2")


def test_a_row_is_dragged_and_the_changes_are_marked(page: Page, simulator: Locator) -> None:
    page.set_viewport_size({"width": 1344, "height": 720})  # two lines of the grid are 20 ticks there
    plot = simulator.locator("svg.sim-plot")
    settled = "plot => plot.width.baseVal.value === plot.parentElement.clientWidth"
    page.wait_for_function(settled, arg=plot.element_handle())
    bar = plot.locator(".sim-row").nth(9).locator(".sim-glyph")
    bar.hover()  # waits until the bar stays in its place and nothing covers it
    glyph = bar.bounding_box()
    ticks = simulator.locator(".sim-plot .sim-grid")
    first, second = ticks.nth(0).bounding_box(), ticks.nth(1).bounding_box()
    assert glyph
    assert first
    assert second
    x, y = glyph["x"] + glyph["width"] / 2, glyph["y"] + glyph["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y)
    page.mouse.move(x + 2 * (second["x"] - first["x"]), y, steps=5)
    page.mouse.up()
    expect(simulator.locator(".sim-changes")).to_contain_text("1 row changed outcome")
    expect(simulator.get_by_role("option", name="Row 10,")).to_contain_text("Reordered")
    expect(pane(simulator, "[:10, :20) n = 8 final")).to_be_visible()
    expect(simulator.get_by_text("was n = 7")).to_be_visible()
    simulator.get_by_role("button", name="Undo").click()
    expect(simulator.get_by_role("option", name="Row 10,")).to_contain_text("Dropped, late")


def test_rows_are_moved_copied_removed_and_edited_by_keyboard_alone(page: Page, simulator: Locator) -> None:
    rows = simulator.get_by_role("listbox", name="Rows of the sample in order of arrival")
    rows.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Alt+ArrowDown")
    expect(simulator.get_by_role("option", name="Row 2,")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Control+d")
    expect(lines(simulator)).to_have_count(15)
    page.keyboard.press("Delete")
    expect(lines(simulator)).to_have_count(14)
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    form = page.get_by_role("dialog", name="Edit event")
    form.get_by_label("Start").fill("10:00:26")
    page.keyboard.press("Enter")
    expect(form).to_be_hidden()
    expect(simulator.get_by_role("option", name="Row 14,")).to_contain_text(":26")
    for _ in range(4):
        rows.focus()
        page.keyboard.press("Control+z")
    expect(simulator.get_by_role("button", name="Undo")).to_be_enabled()
    expect(simulator.get_by_role("option", name="Row 14,")).to_contain_text(":25")


def test_the_tables_have_the_same_content_and_link_to_explanations(simulator: Locator) -> None:
    simulator.get_by_role("tab", name="Table").click()
    table = simulator.get_by_role("region", name="Rows that have arrived")
    expect(table.get_by_role("row")).to_have_count(15)
    window = simulator.get_by_role("region", name="Window per_ten_window")
    window.get_by_role("button", name="Why n = 6").first.click()
    expect(simulator.get_by_role("region", name="Explanation")).to_contain_text("From 6 rows")


def test_policies_and_delays_are_compared(simulator: Locator) -> None:
    simulator.get_by_role("tab", name="Compare policies").click()
    table = simulator.get_by_role("tabpanel").get_by_role("table")
    expect(table.get_by_role("columnheader")).to_contain_text(["Policy", "drop", "adjust (today)", "shift", "keep"])
    expect(table.get_by_role("row").filter(has_text="Dropped, late")).to_contain_text("2")
    simulator.get_by_role("tab", name="What if").click()
    simulator.get_by_role("tabpanel").get_by_role("row", name="12 s").get_by_role("button").click()
    expect(simulator.get_by_text("With a delay of 12 s: 100 % kept whole")).to_be_visible()


def test_a_link_reproduces_the_view(page: Page, simulator: Locator) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    simulator.get_by_role("option", name="Row 10,").click()
    simulator.get_by_role("button", name="Try 12 s", exact=True).first.click()
    expect(pane(simulator, "[:00, :10) n = 7 final")).to_be_visible()
    scrub_to(simulator, 9)
    simulator.get_by_role("option", name="Row 8,").click()
    simulator.get_by_role("button", name="Copy link").click()
    expect(simulator.get_by_text("Link copied.")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    page.evaluate("localStorage.clear()")
    page.goto("/")
    page.goto(link)
    expect(simulator.get_by_text("9 of 14 rows arrived.")).to_be_visible()
    expect(simulator.get_by_role("option", name="Row 8,")).to_have_attribute("aria-selected", "true")
    expect(simulator.get_by_text("On trial, not in the query.")).to_be_visible()
    scrub_to(simulator, 15)
    expect(pane(simulator, "[:00, :10) n = 7 final")).to_be_visible()


def test_the_word_at_the_caret_is_explained_and_rows_of_a_run_are_read_again(page: Page) -> None:
    demo_runs(page)
    page.goto(demo_pages(page).query)
    guide = opened_panel(page, "Help")
    for word, title in (("TUMBLE", "tumbling windows"), ("WHERE", "filter")):
        page.get_by_role("textbox", name="The query as SQL").get_by_text(word).first.click()
        expect(guide.get_by_label("Guide page").locator("option:checked")).to_have_text(title)
    part = opened_panel(page, "Simulator")
    expect(lines(part).first).to_be_visible()
    part.get_by_role("button", name="Sample…").click()
    part.get_by_role("button", name="From a run", exact=True).click()
    expect(part.get_by_label("Binding").locator("option:checked")).to_have_text(RUNNING)
    part.get_by_role("button", name="Load its last rows").click()
    part.get_by_role("button", name=re.compile(r"^Replace the sample with \d+ rows?$")).click()
    expect(part.get_by_text(f"last read by {RUNNING}").first).to_be_visible()


def test_an_example_of_the_guide_opens_with_its_rows_and_is_changed_without_being_stored(page: Page) -> None:
    page.goto("/guide/advance_time")
    page.get_by_role("link", name="Open in the simulator").nth(1).click()
    expect(page.get_by_role("heading", name="Example late_adjust", level=1)).to_be_visible()
    part = page.get_by_role("region", name="Simulator", exact=True)
    expect(lines(part)).to_have_count(6)
    assert outcomes(part)[2:4] == ["Adjusted +5 µs", "Dropped late"]
    part.get_by_label("late rows").select_option("drop")
    expect(part.get_by_role("option", name="Row 3,")).to_contain_text("Dropped, late")
    button = page.get_by_role("button", name="Create query")
    expect(button).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_text("Only the example has s.")).to_have_count(1)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_the_simulator_has_no_accessibility_violations(page: Page, simulator: Locator, scheme: str, width: int) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": width, "height": 900})
    for tab in ("Timeline", "Table", "Compare policies", "What if"):
        simulator.get_by_role("tab", name=tab).click()
        expect(simulator.get_by_role("tabpanel", name=tab)).to_be_visible()
        loaded(page)
        assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
