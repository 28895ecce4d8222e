"""A new person creates, changes and deletes everything, using only the pages."""

import pytest
from playwright.sync_api import Page

from tests.e2e.accessibility import violations
from tests.e2e.installation import Installation
from tests.e2e.journeys.journey import way
from tests.e2e.layout import misfits

pytestmark = [pytest.mark.browser, pytest.mark.thorough]
KEPT = {"files", "inboxes", "uploads", "carriers", "kept", "logs", "results", "savepoints", ".previews"}
"""The folders allowed in an organisation's folder."""
RECORDS = {"runner.json", "runner.staged", "runner.lock", "results_at"}
"""The files allowed in it."""


def test_a_new_organisation_gets_results_and_is_emptied_without_a_shell(page: Page, installation: Installation) -> None:
    page.goto("/organisations/new")
    for station in way(page, "harbour-road"):
        assert (station, misfits(page), violations(page)) == (station, [], [])
    folders = {path.parent for path in installation.var.glob("*/results")}
    assert len(folders) > 1
    assert {entry.name for folder in folders for entry in folder.iterdir()} - KEPT <= RECORDS
