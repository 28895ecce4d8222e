"""The address of a server: what may be spoken to, and how."""

import ipaddress
from urllib.parse import urlsplit

from .outcomes import CommandFailure, ExitCode


def checked_address(address: str, *, insecure_http: bool) -> str:
    """Return the address without a slash at its end. Raises `CommandFailure` for what a token must not be sent to."""
    try:
        parts = urlsplit(address.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise _wrong("The address of the server cannot be read") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise _wrong("The address of the server needs a scheme and a host")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise _wrong("The address of the server must hold no name, password, query or fragment")
    if parts.scheme == "http" and not is_loopback(host) and not insecure_http:
        raise CommandFailure(
            ExitCode.USAGE,
            f"Over plain http everybody on the way to {host} can read the token. Use https, or say --insecure-http.",
        )
    return address.strip().rstrip("/")


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine itself."""
    if host.lower() in {"localhost", "localhost."}:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _wrong(what: str) -> CommandFailure:
    return CommandFailure(ExitCode.USAGE, f"{what}. Write it as in the browser, such as http://127.0.0.1:8000.")
