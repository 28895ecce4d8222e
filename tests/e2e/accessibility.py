"""Accessibility violations of a page, found by axe-core."""

from functools import cache

from playwright.sync_api import Page

from tests.conftest import ROOT


@cache
def axe() -> str:
    """Return axe-core's program, as npm installed it."""
    return (ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js").read_text()


def violations(page: Page) -> list[str]:
    """Return one line for each violation on `page`, including minor ones: rule, description and element."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [f"{one['id']}: {one['help']}: {[node['target'] for node in one['nodes']]}" for one in found["violations"]]
