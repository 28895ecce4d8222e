"""An assistant plans a change, a person confirms it on its page, and sees that it is carried out."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages
from tests.e2e.installation import Installation
from webapp.client import Client
from webapp.client.assistant.planning import carry_out, request_confirmation
from webapp.client.assistant.session import AssistantSession
from webapp.client.outcomes import CommandFailure

pytestmark = pytest.mark.browser
STREAM = """\
shape: point
fields:
  plate: string
event_time:
  start:
    column: at
advance:
  generate:
    every: 1
    delay: 5s
  late: drop
adapter:
  kind: file
  options:
    format: json_lines
    path: files/proposed.jsonl
"""


def assistant_token(page: Page) -> str:
    page.get_by_role("button", name="Account of").click()
    page.get_by_role("menuitem", name="Access tokens").click()
    page.get_by_role("button", name="New token").click()
    page.get_by_label("Name", exact=True).fill("assistant")
    page.get_by_label("Role").select_option("owner")
    for scope in ("view", "propose"):
        page.get_by_role("checkbox", name=re.compile(f"^{scope}:")).check()
    page.get_by_role("button", name="Create token").click()
    token = page.get_by_role("dialog").locator("code").inner_text()
    page.get_by_role("button", name="Done").click()
    return token


def test_a_plan_of_an_assistant_is_confirmed_on_its_page_and_carried_out(
    page: Page, installation: Installation
) -> None:
    page.goto(demo_pages(page).runs.rpartition("/")[0])
    token = assistant_token(page)
    with Client(installation.address.rstrip("/"), token) as client:
        session = AssistantSession(client)
        session.check_token()
        plan = request_confirmation(session, {"kind": "apply", "files": {"streams/proposed.yaml": STREAM}})
        with pytest.raises(CommandFailure, match="Nobody has confirmed this plan yet"):
            carry_out(session, {"confirmation": plan["confirmation"]})
        page.get_by_role("link", name="plans", exact=True).click()
        page.get_by_role("link", name="Apply 1 change of definitions").click()
        expect(page).to_have_url(plan["page"])
        expect(page.get_by_text("1 stream is created.")).to_be_visible()
        expect(page.get_by_role("heading", name="Create the stream proposed")).to_be_visible()
        assert violations(page) == []
        page.get_by_role("button", name="Confirm plan").click()
        expect(page.get_by_text("The program can now carry out this plan once")).to_be_visible()
        assert carry_out(session, {"confirmation": plan["confirmation"]})["status"] == "carried_out"
        expect(page.get_by_text("The program carried out this plan.")).to_be_visible()
        assert "proposed" in [each.name for each in client.streams()]
    assert violations(page) == []
