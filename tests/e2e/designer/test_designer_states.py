"""Each state of the designer's page fits on a phone and in a window, and is accessible."""

import pytest
from playwright.sync_api import Page

from tests.e2e.accessibility import violations
from tests.e2e.browsing import loaded
from tests.e2e.designer.designer_states import stations
from tests.e2e.layout import NARROW, TWO_FRAMES, misfits

pytestmark = [pytest.mark.browser, pytest.mark.thorough]


def test_no_state_of_the_designer_overflows_or_violates_accessibility(page: Page) -> None:
    wrong = []
    for station in stations(page):
        loaded(page)
        wrong += [f"{station}: {each}" for each in (*misfits(page), *violations(page))]
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": NARROW["width"], "height": NARROW["height"]})
        page.evaluate(TWO_FRAMES)
        wrong += [f"{station}, dark and narrow: {each}" for each in violations(page)]
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1280, "height": 900})
    assert wrong == []
