"""Sign-up of a new person: address, password, email, and the form for a new organisation."""

import re
from collections.abc import Iterator
from uuid import uuid4

from playwright.sync_api import Page, expect

from tests.e2e.installation import Installation
from tests.e2e.mailbox import link_of_mail

PASSWORD = "kettle orbit ninety 4"


def sign_in(page: Page, email: str, password: str) -> None:
    """Fill in the sign-in form."""
    page.get_by_label("Email address").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def signing_up(page: Page, installation: Installation, email: str) -> Iterator[str | re.Pattern[str]]:
    """Sign up, verify the address and sign in; yields the expected title of each page before it continues."""
    page.goto("/sign-in")
    page.get_by_role("link", name="Create one").click()
    yield "Create an account"
    page.get_by_label("Email address").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    yield "Check your email"
    page.goto(link_of_mail(installation, email, "/verify-email/"))
    yield "Verify your address"
    page.get_by_role("button", name="Yes, verify it").click()
    yield "Address verified"
    page.get_by_role("link", name="Sign in").click()
    sign_in(page, email, PASSWORD)
    yield re.compile("organisation")


def new_person(page: Page, installation: Installation) -> Page:
    """A page of a person who has just signed up and has no organisation yet."""
    for title in signing_up(page, installation, f"{uuid4().hex}@punctual.example"):
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
    return page


def new_organisation(page: Page, name: str) -> None:
    """Create an organisation in the form of `new_person`; the page is then its live page."""
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Create organisation").click()
    expect(page).to_have_url(re.compile(r"/t/[^/]+$"))
