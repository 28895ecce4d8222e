"""The address of a server: its form, and the check of a safe connection."""

import ipaddress
from urllib.parse import urlsplit

from .outcomes import CommandFailure, ExitCode


def checked_address(address: str, *, insecure_http: bool) -> str:
    """Return the address without a trailing slash. Raises `CommandFailure` if it is invalid or unsafe for a token."""
    try:
        parts = urlsplit(address.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise _wrong("The address of the server cannot be read") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise _wrong("The address of the server needs a scheme and a host")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise _wrong("The address of the server must contain no name, password, query or fragment")
    if parts.scheme == "http" and not is_loopback(host) and not insecure_http:
        raise CommandFailure(
            ExitCode.USAGE,
            f"Over plain http everybody on the way to {host} can read the token. Use https, or add --insecure-http.",
        )
    return address.strip().rstrip("/")


def is_loopback(host: str) -> bool:
    """Return whether `host` is this machine itself."""
    if host.lower() in {"localhost", "localhost."}:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _wrong(what: str) -> CommandFailure:
    return CommandFailure(ExitCode.USAGE, f"{what}. Write it as in the browser, for example http://127.0.0.1:8000.")
