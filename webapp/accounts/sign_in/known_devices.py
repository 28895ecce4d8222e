"""Devices and addresses from which a person has signed in before: their failed attempts are counted separately.

Attackers who guess passwords elsewhere use up the attempts of strangers, and cannot lock the person out of a known
device. A signed cookie identifies a device; a sign-in from an address in the last 30 days makes it known.
"""

import secrets
from hashlib import sha256
from typing import Any, Final

from allauth.core.internal.ratelimit import get_ip
from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.core import signing
from django.core.cache import cache
from django.http import HttpRequest, HttpResponseBase

from webapp.accounts.models import User

COOKIE: Final = "device"
SALT: Final = "webapp.accounts.sign_in.known_devices"
COOKIE_S: Final = 365 * 24 * 3_600
ADDRESS_S: Final = 30 * 24 * 3_600
MOST_PEOPLE: Final = 10
"""People that one device remembers; the one whose sign-in is the oldest is dropped first."""
_SIGNED_IN: Final = "punctual_signed_in"


def attempts_key(request: HttpRequest, email: str) -> str:
    """Return the key under which failed sign-ins of `email` are counted: by device, by address, or as a stranger."""
    email = email.lower()
    if device := _devices(request).get(_digest(email)):
        return f"{email} device {device}"
    if cache.get(_address_key(request, email)):
        return f"{email} address {get_ip(request)}"
    return email


def note_sign_in(request: HttpRequest, user: User, **_: Any) -> None:
    """Remember the address of a complete sign-in, and that the answer must set the device's cookie."""
    if not request.path.startswith("/_allauth/"):  # an administrator who acts as somebody has not signed in as them
        return
    email = user.email.lower()
    cache.set(_address_key(request, email), 1, ADDRESS_S)
    vars(request)[_SIGNED_IN] = email


def remember_device(request: HttpRequest, response: HttpResponseBase) -> None:
    """Set the device's cookie if somebody has just signed in."""
    email = vars(request).get(_SIGNED_IN)
    if email is None:
        return
    devices = _devices(request)
    device = devices.pop(_digest(email), None) or secrets.token_urlsafe(12)
    newest = [*devices.items(), (_digest(email), device)][-MOST_PEOPLE:]
    response.set_cookie(
        _cookie(),
        signing.dumps(newest, salt=SALT),
        max_age=COOKIE_S,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _devices(request: HttpRequest) -> dict[str, str]:
    """Return the cookie's devices by digest of the e-mail address; empty for a cookie that we have not signed."""
    try:
        return dict(signing.loads(request.COOKIES.get(_cookie(), ""), salt=SALT, max_age=COOKIE_S))
    except signing.BadSignature:
        return {}


def _cookie() -> str:
    return COOKIE if settings.OWN_MACHINE else f"__Host-{COOKIE}"


def _digest(email: str) -> str:
    return sha256(email.encode()).hexdigest()[:24]


def _address_key(request: HttpRequest, email: str) -> str:
    return f"signed-in:{sha256(f'{email} {get_ip(request)}'.encode()).hexdigest()}"


user_logged_in.connect(note_sign_in, dispatch_uid=SALT)
