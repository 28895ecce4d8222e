"""A browser at the sign-in: allauth's headless API by its paths, and the mails that came."""

import base64
import hmac
import re
import struct
from typing import Any
from urllib.parse import unquote

from django.core import mail
from django.test import Client

PASSWORD = "a long enough password"
HALF_MINUTE = 60_000_000  # since 1970; the server's clock in the tests of codes
V1 = "/_allauth/browser/v1/"


class Browser:
    """One browser: cookies of its own."""

    def __init__(self, **extra: Any) -> None:
        self.client = Client(raise_request_exception=False, **extra)

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(V1 + path, headers=headers)

    def post(self, path: str, body: Any = None, **extra: Any) -> Any:
        return self.client.post(V1 + path, body or {}, content_type="application/json", **extra)

    def delete(self, path: str, body: Any = None) -> Any:
        return self.client.delete(V1 + path, body or {}, content_type="application/json")

    def sign_in(self, email: str, password: str = PASSWORD, **extra: Any) -> Any:
        return self.post("auth/login", {"email": email, "password": password}, **extra)

    def sign_up(self, email: str, password: str = PASSWORD) -> Any:
        return self.post("auth/signup", {"email": email, "password": password})

    def is_signed_in(self) -> bool:
        answered: int = self.client.get("/api/me/").status_code
        return answered == 200


def pending(answered: Any) -> list[str]:
    """Return the flows that an answer says are to be finished."""
    return [flow["id"] for flow in answered.json()["data"]["flows"] if flow.get("is_pending")]


def codes(answered: Any) -> list[str]:
    return [error["code"] for error in answered.json().get("errors", [])]


def subjects() -> list[str]:
    return [each.subject for each in mail.outbox]


def key_in_mail(page: str) -> str:
    """Return the key in the address of `page` in the last mail."""
    found = re.search(rf"http://\S+/{page}/(\S+)", str(mail.outbox[-1].body))
    assert found is not None, mail.outbox[-1].body
    return unquote(found[1])


def code_of_app(secret: str, *, steps: int = 0) -> str:
    """Return what an authenticator app shows for `secret` (RFC 6238), `steps` half minutes from `HALF_MINUTE`."""
    counter = struct.pack(">Q", HALF_MINUTE + steps)
    digest = hmac.digest(base64.b32decode(secret), counter, "sha1")
    at = digest[-1] & 15
    return f"{(int.from_bytes(digest[at : at + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"
