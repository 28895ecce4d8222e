"""Addresses of files as written by a user or a redirect: one spelling for each, and everything unusual refused."""

import ipaddress
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin

from streaming.adapters.contract import AdapterError

MOST_CHARACTERS: Final = 2_048
PORTS: Final = {"https": 443, "http": 80}
_URL: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]{2,45}\]|[a-z0-9.-]{1,253})(?::(?P<port>[1-9][0-9]{0,4}))?"
    r"(?P<target>[/?][\x21\x22\x24-\x7e]*)?(?:#[\x21-\x7e]*)?"
)
"""Visible ASCII; `@`, `%` and backslashes are excluded before the path, because parsers read them differently."""
_LABEL: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_REMEDY: Final = "Write it as https://name/path."


@dataclass(frozen=True)
class Url:
    """A parsed address; `host` in lower case (IPv6 without brackets), `target` is path and query."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def origin(self) -> str:
        """Scheme, host and port: credentials for one origin are never sent to another."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"

    @property
    def display_url(self) -> str:
        """The address for messages and logs, without its query, which may contain a signature or a key."""
        return self.origin + self.target.partition("?")[0]

    @property
    def text(self) -> str:
        """The whole address."""
        return self.origin + self.target

    @property
    def file_name(self) -> str:
        """The part after the last slash of the path; may be empty."""
        return self.target.partition("?")[0].rpartition("/")[2]


def read_url(text: str) -> Url:
    """Parse `text`. Raises `AdapterError` for other schemes, credentials, and other spellings of IP addresses."""
    if len(text) > MOST_CHARACTERS:
        raise AdapterError(f"The address is longer than {MOST_CHARACTERS} characters. Write a shorter one.")
    scheme, separator, rest = text.partition("://")
    authority, slash, path = _split(rest)
    found = _URL.fullmatch(f"{scheme.lower()}{separator}{authority.lower()}{slash}{path}")
    if found is None:
        raise AdapterError(_why_not(scheme, authority))
    host = _host(found["host"])
    port = int(found["port"] or PORTS[found["scheme"]])
    if port > 65_535:
        raise AdapterError(f"There is no port {port}; a port is at most 65535. Correct the address.")
    target = found["target"] or "/"
    return Url(found["scheme"], host, port, target if target.startswith("/") else f"/{target}")


def read_redirect(base: Url, location: str) -> Url:
    """Parse the target to which `base` redirects.

    Raises `AdapterError` as `read_url` does, and if https leads to http.
    """
    try:
        url = read_url(urljoin(base.text, location))
    except ValueError:
        raise AdapterError(f"{base.display_url} redirects to an invalid address. Contact its administrator.") from None
    if base.scheme == "https" and url.scheme != "https":
        raise AdapterError(
            f"{base.display_url} redirects from https to http, where anybody on the network could change the file. "
            "Use an address that stays with https."
        )
    return url


def _split(rest: str) -> tuple[str, str, str]:
    end = min((at for at in map(rest.find, "/?#") if at >= 0), default=len(rest))
    return rest[:end], rest[end : end + 1], rest[end + 1 :]


def _why_not(scheme: str, authority: str) -> str:
    if scheme.lower() not in PORTS:
        return f"The address must begin with https://. {_REMEDY}"
    if "@" in authority:
        return "The address contains a user name or password. Remove it, and set a token in the option `token`."
    if not authority.isascii():
        return "The host name contains non-ASCII letters. Write it in its xn-- form, and the rest percent-encoded."
    return f"The address is invalid: it has an invalid character, host or port. {_REMEDY}"


def _host(text: str) -> str:
    if text.startswith("["):
        try:
            return str(ipaddress.IPv6Address(text[1:-1]))
        except ValueError:
            raise AdapterError(f"{text} isn't an IPv6 address. {_REMEDY}") from None
    labels = text.split(".")
    if _NUMBER.fullmatch(labels[-1] or (labels[-2] if len(labels) > 1 else "")):
        return _dotted_quad(text)
    if not all(_LABEL.fullmatch(label) for label in labels):
        raise AdapterError(f"'{text}' isn't a valid host name. {_REMEDY}")
    return text


def _dotted_quad(text: str) -> str:
    """Programs read 127.1, 0177.0.0.1 and 2130706433 differently, so only four decimal numbers are an IPv4 address."""
    try:
        return str(ipaddress.IPv4Address(text))
    except ValueError:
        raise AdapterError(
            f"'{text}' is neither a host name nor an IPv4 address of four decimal numbers. {_REMEDY}"
        ) from None
