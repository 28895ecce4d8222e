"""The server over HTTP: paths inside one organisation, JSON in and out, and every refusal as a `CommandFailure`.

Redirects are not followed and certificates are checked, so that only the named server receives the token.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from functools import cached_property
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote, urlsplit

import httpx

from .address import is_loopback
from .credentials import Account
from .library.version import __version__
from .outcomes import CommandFailure, ExitCode

TIMEOUT: Final = httpx.Timeout(120.0, connect=10.0)
DOWNLOAD_TIMEOUT: Final = httpx.Timeout(3_600.0, connect=10.0)
"""The server completes a file before it sends the first byte, which takes minutes for millions of rows."""
LONGEST_RETRY_AFTER_S: Final = 300.0
EXITS: Final[dict[int, ExitCode]] = {
    401: ExitCode.NOT_ALLOWED,
    403: ExitCode.NOT_ALLOWED,
    404: ExitCode.NOT_THERE,
    409: ExitCode.CONFLICT,
    429: ExitCode.NO_SERVER,
}


@dataclass(frozen=True)
class FileTransfer:
    """A file on its way. Reading its pieces raises `CommandFailure` if the transfer breaks off."""

    headers: Mapping[str, str]
    pieces: Iterator[bytes]


class ApiServer:
    """One server as one account sees it; close it, or use it in a `with` block."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self._http = httpx.Client(
            headers=self.headers,
            timeout=TIMEOUT,
            follow_redirects=False,
            trust_env=self.uses_proxies,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    @cached_property
    def organisation(self) -> str:
        """Return the short name of the organisation; by default the token's own."""
        return self.account.organisation or str(self.my_organisation()["slug"])

    def me(self) -> dict[str, Any]:
        """Return the owner of the token, and its organisation. Raises `CommandFailure`."""
        answered = self._send("GET", "/api/me/")
        if not isinstance(answered, dict) or not isinstance(answered.get("organisations"), list):
            raise strange(self.account.address)
        return answered

    def my_organisation(self) -> dict[str, Any]:
        """Return the organisation to work in, as in `me`. Raises `CommandFailure` if the token has another one."""
        found: list[dict[str, Any]] = self.me()["organisations"]
        wanted = self.account.organisation
        for each in found:
            if wanted in (None, each.get("slug")):
                return each
        raise CommandFailure(
            ExitCode.NOT_THERE, f"This token is not for the organisation {wanted}. Name its own, or use another token."
        )

    def read(self, path: str) -> Any:
        """Return the answer at `path` outside of organisations. Raises `CommandFailure`."""
        return self._send("GET", path)

    def get(self, path: str, **query: object) -> Any:
        """Return the answer at `path` inside the organisation; a list repeats a parameter. Raises `CommandFailure`."""
        given = {name: _parameter(value) for name, value in query.items() if value is not None}
        return self._send("GET", self._inside(path), params=given)

    def post(self, path: str, body: Any = None) -> Any:
        """Send `body` to `path` inside the organisation and return the answer. Raises `CommandFailure`."""
        return self._send("POST", self._inside(path), json={} if body is None else body)

    @property
    def uses_proxies(self) -> bool:
        """Return whether the proxies of the environment apply: not for this machine itself."""
        return not is_loopback(urlsplit(self.account.address).hostname or "")

    def send(self, path: str, content: bytes, headers: Mapping[str, str]) -> Any:
        """Send `content` as it is to `path` inside the organisation and return the answer. Raises `CommandFailure`."""
        return self._send("POST", self._inside(path), content=content, headers=headers)

    def url(self, path: str) -> str:
        """Return the whole address of `path` inside the organisation."""
        return f"{self.account.address}{self._inside(path)}"

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers of every request: the token, and the name of this client."""
        return {
            "Authorization": f"Bearer {self.account.token}",
            "Accept": "application/json",
            "User-Agent": f"punctual-client/{__version__}",
        }

    @contextmanager
    def download(self, path: str, **query: object) -> Iterator[FileTransfer]:
        """Return the file at `path` inside the organisation. Raises `CommandFailure`."""
        given = {name: str(value) for name, value in query.items() if value is not None}
        address = self.account.address
        with (
            self._failures(),
            self._http.stream(
                "GET", self.url(path), params=given, headers={"Accept": "*/*"}, timeout=DOWNLOAD_TIMEOUT
            ) as answer,
        ):
            if answer.status_code != 200:
                answer.read()
                read_answer(answer, address)
                raise strange(address, answer.status_code)
            yield FileTransfer(answer.headers, answer.iter_bytes())

    def _inside(self, path: str) -> str:
        return f"/api/t/{quote(self.organisation, safe='')}/{path}"

    def _send(self, method: str, path: str, **options: Any) -> Any:
        address = self.account.address
        with self._failures():
            response = self._http.request(method, f"{address}{path}", **options)
        return read_answer(response, address)

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Raise failures of the connection inside the block as `CommandFailure`."""
        address = self.account.address
        try:
            yield
        except httpx.TimeoutException:
            raise CommandFailure(ExitCode.NO_SERVER, f"{address} did not answer in time. Try again.") from None
        except httpx.TransportError as error:
            raise CommandFailure(ExitCode.NO_SERVER, f"{address} cannot be reached: {_reason(error)}") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise CommandFailure(ExitCode.NO_SERVER, f"{address} sent an unreadable answer: {_reason(error)}") from None


def _parameter(value: object) -> str | list[str]:
    return [str(each) for each in value] if isinstance(value, list) else str(value)


def _reason(error: Exception) -> str:
    text = str(error) or type(error).__name__
    if "CERTIFICATE_VERIFY_FAILED" in text:
        return "this machine does not trust its certificate. Check the address; nothing was sent."
    return f"{text}. Is the server running, and is the address right?"


def read_answer(response: httpx.Response, address: str) -> Any:
    """Return the JSON of an answer. Raises `CommandFailure` for a refusal."""
    if response.status_code == 204:
        return None
    if response.is_redirect:
        raise CommandFailure(
            ExitCode.NO_SERVER, f"{address} redirects elsewhere, and redirects are not followed. Use the right address."
        )
    try:
        body = response.json()
    except ValueError:
        failure = strange(address, response.status_code)
    else:
        if response.is_success:
            return body
        failure = _refused(response.status_code, body, address)
    failure.retry_after_s = retry_after_s(response.headers)
    raise failure


def retry_after_s(headers: Mapping[str, str], now: Callable[[], float] = time.time) -> float:
    """Return the wait in seconds, LONGEST_RETRY_AFTER_S at most, that an answer asks for, as a number or as a date.

    `now` is in seconds of the epoch. 0 without a valid header `Retry-After`.
    """
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdecimal():
        return float(min(int(text[:9]), LONGEST_RETRY_AFTER_S))
    try:
        date = parsedate_tz(text)
        wait = 0.0 if date is None else mktime_tz(date) - now()
    except (ValueError, OverflowError):
        return 0.0
    return max(0.0, min(wait, LONGEST_RETRY_AFTER_S))


def _refused(status: int, body: Any, address: str) -> CommandFailure:
    message = body.get("message") if isinstance(body, dict) else None
    if not isinstance(message, str):
        return strange(address, status)
    exit_ = EXITS.get(status, ExitCode.NO_SERVER if status >= 500 else ExitCode.REFUSED)
    faults = [fault for fault in body.get("faults") or [] if isinstance(fault, dict)]
    return CommandFailure(exit_, message, code=str(body.get("code") or exit_.name.lower()), faults=faults)


def strange(address: str, status: int | None = None) -> CommandFailure:
    """Return the failure of a server whose answers are not Punctual's."""
    if status is not None and status >= 500:
        return CommandFailure(
            ExitCode.NO_SERVER, f"The server failed (status {status}). Its log says why; try again later."
        )
    shown = f" (status {status})" if status is not None else ""
    return CommandFailure(
        ExitCode.NO_SERVER,
        f"{address} does not answer as Punctual does{shown}. Check the address; the server may be older.",
    )
