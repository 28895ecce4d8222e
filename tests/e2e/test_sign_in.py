"""People come in: by an address that they verify, a password, a second factor, a passkey; and sessions end."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.conftest import page_without_faults
from tests.e2e.installation import Installation
from tests.e2e.mailbox import link_of_mail
from tests.e2e.newcomer import PASSWORD, sign_in, signing_up
from tests.e2e.totp import shown_code

pytestmark = pytest.mark.browser

Visit = Callable[[], Page]


@pytest.fixture
def visit(browser: Browser, installation: Installation) -> Iterator[Visit]:
    """Open the pages in a browser of its own. By the name of the host, for no passkey is made for an IP address."""
    address = installation.address.replace("127.0.0.1", "localhost")
    with ExitStack() as opened:
        yield lambda: opened.enter_context(page_without_faults(browser, address, None))


def titled(page: Page, title: str | re.Pattern[str]) -> None:
    """See that the page has this title and no fault of accessibility."""
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    assert violations(page) == []


def inside(page: Page) -> None:
    """See that whoever belongs to no organisation yet is signed in."""
    titled(page, re.compile("organisation"))


def confirm(page: Page) -> None:
    """Show that it is oneself, which the server asks before it changes how one signs in."""
    dialog = page.get_by_role("dialog", name="Confirm that it is you")
    dialog.get_by_label("Your password").fill(PASSWORD)
    assert violations(page) == []
    dialog.get_by_role("button", name="Confirm").click()


@pytest.fixture
def person(visit: Visit, installation: Installation) -> tuple[Page, str]:
    """Return the page of somebody who has just signed up and verified the address, and that address."""
    page, email = visit(), f"{uuid4().hex}@punctual.example"
    for title in signing_up(page, installation, email):
        titled(page, title)
    return page, email


def test_whoever_signs_up_verifies_the_address_and_opens_an_organisation(person: tuple[Page, str]) -> None:
    page, email = person
    name = f"Tram & Railway {email[:8]}"
    short_name = f"tram-railway-{email[:8]}"
    page.get_by_label("Name", exact=True).fill(name)
    expect(page.get_by_label("Short name")).to_have_value(short_name)
    page.get_by_role("button", name="Create the organisation").click()
    expect(page).to_have_url(re.compile(rf"/t/{short_name}$"))
    expect(page.get_by_role("button", name=f"Organisation: {name}")).to_be_visible()


def test_what_is_wrong_stands_at_its_field_and_what_was_typed_stays(visit: Visit) -> None:
    page = visit()
    page.goto("/sign-up")
    page.get_by_label("E-mail address").fill("ada@punctual.example")
    page.get_by_label("Password").fill("too short")
    page.get_by_role("button", name="Create the account").click()
    password = page.get_by_label("Password")
    expect(password).to_have_accessible_description(re.compile("too short"))
    expect(password).to_be_focused()
    expect(page.get_by_label("E-mail address")).to_have_value("ada@punctual.example")
    assert violations(page) == []


def test_a_second_factor_is_set_up_and_asked_for(person: tuple[Page, str], visit: Visit) -> None:
    page, email = person
    page.goto("/account/second-factor")
    page.get_by_role("button", name="Set it up").click()
    secret = page.locator("code.secret").inner_text()
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    titled(page, "Second factor")
    page.get_by_role("textbox", name="Code").fill(shown_code(secret))
    page.get_by_role("button", name="Switch it on").click()
    confirm(page)
    codes = page.get_by_role("list", name="Recovery codes").get_by_role("listitem")
    expect(codes).to_have_count(10)
    recovery = codes.first.inner_text()
    assert violations(page) == []
    page.get_by_role("button", name="I have kept them").click()
    expect(page.get_by_text("10 of 10 are left")).to_be_visible()

    other = visit()
    other.goto("/sign-in")
    sign_in(other, email, PASSWORD)
    titled(other, "Second factor")
    other.get_by_role("textbox", name="Code").fill("000000")
    other.get_by_role("button", name="Go on").click()
    expect(other.get_by_role("textbox", name="Code")).to_have_accessible_description(re.compile("wrong"))
    other.get_by_role("button", name="Use a recovery code instead").click()
    other.get_by_label("Recovery code").fill(recovery)
    other.get_by_role("button", name="Go on").click()
    inside(other)


def test_a_passkey_is_added_and_signs_in_alone(person: tuple[Page, str]) -> None:
    page, _ = person
    devices = page.context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    devices.send(
        "WebAuthn.addVirtualAuthenticator",
        {
            "options": {
                "protocol": "ctap2",
                "transport": "internal",
                "hasResidentKey": True,
                "hasUserVerification": True,
                "isUserVerified": True,
                "automaticPresenceSimulation": True,
            }
        },
    )
    page.goto("/account/passkeys")
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_label("Name", exact=True).fill("laptop")
    page.get_by_role("button", name="Go on").click()
    confirm(page)
    expect(page.get_by_role("listitem").filter(has_text="laptop")).to_be_visible()
    titled(page, "Passkeys")

    page.get_by_role("button", name="Account of").click()
    page.get_by_role("menuitem", name="Sign out").click()
    page.get_by_role("button", name="Use a passkey").click()
    inside(page)


def test_a_forgotten_password_is_reset_by_mail(
    person: tuple[Page, str], visit: Visit, installation: Installation
) -> None:
    _, email = person
    page = visit()
    page.goto("/sign-in")
    page.get_by_role("link", name="Forgot your password?").click()
    titled(page, "Reset your password")
    page.get_by_label("E-mail address").fill(email)
    page.get_by_role("button", name="Send the link").click()
    titled(page, "Look into your mailbox")
    link = link_of_mail(installation, email, "/reset-password/")
    page.goto(link)
    titled(page, "Choose a new password")
    page.get_by_label("New password").fill("another kettle 5 moons")
    page.get_by_role("button", name="Set the password").click()
    titled(page, "Your password is set")
    page.get_by_role("button", name="Sign in").click()
    sign_in(page, email, "another kettle 5 moons")
    inside(page)

    stale = visit()
    stale.goto(link)
    expect(stale.get_by_role("alert")).to_contain_text("Ask for a new one")


def test_a_session_that_is_ended_elsewhere_ends(person: tuple[Page, str], visit: Visit) -> None:
    page, email = person
    other = visit()
    other.goto("/sign-in")
    sign_in(other, email, PASSWORD)
    inside(other)
    other.goto("/account/profile")
    titled(other, "Profile")

    page.goto("/account/sessions")
    titled(page, "Sessions")
    expect(page.get_by_text("this one")).to_have_count(1)
    page.get_by_role("button", name="End the session of Chrome").click()
    page.get_by_role("button", name="End the session", exact=True).click()
    expect(page.get_by_role("listitem")).to_have_count(1)

    other.get_by_role("link", name="Connected accounts").click()
    titled(other, "Sign in")


def test_a_password_is_changed_once_the_present_one_is_right(person: tuple[Page, str]) -> None:
    page, _ = person
    page.goto("/account/profile")
    page.get_by_label("Present password").fill("not mine")
    page.get_by_label("New password").fill("yet another kettle 6")
    page.get_by_role("button", name="Change the password").click()
    expect(page.get_by_label("Present password")).to_have_accessible_description(re.compile("not your present"))
    page.get_by_label("Present password").fill(PASSWORD)
    page.get_by_role("button", name="Change the password").click()
    expect(page.get_by_text("Your password is changed")).to_be_visible()
    titled(page, "Profile")
