"""Screenshots: `python -m tests.e2e.screenshots [FOLDER]` draws every page, light and dark, wide and narrow.

States of some pages are included. The pictures are for review by people."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.conftest import ROOT
from tests.e2e.browsing import demo_pages, launched_browser, signed_in
from tests.e2e.installation import Installation, running_installation
from tests.e2e.page_states import answering, states

SCHEMES = ("light", "dark")
WIDTHS = (1280, 390)
SETTLED_MS = 4_000
"""The time that the live parts have to show something."""


def draw(page: Page, file: Path) -> None:
    """Take a screenshot of the whole page, once its heading and its live parts are visible."""
    heading = page.get_by_role("dialog").get_by_role("heading").or_(page.get_by_role("heading", level=1))
    expect(heading.first).to_be_visible()
    page.evaluate("duration => new Promise(done => setTimeout(done, duration))", SETTLED_MS)
    page.screenshot(path=file, full_page=True)


def draw_all(browser: Browser, installation: Installation, folder: Path) -> Iterator[Path]:
    """Take screenshots of each page in each colour scheme and width; yield the files."""
    for scheme in SCHEMES:
        for width in WIDTHS:
            context = browser.new_context(
                base_url=installation.address,
                color_scheme="dark" if scheme == "dark" else "light",
                viewport={"width": width, "height": 900},
            )
            page = context.new_page()
            page.goto("/sign-in")
            yield drawn(page, folder / f"sign-in-{scheme}-{width}.png")
            signed_in(page, installation)
            pages = demo_pages(page)
            for name, address in pages.named().items():
                page.goto(address)
                yield drawn(page, folder / f"{name}-{scheme}-{width}.png")
            for state in states(page, pages):
                with answering(page, state):
                    page.goto(state.address)
                    state.act(page)
                    yield drawn(page, folder / f"{state.name}-{scheme}-{width}.png")
            context.close()


def drawn(page: Page, file: Path) -> Path:
    """Take a screenshot of `page` into `file` and return it."""
    draw(page, file)
    return file


def main(arguments: list[str]) -> None:
    """Start an installation and take screenshots of its pages."""
    folder = Path(arguments[0]) if arguments else ROOT / "var" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="punctual-screenshots-") as var,
        running_installation(Path(var)) as installation,
        sync_playwright() as playwright,
        launched_browser(playwright) as browser,
    ):
        for file in draw_all(browser, installation, folder):
            print(file)


if __name__ == "__main__":
    main(sys.argv[1:])
