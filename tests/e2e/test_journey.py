"""Somebody new comes from nothing to results, changes everything, and takes it all away again, by the pages alone."""

import pytest
from playwright.sync_api import Page

from streaming.adapters.gathering import OWN
from tests.e2e.accessibility import violations
from tests.e2e.installation import Installation
from tests.e2e.journey import way
from tests.e2e.layout import misfits

pytestmark = [pytest.mark.browser, pytest.mark.thorough]


def test_a_new_organisation_comes_from_nothing_to_results_and_back_without_a_shell(
    page: Page, installation: Installation
) -> None:
    page.goto("/organisations/new")
    for station in way(page, "harbour-road"):
        assert (station, misfits(page), violations(page)) == (station, [], [])
    folders = {path.parent for path in installation.var.glob("*/results")}
    assert len(folders) > 1
    assert {entry.name for folder in folders for entry in folder.iterdir()} - OWN == set()
