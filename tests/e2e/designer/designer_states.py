"""The states of the designer's page, one after the other, for screenshots and accessibility checks.

`stations` yields the name of each state while the page does not change.
"""

from collections.abc import Iterator

from playwright.sync_api import Locator, Page, expect

from tests.e2e.browsing import demo_pages, opened_panel

MOVED = ("speed > 120", "speed > 130")
TABS = ("Timeline", "Table", "Compare policies", "What if")
SOURCES = ("Paste", "File", "From the stream", "From quarantine", "Generate")


def region(page: Page, name: str) -> Locator:
    """Return a panel of the page by its title."""
    return page.get_by_role("region", name=name, exact=True)


def sql(page: Page) -> Locator:
    """Return the editor of the query's text."""
    return page.get_by_role("textbox", name="The query as SQL")


def replace(page: Page, before: str, after: str) -> None:
    """Replace a part of the text."""
    text = sql(page).inner_text()
    assert before in text
    sql(page).click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text.replace(before, after))
    expect(page.get_by_text("Checked: no problems.")).to_be_visible()


def stations(page: Page) -> Iterator[str]:
    """Visit all states; this creates a query from a template."""
    page.goto(f"{demo_pages(page).queries}/new?templates")
    expect(page.get_by_role("button", name="Use template: Speeding cars by minute")).to_be_visible()
    yield "template-gallery"
    page.get_by_role("button", name="Use template: Speeding cars by minute").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("speeding_cars")
    expect(page.get_by_text("Checked: no problems.")).to_be_visible()
    yield from of_the_graph(page)
    yield from of_the_simulator(page)
    yield from of_scenarios(page)
    yield from of_versions(page)
    yield from of_a_merge(page)


def of_the_graph(page: Page) -> Iterator[str]:
    """Canvas, palette, form and outline; the findings of a check."""
    graph = region(page, "Graph")
    graph.get_by_role("button", name="Canvas", exact=True).click()
    graph.locator(".react-flow__node").nth(2).click()
    yield "canvas-with-a-form"
    graph.get_by_role("button", name="Add node").click()
    yield "canvas-with-its-kinds"
    graph.get_by_role("button", name="Add node").click()
    graph.get_by_role("button", name="How it runs").click()
    yield "canvas-explained"
    graph.get_by_role("button", name="Outline", exact=True).click()
    yield "outline-with-a-form"
    graph.get_by_role("button", name="Canvas", exact=True).click()
    opened_panel(page, "Problems")
    before = region(page, "Check before starting")
    before.get_by_role("button", name="Validate").click()
    expect(before.get_by_role("button", name="Validate again")).to_be_visible()
    yield "validated"


def of_the_simulator(page: Page) -> Iterator[str]:
    """The scenario's rows in each tab, the explanation of a number, and the sources of rows."""
    simulator = region(page, "Simulator")
    opened_panel(page, "Scenarios").get_by_role("button", name="Open Speeding cars by minute in the simulator").click()
    rows = simulator.get_by_role("listbox", name="Rows of the sample in order of arrival").get_by_role("option")
    expect(rows.first).to_be_visible()
    rows.nth(2).click()
    for tab in TABS:
        simulator.get_by_role("tab", name=tab).click()
        panel = simulator.get_by_role("tabpanel", name=tab)
        expect(panel.get_by_role("listbox" if tab == "Timeline" else "table").first).to_be_visible()
        yield f"simulator-{tab.lower().replace(' ', '-')}"
    simulator.get_by_role("tab", name="Timeline").click()
    simulator.locator(".sim-pane-label > text").first.click()
    expect(simulator.get_by_role("region", name="Explanation")).to_contain_text("From ")
    yield "simulator-why"
    simulator.get_by_role("button", name="Sample…").click()
    for source in SOURCES:
        simulator.get_by_role("button", name=source, exact=True).click()
        yield f"sample-{source.lower().replace(' ', '-')}"
    simulator.get_by_role("button", name="Sample…").click()


def of_scenarios(page: Page) -> Iterator[str]:
    """A green scenario; then a red one with its differences."""
    scenarios = opened_panel(page, "Scenarios")
    expect(scenarios.get_by_text("✓ green")).to_be_visible()
    yield "scenario-green"
    replace(page, *MOVED)
    scenarios.get_by_role("button", name="Run on my changes").click()
    expect(scenarios.get_by_text("✕ red: 2 differences")).to_be_visible()
    yield "scenario-red"
    scenarios.get_by_role("button", name="Show differences in Speeding cars by minute").click()
    expect(scenarios.get_by_role("table")).to_be_visible()
    yield "scenario-differs"


def of_versions(page: Page) -> Iterator[str]:
    """Two versions compared."""
    page.get_by_role("button", name="Save new version").click()
    expect(page.get_by_text("Saved as version 2.")).to_be_visible()
    opened_panel(page, "Versions").get_by_role("button", name="Compare version 2").click()
    compared = page.get_by_role("dialog")
    expect(compared.get_by_text("speed > 120 -> speed > 130")).to_be_visible()
    yield "versions-compared"
    compared.get_by_role("button", name="Close", exact=True).click()
    expect(compared).to_be_hidden()


def of_a_merge(page: Page) -> Iterator[str]:
    """A merge after another person saved a version first."""
    replace(page, MOVED[1], "speed > 140")
    slug, query = page.url.split("/")[4], page.url.rstrip("/").rsplit("/", 1)[-1]
    api = f"/api/t/{slug}/queries/{query}/"
    shown = page.request.get(api).json()["current"]
    csrf = next(str(one["value"]) for one in page.context.cookies() if "csrftoken" in str(one["name"]))
    body = {"text": shown["text"].replace(*reversed(MOVED)), "parent": shown["id"], "comment": "As it was"}
    headers = {"X-CSRFToken": csrf, "Referer": page.url}
    answered = page.request.post(f"{api}versions/", data=body, headers=headers)
    assert answered.ok, answered.text()
    page.get_by_role("button", name="Save new version").click()
    expect(page.get_by_role("table", name="Changed by both in different ways")).to_be_visible()
    yield "merge"
