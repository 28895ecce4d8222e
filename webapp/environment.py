"""What the variables of sign-in, mail and limits mean; `settings` alone reads them, and hands them in."""

import ipaddress
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from streaming.wire.result_location import location_fault

QUOTAS: Final = {
    "members": 10,
    "runs": 10,
    "dedicated_runs": 2,
    "events_per_second": 5_000,
    "pushed_rows_per_second": 20_000,
    "preview_seconds": 600,
    "result_bytes": 10 * 2**30,
    "quarantine_bytes": 2**30,
    "scenarios": 200,
    "scenario_bytes": 32 * 2**20,
    "file_bytes": 10 * 2**30,
}
"""What an organisation may use where no variable and no admin says otherwise."""


def whole(environment: Mapping[str, str], name: str, default: int) -> int:
    """Return the whole number in the variable `name`. Raises `ImproperlyConfigured`."""
    value = environment.get(name) or str(default)
    if not value.isdecimal():
        raise ImproperlyConfigured(f"{name} is {value!r}: set it to a whole number.")
    return int(value)


def results(environment: Mapping[str, str]) -> str | None:
    """Return where results of new organisations are to lie, None: in the data folder. Raises `ImproperlyConfigured`."""
    location = environment.get("PUNCTUAL_RESULTS") or None
    if location is not None and (wrong := location_fault(location)) is not None:
        raise ImproperlyConfigured(f"PUNCTUAL_RESULTS cannot be used: {wrong}.")
    return location


def address(environment: Mapping[str, str], name: str, default: str) -> str:
    """Return the http address in the variable `name`, without a slash at its end. Raises `ImproperlyConfigured`."""
    value = (environment.get(name) or default).rstrip("/")
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ImproperlyConfigured(f"{name} is {value!r}: set it to an address such as https://punctual.example.")
    return value


def networks(environment: Mapping[str, str], name: str) -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]:
    """Return the networks in the variable `name`, none where it is not set. Raises `ImproperlyConfigured`."""
    texts = [part.strip() for part in environment.get(name, "").split(",") if part.strip()]
    try:
        found = tuple(ipaddress.ip_network(text) for text in texts)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}. Write networks such as 10.0.0.0/8,192.0.2.7.") from None
    if any(network.prefixlen == 0 for network in found):
        raise ImproperlyConfigured(f"{name} names the whole internet: name the networks of your own proxies.")
    return found


def openid_providers(environment: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the provider of OpenID Connect as allauth wants it, if any. Raises `ImproperlyConfigured`."""
    if not environment.get("PUNCTUAL_OIDC_ISSUER"):
        return []
    issuer = address(environment, "PUNCTUAL_OIDC_ISSUER", "")
    if urlsplit(issuer).scheme != "https" and urlsplit(issuer).hostname not in {"127.0.0.1", "localhost", "::1"}:
        raise ImproperlyConfigured("PUNCTUAL_OIDC_ISSUER must begin with https://, for the client's secret goes there.")
    client, secret = (environment.get(f"PUNCTUAL_OIDC_CLIENT_{part}") for part in ("ID", "SECRET"))
    if not client or not secret:
        raise ImproperlyConfigured("Set PUNCTUAL_OIDC_CLIENT_ID and PUNCTUAL_OIDC_CLIENT_SECRET beside the issuer.")
    return [
        {
            "provider_id": "oidc",
            "name": environment.get("PUNCTUAL_OIDC_NAME") or "OpenID Connect",
            "client_id": client,
            "secret": secret,
            "settings": {"server_url": issuer},
        }
    ]


def origins_of(providers: object) -> list[str]:
    """Return the origin of each issuer, as a content security policy names it."""
    assert isinstance(providers, list)  # nosec B101 # for mypy alone
    found = [urlsplit(each["settings"]["server_url"]) for each in providers]
    return [f"{issuer.scheme}://{issuer.netloc}" for issuer in found]


def mail(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings of mail. Raises `ImproperlyConfigured`.

    Without a server mail is printed, so no address can be proved: none is asked for, and none counts as verified.
    """
    url = environment.get("PUNCTUAL_SMTP_URL")
    if not url:
        return {
            "MAIL_GOES_OUT": False,
            "EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend",
            "ACCOUNT_EMAIL_VERIFICATION": "optional",
            "MFA_ALLOW_UNVERIFIED_EMAIL": True,
        }
    ports = {"smtps": 465, "smtp+starttls": 587, "smtp": 25}
    parts = urlsplit(url)
    if parts.scheme not in ports or not parts.hostname:
        schemes = ", ".join(f"{scheme}://" for scheme in ports)
        raise ImproperlyConfigured(f"PUNCTUAL_SMTP_URL must begin with one of {schemes} and name a host.")
    return {
        "MAIL_GOES_OUT": True,
        "ACCOUNT_EMAIL_VERIFICATION": "mandatory",
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or ports[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp+starttls",
        "EMAIL_TIMEOUT": 10,
    }
