"""Sign-in with a company's OpenID Connect provider, in a real browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.oidc import Provider

pytestmark = pytest.mark.browser


def test_a_person_signs_in_with_the_provider_and_sees_a_message_after_cancelling(
    visitor: Page, provider: Provider
) -> None:
    provider.knows("erin", email="erin@company.example", email_verified=True)
    visitor.goto("/sign-in")
    visitor.get_by_role("button", name=re.compile("Company")).click()
    visitor.get_by_role("button", name="Deny").click()
    expect(visitor.get_by_role("alert")).to_be_visible()
    assert violations(visitor) == []
    visitor.goto("/sign-in")
    visitor.get_by_role("button", name=re.compile("Company")).click()
    visitor.locator("input[name=sub]").fill("erin")
    visitor.get_by_role("button", name="Authorize").click()
    expect(visitor.get_by_role("heading", level=1)).to_have_text(re.compile("organisation"))
    visitor.goto("/account/connections")
    expect(visitor.get_by_text("Company").first).to_be_visible()
    assert violations(visitor) == []
