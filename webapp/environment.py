"""Settings that are more than one variable's text: keys, addresses, networks, mail, sign-in.

Each function takes the values of the environment; only `settings` reads them, and passes them in.
"""

import ipaddress
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from pydantic import ValidationError

from streaming.definition.shape_errors import sentences
from streaming.storage.result_location import location_fault
from streaming.wire.outgoing import OutgoingPolicy


def results(environment: Mapping[str, str]) -> str | None:
    """Return the place of new organisations' results, None: the data folder. Raises `ImproperlyConfigured`."""
    location = environment.get("PUNCTUAL_RESULTS") or None
    if location is not None and (wrong := location_fault(location)) is not None:
        raise ImproperlyConfigured(f"PUNCTUAL_RESULTS cannot be used: {wrong}.")
    return location


def address(environment: Mapping[str, str], name: str, default: str) -> str:
    """Return the http address in the variable `name`, without a trailing slash. Raises `ImproperlyConfigured`."""
    value = (environment.get(name) or default).rstrip("/")
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ImproperlyConfigured(f"{name} is {value!r}: set it to an address, for example https://punctual.example.")
    return value


def networks(environment: Mapping[str, str], name: str) -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]:
    """Return the networks in the variable `name`, empty if it is not set. Raises `ImproperlyConfigured`."""
    texts = [part.strip() for part in environment.get(name, "").split(",") if part.strip()]
    try:
        found = tuple(ipaddress.ip_network(text) for text in texts)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}. Write networks, for example 10.0.0.0/8,192.0.2.7.") from None
    if any(network.prefixlen == 0 for network in found):
        raise ImproperlyConfigured(f"{name} names the whole internet: name the networks of your own proxies.")
    return found


def outgoing(networks: list[str], ports: list[str]) -> OutgoingPolicy:
    """Return the networks that adapters may connect to: the public internet at a few ports, and the named ones."""
    try:
        return OutgoingPolicy.model_validate({"networks": networks, "ports": ports})
    except ValidationError as error:
        message = sentences(error, {"networks": networks, "ports": ports})
        raise ImproperlyConfigured(f"PUNCTUAL_OUTGOING_NETWORKS or PUNCTUAL_OUTGOING_PORTS: {message}.") from None


def openid_providers(environment: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the provider of OpenID Connect as allauth wants it, if any. Raises `ImproperlyConfigured`."""
    if not environment.get("PUNCTUAL_OIDC_ISSUER"):
        return []
    issuer = address(environment, "PUNCTUAL_OIDC_ISSUER", "")
    if urlsplit(issuer).scheme != "https" and urlsplit(issuer).hostname not in {"127.0.0.1", "localhost", "::1"}:
        raise ImproperlyConfigured(
            "PUNCTUAL_OIDC_ISSUER must start with https://, because it gets the client's secret."
        )
    client, secret = (environment.get(f"PUNCTUAL_OIDC_CLIENT_{part}") for part in ("ID", "SECRET"))
    if not client or not secret:
        raise ImproperlyConfigured(
            "Set PUNCTUAL_OIDC_CLIENT_ID and PUNCTUAL_OIDC_CLIENT_SECRET together with the issuer."
        )
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
    assert isinstance(providers, list)  # nosec B101 # for mypy only
    found = [urlsplit(each["settings"]["server_url"]) for each in providers]
    return [f"{issuer.scheme}://{issuer.netloc}" for issuer in found]


def mail(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings of mail. Raises `ImproperlyConfigured`.

    Without a server mail is printed and no address can be verified: verification is optional, and none counts.
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
        raise ImproperlyConfigured(f"PUNCTUAL_SMTP_URL must start with one of {schemes} and name a host.")
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


def secret_key(environment: Mapping[str, str], data: Path, *, may_generate: bool) -> str:
    """Return the key of the environment, or, on a single machine, one that is generated once and stored in `data`."""
    given = environment.get("PUNCTUAL_SECRET_KEY", "")
    if len(given) >= 50:
        return given
    if given or not may_generate:
        raise ImproperlyConfigured(
            "PUNCTUAL_SECRET_KEY must be set to at least 50 random characters. Make one with: "
            "python -c 'import secrets; print(secrets.token_urlsafe(48))'."
        )
    return _generated(data / "secret_key")


def metrics_token(environment: Mapping[str, str], data: Path, *, may_generate: bool) -> str:
    """Return the token of `/metrics`, generated if keys may be; otherwise empty if it is not set.

    Raises `ImproperlyConfigured` for a short one.
    """
    given = environment.get("PUNCTUAL_METRICS_TOKEN", "")
    if not given and not may_generate:
        return ""
    token = given or _generated(data / "metrics_token").strip()
    if len(token) < 32:
        raise ImproperlyConfigured(
            "PUNCTUAL_METRICS_TOKEN, or without it the file metrics_token in PUNCTUAL_DATA, must have at least 32 "
            "random characters. Make a token with: python -c 'import secrets; print(secrets.token_urlsafe(48))'."
        )
    return token


def secrets_keys(environment: Mapping[str, str], data: Path, *, may_generate: bool) -> list[str]:
    """Return the keys that encrypt the secrets of connections, newest first; generated if the other key may be."""
    given = environment.get("PUNCTUAL_SECRETS_KEYS", "")
    keys = [part.strip() for part in given.split(",") if part.strip()]
    if not keys and may_generate:
        keys = [key.strip() for key in _generated(data / "secrets_keys").split(",")]
    if not keys or any(len(key) < 32 for key in keys):
        raise ImproperlyConfigured(
            "PUNCTUAL_SECRETS_KEYS must be set to keys of at least 32 random characters each, separated by commas, the "
            "newest first. Make one with: python -c 'import secrets; print(secrets.token_urlsafe(48))'."
        )
    return keys


def _generated(kept: Path) -> str:
    """Return the content of the file, which only its owner may read; it is written at the first start."""
    try:
        if not kept.exists():
            staged = kept.with_name(f"{kept.name}.{os.getpid()}")
            staged.touch(mode=0o600)
            staged.write_text(secrets.token_urlsafe(48))
            with suppress(FileExistsError):  # another process of this installation was first
                os.link(staged, kept)
            staged.unlink()
        return kept.read_text()
    except OSError as error:
        raise ImproperlyConfigured(
            f"{kept} can't be read or written ({error.strerror}): give this user the folder PUNCTUAL_DATA."
        ) from None


def data_folder(environment: Mapping[str, str], default: Path | None) -> Path:
    """Return the folder of PUNCTUAL_DATA, which is made if it is missing. Raises `ImproperlyConfigured`."""
    given = environment.get("PUNCTUAL_DATA")
    if not given and default is None:
        raise ImproperlyConfigured("PUNCTUAL_DATA must be set to the folder of all files, for example /srv/punctual.")
    folder = Path(given or str(default)).resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(
            f"PUNCTUAL_DATA: {folder} can't be made ({error.strerror}). Make it, and give it to this user."
        ) from None
    return folder


def redis_address(environment: Mapping[str, str], default: str) -> str:
    """Return the address of Redis. Raises `ImproperlyConfigured`."""
    url = environment.get("REDIS_URL") or default
    if not url.startswith(("redis://", "rediss://", "unix://")):
        raise ImproperlyConfigured("REDIS_URL must start with redis://, rediss:// or unix://.")
    return url
