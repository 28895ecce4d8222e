"""States of pages that a quiet installation does not have fit on a phone and in a window, and are accessible."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages, loaded
from tests.e2e.layout import misfits
from tests.e2e.page_states import answering, states

pytestmark = pytest.mark.browser

RIGHT_EDGES = "(marks) => marks.map((mark) => mark.getBoundingClientRect().right)"


@pytest.mark.parametrize("in_hebrew", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_nothing_overflows_with_long_or_right_to_left_names_or_refusals(page: Page, in_hebrew: bool) -> None:
    """Right to left with Arabic names; Hebrew names take longer and have found no further problems."""
    pages = demo_pages(page)
    wrong = []
    for state in (each for each in states(page, pages) if each.name.endswith("_hebrew") is in_hebrew):
        with answering(page, state):
            page.goto(state.address)
            expect(page.get_by_role("heading", level=1).first).to_be_visible()
            state.act(page)
            loaded(page)
            wrong += [f"{state.name}: {each}" for each in (*misfits(page), *violations(page))]
    assert wrong == []


def test_a_long_name_hides_no_state(page: Page) -> None:
    pages = demo_pages(page)
    (long,) = [each for each in states(page, pages) if each.name == "runs_long"]
    with answering(page, long):
        page.goto(long.address)
        expect(page.get_by_text("Running", exact=True)).not_to_have_count(0)
        ends = page.get_by_text("Running", exact=True).evaluate_all(RIGHT_EDGES)
        assert max(ends) < 1280
