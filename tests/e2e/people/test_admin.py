"""Administration of an organisation: people, programs, limits, log, export; denied actions have reasons."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.browsing import demo_pages
from tests.e2e.conftest import page_without_faults
from tests.e2e.installation import Installation
from tests.e2e.mailbox import link_of_mail
from tests.e2e.runs.test_run import demo_runs

pytestmark = pytest.mark.browser

PASSWORD = "kettle orbit ninety 4"
AccessGrant = Callable[[], Page]


@pytest.fixture
def visit(browser: Browser, installation: Installation) -> Iterator[AccessGrant]:
    """Open pages in separate browsers of visitors who are not signed in."""
    with ExitStack() as opened:
        yield lambda: opened.enter_context(page_without_faults(browser, installation.address, None))


def admin(page: Page) -> str:
    """Return the path of the demo organisation's administration pages."""
    return demo_pages(page).runs.rpartition("/")[0] + "/admin"


def titled(page: Page, title: str) -> None:
    """Check that the page has this title and no accessibility violations."""
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    assert violations(page) == []


def invited(page: Page, role: str) -> str:
    """Invite a person on the members page, and return the address."""
    email = f"{uuid4().hex[:12]}@punctual.example"
    page.goto(f"{admin(page)}/members")
    page.get_by_role("button", name="Invite a person").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Email address").fill(email)
    dialog.get_by_label("Role").select_option(role)
    assert violations(page) == []
    dialog.get_by_role("button", name="Send invitation").click()
    expect(dialog.get_by_role("status")).to_contain_text(f"sent to {email}")
    dialog.get_by_role("button", name="Done").click()
    return email


def joined(page: Page, installation: Installation, email: str) -> None:
    """Open the emailed link, create an account with its address, and accept."""
    page.goto(link_of_mail(installation, email, "/invitation"))
    page.get_by_role("link", name="Create an account").click()
    expect(page.get_by_label("Email address")).to_have_value(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    page.get_by_role("button", name="Join Demo").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Live")


def test_a_member_is_invited_joins_changes_role_sees_reasons_and_is_removed(
    page: Page, visit: AccessGrant, installation: Installation
) -> None:
    demo_runs(page)
    email = invited(page, "viewer")
    titled(page, "Members")
    expect(page.get_by_role("row").filter(has_text=email)).to_contain_text("open")
    other = visit()
    joined(other, installation, email)
    other.get_by_role("link", name="All runs").click()
    stop = other.get_by_role("button", name="Stop speeding", exact=True)
    expect(stop).to_have_attribute("aria-disabled", "true")
    expect(stop).to_have_accessible_description(
        "Your role viewer can't start, stop and repair bindings; operator, admin or owner can."
    )
    stop.focus()
    stop.press("Enter")
    expect(other.get_by_role("tooltip")).to_contain_text("Your role viewer can't start")
    expect(other.get_by_role("dialog")).to_have_count(0)
    expect(other.get_by_role("button", name="New binding")).to_have_accessible_description(re.compile("can't create"))

    page.reload()
    page.get_by_label(f"Role of {email}").select_option("operator")
    expect(page.get_by_label(f"Role of {email}")).to_have_value("operator")
    expect(page.get_by_role("button", name="Role of demo@punctual.example: owner")).to_have_accessible_description(
        re.compile("last owner")
    )
    other.reload()
    expect(stop).not_to_have_attribute("aria-disabled", "true")

    page.get_by_role("button", name=f"Remove {email}").click()
    page.get_by_role("button", name="Remove member").click()
    expect(page.get_by_role("row").filter(has_text=email)).to_have_count(0)
    other.reload()
    expect(other.get_by_text("you are not a member")).to_be_visible()


def test_a_service_account_works_with_its_token_until_it_is_disabled(page: Page, installation: Installation) -> None:
    base = admin(page)
    page.goto(f"{base}/service-accounts")
    page.get_by_role("button", name="New service account").click()
    page.get_by_label("Name", exact=True).fill("nightly")
    page.get_by_role("button", name="Create service account").click()
    page.get_by_role("link", name="nightly", exact=True).click()
    titled(page, "nightly")
    page.get_by_role("button", name="New token").click()
    page.get_by_label("Name", exact=True).fill("cron")
    page.get_by_label(re.compile("^view:")).check()
    assert violations(page) == []
    page.get_by_role("button", name="Create token").click()
    secret = page.get_by_role("dialog").locator("code").inner_text()
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_role("row").filter(has_text="cron")).to_contain_text("only view")

    address = f"{installation.address}api{base.removesuffix('/admin')}/runs/"
    assert request_status(address, secret) == 200
    page.get_by_role("button", name="Disable nightly").click()
    page.get_by_role("dialog").get_by_role("button", name="Disable", exact=True).click()
    expect(page.get_by_text("disabled", exact=True)).to_be_visible()
    assert request_status(address, secret) == 401
    page.get_by_role("button", name="Enable nightly").click()
    expect(page.get_by_text("enabled", exact=True)).to_be_visible()
    assert request_status(address, secret) == 200

    page.goto(f"{base}/audit?action=service_account.")
    titled(page, "Audit log")
    event = page.get_by_role("row").filter(has_text="changed a service account").first
    event.get_by_role("button").click()
    changed = page.get_by_role("row").filter(has_text="disabled").last
    expect(changed).to_contain_text("true")
    assert violations(page) == []
    page.get_by_role("button", name="changes to nightly").click()
    expect(page).to_have_url(re.compile("target=service_account"))
    expect(page.get_by_role("row").filter(has_text="created a service account")).to_have_count(1)
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Export these events as CSV").click()
    assert "service_account.created" in downloading.value.path().read_text()


def request_status(address: str, token: str) -> int:
    return httpx.get(address, headers={"Authorization": f"Bearer {token}"}, timeout=60).status_code


def test_an_owner_sees_limits_and_roles_and_downloads_an_export(page: Page) -> None:
    demo_runs(page)
    base = admin(page)
    page.goto(f"{base}/limits")
    titled(page, "Limits")
    at_once = page.get_by_role("meter", name="Runs at once")
    expect(at_once).to_have_attribute("aria-valuetext", re.compile(r"^[1-9]\d* of 10 runs$"))
    delete = page.get_by_role("button", name="Delete the results of speeding")
    expect(delete).to_have_accessible_description("speeding is running. Stop it first, then delete its results.")
    page.goto(f"{base}/roles")
    titled(page, "Roles")
    expect(page.get_by_role("columnheader", name="owner (you)")).to_be_visible()
    page.goto(f"{base}/tokens")
    titled(page, "Access tokens")
    page.goto(f"{base}/organisation")
    titled(page, "Settings")
    page.get_by_role("button", name="Create export").click()
    expect(page.get_by_role("button", name="Download the export")).to_be_visible()
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download the export").click()
    assert downloading.value.suggested_filename.endswith(".zip")
    page.get_by_role("button", name="Delete…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Type the short name").fill("another")
    dialog.get_by_role("button", name="Delete organisation").click()
    expect(dialog.get_by_label("Type the short name")).to_have_accessible_description(re.compile("not the short name"))
    assert violations(page) == []
