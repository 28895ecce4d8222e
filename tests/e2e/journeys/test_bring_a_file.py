"""From an empty organisation and a file with late rows to a running query, without typing into a field."""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.installation import Installation
from tests.e2e.journeys.journey import organisation_made, rows_shown, titled
from tests.e2e.people.newcomer import new_person

pytestmark = pytest.mark.browser

MOST_CLICKS = 15
BEGIN = datetime(2026, 3, 1, 8, tzinfo=UTC)


@pytest.fixture
def late_rows(tmp_path: Path) -> Path:
    """A CSV file of ten minutes with a row each second; one row in 20 is up to nine seconds late."""
    drawn = random.Random(20)
    lines = ["seen_at,plate,speed"]
    for second in range(600):
        late = drawn.randint(1, 9) if drawn.random() < 0.05 else 0
        at = BEGIN + timedelta(seconds=second - late)
        lines.append(f"{at.isoformat()},ZH {drawn.randint(1, 99)},{drawn.randint(600, 1300) / 10}")
    path = tmp_path / "gates at the harbour.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@dataclass
class Person:
    """Performs and counts a person's clicks."""

    page: Page
    press: Callable[[Locator], None]
    pressed: list[str] = field(default_factory=list)

    def takes(self, target: Locator) -> None:
        """Click a button or a link."""
        expect(target).to_be_visible()
        self.pressed.append(target.inner_text())
        self.press(target)

    def chooses(self, button: Locator, file: Path) -> None:
        """Open the file dialog with its button and choose a file: two clicks."""
        with self.page.expect_file_chooser() as chooser:
            self.takes(button)
        self.pressed.append(file.name)
        chooser.value.set_files(file)


def by_mouse(target: Locator) -> None:
    target.click()


def by_keyboard(target: Locator) -> None:
    """Press Tab until the element has the focus, then press Enter."""
    page = target.page
    for _ in range(200):
        page.keyboard.press("Tab")
        if target.evaluate("each => each === document.activeElement"):
            break
    expect(target).to_be_focused()
    page.keyboard.press("Enter")


def brought_and_run(person: Person, file: Path) -> None:
    """Go from the overview of an empty organisation to results."""
    page = person.page
    person.takes(page.get_by_role("navigation", name="Pages", exact=True).get_by_role("link", name="Streams"))
    titled(page, "Streams")
    person.takes(page.get_by_role("link", name="New stream"))
    titled(page, "New stream")
    person.chooses(page.get_by_role("button", name="Choose a file…"), file)
    expect(page.get_by_role("radio", name=re.compile("seen_at"))).to_be_checked()
    expect(page.get_by_role("radio", name=re.compile(r"proposed$"))).to_be_checked()
    expect(
        page.get_by_text(re.compile(r"^A CTI after every 10 events, \d+s before the newest event")).first
    ).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value("gates_at_the_harbour")
    expect(page.get_by_label("Table of the first records")).to_contain_text("ZH")
    person.takes(page.get_by_role("button", name="Create stream"))
    titled(page, "gates_at_the_harbour")
    expect(page.get_by_label("Table of sample rows")).to_be_visible()
    person.takes(page.get_by_role("button", name="Count its events"))
    titled(page, "gates_at_the_harbour_per_minute")
    expect(page.get_by_role("region", name="Results preview")).to_contain_text("read from gates_at_the_harbour")
    person.takes(page.get_by_role("button", name="Run", exact=True))
    expect(page).to_have_url(re.compile(r"/runs/[0-9a-f-]{36}$"))
    rows_shown(page)


@pytest.mark.parametrize(
    ("press", "name"),
    [
        (by_mouse, "brought-by-mouse"),
        pytest.param(by_keyboard, "brought-by-keyboard", marks=pytest.mark.thorough),
    ],
)
def test_a_file_with_late_rows_is_a_running_query_in_fifteen_clicks(
    press: Callable[[Locator], None], name: str, visitor: Page, installation: Installation, late_rows: Path
) -> None:
    page = new_person(visitor, installation)
    for _ in organisation_made(page, name):
        pass
    page.get_by_role("link", name="Punctual").click()
    titled(page, "Live")
    person = Person(page, press)
    brought_and_run(person, late_rows)
    assert len(person.pressed) <= MOST_CLICKS, person.pressed
