"""Somebody new signs up: an address, a password, a mail, and the page that asks for an organisation."""

import re
from collections.abc import Iterator
from uuid import uuid4

from playwright.sync_api import Page, expect

from tests.e2e.installation import Installation
from tests.e2e.mailbox import link_of_mail

PASSWORD = "kettle orbit ninety 4"


def sign_in(page: Page, email: str, password: str) -> None:
    """Fill the form of the sign-in page in."""
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def signing_up(page: Page, installation: Installation, email: str) -> Iterator[str | re.Pattern[str]]:
    """Sign up, verify the address and sign in; yields the title that each page must have before it goes on."""
    page.goto("/sign-in")
    page.get_by_role("link", name="Create one").click()
    yield "Create an account"
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create the account").click()
    yield "Look into your mailbox"
    page.goto(link_of_mail(installation, email, "/verify-email/"))
    yield "Verify your address"
    page.get_by_role("button", name="Yes, verify it").click()
    yield "Your address is verified"
    page.get_by_role("link", name="Sign in").click()
    sign_in(page, email, PASSWORD)
    yield re.compile("organisation")


def new_person(page: Page, installation: Installation) -> Page:
    """The page of somebody who has just signed up and belongs to no organisation yet."""
    for title in signing_up(page, installation, f"{uuid4().hex}@punctual.example"):
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
    return page
