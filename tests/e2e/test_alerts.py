"""The page of alerts in a real installation: a channel is made, receives a test by mail, and is deleted."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.installation import Installation
from tests.e2e.layout import misfits
from tests.e2e.people.newcomer import new_organisation, new_person

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_channel_receives_a_test(visitor: Page, installation: Installation, scheme: str) -> None:
    page = new_person(visitor, installation)  # the demo's own alerts would reach the channel too
    new_organisation(page, f"Alerts {scheme}")
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    name = f"ops {scheme}"
    page.goto(f"{page.url}/alerts")
    page.get_by_role("button", name="New channel…").click()
    dialog = page.get_by_role("dialog", name="New channel")
    expect(dialog.get_by_label("Name")).to_be_visible()
    assert violations(page) == []
    dialog.get_by_label("Name").fill(name)
    dialog.get_by_label("Recipients").fill("ops@acme.example")
    dialog.get_by_role("button", name="Create channel").click()
    row = page.get_by_role("row", name=name)
    expect(row.get_by_text("No message yet")).to_be_visible()
    row.get_by_role("button", name=f"Send a test to {name}").click()
    expect(row.get_by_text("Sent", exact=True)).to_be_visible()
    assert violations(page) == []
    assert misfits(page) == []
    row.get_by_role("button", name=f"Delete {name}").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete channel").click()
    expect(row).to_have_count(0)
