"""Response times of the designer's page with 60 nodes and 500 rows, and the script size of every page.

`python -m tests.bench.pages.interaction [--runs 3]` starts an installation and Debian's Chromium and prints, in ms:
from a press to the next paint by gesture (median and worst), frames of the time line while it plays, and answers of the
simulation with and without a change; in kB: compressed script at the first load of a page. Targets are printed too.
"""

import argparse
import statistics
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from tests.e2e.browsing import demo_pages, launched_browser, opened_panel, signed_in
from tests.e2e.designer.test_simulator import made
from tests.e2e.installation import Installation, running_installation

FEW, NODES, ROWS = 4, 60, 500
WATCH = """
window.presses = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (entry.interactionId) window.presses.push(entry.duration);
}).observe({ type: "event", durationThreshold: 16, buffered: false });
window.frames = (seconds) => new Promise((done) => {
  const times = [];
  const next = (now) => {
    times.push(now);
    if (now - times[0] < seconds * 1000) requestAnimationFrame(next);
    else done(times.slice(1).map((time, at) => time - times[at]));
  };
  requestAnimationFrame(next);
});
"""
SIMULATED = "performance.getEntriesByType('resource').filter((e) => e.name.endsWith('/simulate/')).at(-1).duration"
SCRIPTS = """performance.getEntriesByType('resource').filter((e) => e.name.endsWith('.js'))
.reduce((sum, e) => sum + e.encodedBodySize, 0) / 1000"""


def chain(nodes: int = NODES) -> dict[str, Any]:
    """Return a graph with `nodes` nodes: filters in a row, then a window for each key."""
    filters = [
        {"kind": "filter", "id": f"f{at}", "input": f"f{at - 1}" if at else "wide", "where": f"v > {-1 - at}"}
        for at in range(nodes - 3)
    ]
    window = {
        "kind": "window",
        "id": "per_key",
        "input": f"f{nodes - 4}",
        "group_by": ["k"],
        "window": {"kind": "tumbling", "size": "10s"},
        "aggregates": [{"name": "n", "function": "count"}],
    }
    ends = {"kind": "output", "id": "out", "input": "per_key"}
    return {
        "version": 1,
        "name": f"of_{nodes}",
        "nodes": [{"kind": "input", "id": "wide", "stream": "wide"}, *filters, window, ends],
    }


def sample() -> str:
    """Return rows 200 ms apart, late by up to 6 s, as CSV."""
    draw, start = Random(0), datetime(2026, 1, 1, 10, tzinfo=UTC)
    lines = [
        f"{(start + timedelta(seconds=at / 5 - draw.random() * 6)).isoformat()},{draw.choice('abc')},{at}"
        for at in range(ROWS)
    ]
    return "\n".join(["at,k,v", *lines])


def with_stream(page: Page) -> str:
    """Create the stream; return the organisation's slug."""
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    slug: str = page.request.get("/api/me/").json()["organisations"][0]["slug"]
    definition = {
        "shape": "point",
        "fields": {"k": "string", "v": "long"},
        "event_time": {"start": {"column": "at"}},
        "advance": {"generate": {"every": 1, "delay": "4s"}, "late": "adjust"},
    }
    adapter = {"kind": "rows", "options": {"path": "wide.jsonl"}}
    made(page, f"/api/t/{slug}/streams/", {"name": "wide", "definition": definition, "adapter": adapter})
    return slug


def opened(page: Page, slug: str, nodes: int) -> Locator:
    """Open the page of a query with `nodes` nodes; return its simulator with the sample."""
    page.goto(f"/t/{slug}/queries/{made(page, f'/api/t/{slug}/queries/', {'graph': chain(nodes)})}")
    simulator = opened_panel(page, "Simulator").get_by_role("region", name="Simulator", exact=True)
    expect(simulator.get_by_role("listbox").get_by_role("option").first).to_be_visible()
    simulator.get_by_role("button", name="Sample…").click()
    simulator.get_by_label("Rows in order of arrival").fill(sample())
    simulator.get_by_role("button", name=f"Replace the sample with {ROWS} rows").click()
    expect(simulator.get_by_text(f"{ROWS} rows arrived")).to_be_visible()
    return simulator


def gestures(page: Page, simulator: Locator) -> dict[str, Locator]:
    """Return the pressed elements, in order."""
    graph = page.get_by_role("region", name="Graph", exact=True)
    return {
        "select a row": simulator.get_by_role("listbox").get_by_role("option").nth(5),
        "step": simulator.get_by_role("button", name="step", exact=True),
        "start": simulator.get_by_role("button", name="start", exact=True),
        "end": simulator.get_by_role("button", name="end", exact=True),
        "zoom in": simulator.get_by_role("button", name="Zoom in"),
        "all": simulator.get_by_role("button", name="all", exact=True),
        "Table": simulator.get_by_role("tab", name="Table"),
        "Timeline": simulator.get_by_role("tab", name="Timeline"),
        "select a node": graph.locator(".react-flow__node").nth(30),
    }


def pressed(page: Page, target: Locator) -> float:
    """Press `target`; return the ms to the next paint (0 when it was under 16)."""
    target.scroll_into_view_if_needed()
    page.evaluate("window.presses = []")
    target.click()
    page.evaluate("window.frames(0.3)")
    return float(page.evaluate("Math.max(0, ...window.presses)"))


def played(page: Page, simulator: Locator) -> list[float]:
    """Return the ms between frames while the rows arrive at the highest speed."""
    simulator.get_by_role("button", name="start", exact=True).click()
    simulator.get_by_text("20\N{MULTIPLICATION SIGN}").click()
    simulator.get_by_role("button", name="play", exact=True).click()
    frames = page.evaluate("window.frames(8)")
    simulator.get_by_role("button", name="end", exact=True).click()
    return [float(frame) for frame in frames]


def answered(page: Page, simulator: Locator) -> float:
    """Change the delay, which requests another simulation; return the ms until its answer."""
    with page.expect_response(lambda answer: answer.url.endswith("/simulate/")) as waited:
        field = simulator.get_by_label("Delay").first
        field.fill("3s" if field.input_value() == "4s" else "4s")
        field.press("Enter")
    waited.value.finished()
    return float(page.evaluate(SIMULATED))


def scripts(browser: Browser, installation: Installation) -> dict[str, float]:
    """Return the kB of compressed script at the first load of each page, each in a browser with an empty cache."""
    with browser.new_context(base_url=installation.address) as context:
        first = signed_in(context.new_page(), installation)
        pages, state = demo_pages(first).named(), context.storage_state()
    found = {}
    for name, address in pages.items():
        with browser.new_context(base_url=installation.address, storage_state=state) as context:
            page = context.new_page()
            page.goto(address, wait_until="networkidle")
            found[name] = float(page.evaluate(SCRIPTS))
    return found


def report(words: str, values: list[float], target: str) -> None:
    print(f"{words:28} median {statistics.median(values):7.1f}  worst {max(values):7.1f}  {target}", flush=True)


def measure(browser: Browser, installation: Installation, runs: int) -> None:
    """Print all measurements."""
    with browser.new_context(base_url=installation.address, viewport={"width": 1280, "height": 900}) as context:
        context.add_init_script(WATCH)
        page = signed_in(context.new_page(), installation)
        slug = with_stream(page)
        few = opened(page, slug, FEW)
        report(f"{ROWS} rows, {FEW} nodes (ms)", [answered(page, few) for _ in range(3 * runs)], "under 300")
        simulator = opened(page, slug, NODES)
        report(f"{ROWS} rows, {NODES} nodes (ms)", [answered(page, simulator) for _ in range(3 * runs)], "no target")
        for name, target in gestures(page, simulator).items():
            report(f"{name} (ms)", [pressed(page, target) for _ in range(runs)], "under 100")
        frames = played(page, simulator)
        report("frames of playing (ms)", frames, "16.7")
        print(f"  {sum(frame > 20 for frame in frames) / len(frames):.1%} of {len(frames)} over 20 ms")
    for name, size in sorted(scripts(browser, installation).items(), key=lambda each: -each[1]):
        print(f"scripts of {name:20} {size:7.1f} kB  under 350, but for the designer (query) and the explorer (api)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_installation(Path(folder)) as installation,
        sync_playwright() as playwright,
        launched_browser(playwright) as browser,
    ):
        measure(browser, installation, options.runs)


if __name__ == "__main__":
    main()
