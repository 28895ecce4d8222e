"""The server over HTTP: paths inside one organisation, JSON in and out, and every refusal as a `CommandFailure`.

Redirects are not followed and certificates are checked, so that the token reaches the named server or nobody.
"""

from functools import cached_property
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote, urlsplit

import httpx

from . import __version__
from .address import is_loopback
from .credentials import Account
from .outcomes import CommandFailure, ExitCode

TIMEOUT: Final = httpx.Timeout(120.0, connect=10.0)
EXITS: Final[dict[int, ExitCode]] = {
    401: ExitCode.NOT_ALLOWED,
    403: ExitCode.NOT_ALLOWED,
    404: ExitCode.NOT_THERE,
    409: ExitCode.CONFLICT,
    429: ExitCode.NO_SERVER,
}


class ApiServer:
    """One server as one account sees it; close it, or use it in a `with` block."""

    def __init__(self, account: Account) -> None:
        self.account = account
        host = urlsplit(account.address).hostname or ""
        self._http = httpx.Client(
            headers={
                "Authorization": f"Bearer {account.token}",
                "Accept": "application/json",
                "User-Agent": f"punctual-client/{__version__}",
            },
            timeout=TIMEOUT,
            follow_redirects=False,
            trust_env=not is_loopback(host),  # a proxy of the environment is not on the way to this machine
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    @cached_property
    def organisation(self) -> str:
        """The short name of the organisation; the token's own, if none was named."""
        return self.account.organisation or str(self.my_organisation()["slug"])

    def me(self) -> dict[str, Any]:
        """Return who the token stands for, and its organisation. Raises `CommandFailure`."""
        answered = self._send("GET", "/api/me/")
        if not isinstance(answered, dict) or not isinstance(answered.get("organisations"), list):
            raise strange(self.account.address)
        return answered

    def my_organisation(self) -> dict[str, Any]:
        """Return the organisation to work in, as `me` tells of it. Raises `CommandFailure` if the token has another."""
        found: list[dict[str, Any]] = self.me()["organisations"]
        wanted = self.account.organisation
        for each in found:
            if wanted in (None, each.get("slug")):
                return each
        raise CommandFailure(
            ExitCode.NOT_THERE, f"This token is not of the organisation {wanted}. Name its own, or use another."
        )

    def get(self, path: str, **query: object) -> Any:
        """Return what is at `path` inside the organisation. Raises `CommandFailure`."""
        given = {name: str(value) for name, value in query.items() if value is not None}
        return self._send("GET", self._inside(path), params=given)

    def post(self, path: str, body: Any = None) -> Any:
        """Send `body` to `path` inside the organisation and return the answer. Raises `CommandFailure`."""
        return self._send("POST", self._inside(path), json={} if body is None else body)

    def _inside(self, path: str) -> str:
        return f"/api/t/{quote(self.organisation, safe='')}/{path}"

    def _send(self, method: str, path: str, **options: Any) -> Any:
        address = self.account.address
        try:
            response = self._http.request(method, f"{address}{path}", **options)
        except httpx.TimeoutException:
            raise CommandFailure(ExitCode.NO_SERVER, f"{address} did not answer in time. Try again.") from None
        except httpx.TransportError as error:
            raise CommandFailure(ExitCode.NO_SERVER, f"{address} cannot be reached: {_reason(error)}") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise CommandFailure(
                ExitCode.NO_SERVER, f"{address} gave an answer that cannot be read: {_reason(error)}"
            ) from None
        return _read(response, address)


def _reason(error: Exception) -> str:
    text = str(error) or type(error).__name__
    if "CERTIFICATE_VERIFY_FAILED" in text:
        return "its certificate is not one that this machine trusts. Check the address; nothing was sent."
    return f"{text}. Is the server running, and is the address right?"


def _read(response: httpx.Response, address: str) -> Any:
    if response.status_code == 204:
        return None
    if response.is_redirect:
        raise CommandFailure(
            ExitCode.NO_SERVER, f"{address} points elsewhere, which is not followed. Name the right address."
        )
    try:
        body = response.json()
    except ValueError:
        raise strange(address, response.status_code) from None
    if response.is_success:
        return body
    raise _refused(response.status_code, body, address)


def _refused(status: int, body: Any, address: str) -> CommandFailure:
    message = body.get("message") if isinstance(body, dict) else None
    if not isinstance(message, str):
        return strange(address, status)
    exit_ = EXITS.get(status, ExitCode.NO_SERVER if status >= 500 else ExitCode.REFUSED)
    faults = [fault for fault in body.get("faults") or [] if isinstance(fault, dict)]
    return CommandFailure(exit_, message, code=str(body.get("code") or exit_.name.lower()), faults=faults)


def strange(address: str, status: int | None = None) -> CommandFailure:
    """Return the failure of a server that does not answer as Punctual does."""
    if status is not None and status >= 500:
        return CommandFailure(
            ExitCode.NO_SERVER, f"The server failed (status {status}). Its log says why; try again later."
        )
    shown = f" (status {status})" if status is not None else ""
    return CommandFailure(
        ExitCode.NO_SERVER,
        f"{address} does not answer as Punctual does{shown}. Check the address, and if the server is older.",
    )
