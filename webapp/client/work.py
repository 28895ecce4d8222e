"""The context of every command: its arguments, the screen, and, on first use, the server."""

from argparse import Namespace
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from .credentials import Account, WantedCredentials, find_account
from .outcomes import CommandFailure, ExitCode
from .output.screen import Screen
from .server import ApiServer

PAGED: Final = ("streams", "queries")
LISTED: Final = 200
"""Items on a page of a list; the server uses the same number."""


@dataclass
class Work:
    """One command under way. `pause` waits for that many seconds."""

    args: Namespace
    screen: Screen
    environment: Mapping[str, str]
    pause: Callable[[float], None]
    closing: ExitStack = field(default_factory=ExitStack)

    @property
    def wanted(self) -> WantedCredentials:
        """Return address and token options of the command line."""
        given = {name: getattr(self.args, name, None) for name in ("address", "organisation", "token_file")}
        return WantedCredentials(**given, insecure_http=getattr(self.args, "insecure_http", False))

    @cached_property
    def account(self) -> Account:
        """Return the account to use. Raises `CommandFailure` if nobody is signed in."""
        return find_account(self.wanted, self.environment)

    @cached_property
    def server(self) -> ApiServer:
        """Return the server, which is closed when the command ends."""
        return self.closing.enter_context(ApiServer(self.account))


def as_id(text: str) -> str | None:
    """Return `text` as an id of the server, None if it isn't one."""
    try:
        return str(UUID(text))
    except ValueError:
        return None


def everything(server: ApiServer, kind: str) -> list[dict[str, Any]]:
    """Return all items of `kind`; streams and queries come in pages by name."""
    found: list[dict[str, Any]] = server.get(f"{kind}/")
    page = found
    while kind in PAGED and len(page) >= LISTED:
        page = server.get(f"{kind}/?{urlencode({'after': page[-1]['name']})}")
        found = [*found, *page]
    return found


def named(server: ApiServer, kind: str, name: str) -> dict[str, Any]:
    """Return the item of `kind` (queries, bindings) with this name or id. Raises `CommandFailure` if absent."""
    found = everything(server, kind)
    wanted = as_id(name)
    for each in found:
        if each["name"] == name or each["id"] == wanted:
            return each
    known = ", ".join(str(each["name"]) for each in found[:20]) or "none"
    one = {"queries": "query", "bindings": "binding"}[kind]
    raise CommandFailure(ExitCode.NOT_THERE, f"There is no {one} {name!r}. There are: {known}.")


def run_of(server: ApiServer, name: str) -> dict[str, Any]:
    """Return the run with this id, or the newest run of the binding with this name or id. Raises `CommandFailure`."""
    wanted = as_id(name)
    if wanted is not None:
        try:
            run: dict[str, Any] = server.get(f"runs/{wanted}/")
        except CommandFailure as failure:
            if failure.exit is not ExitCode.NOT_THERE:
                raise
        else:
            return run
    binding = named(server, "bindings", name)
    newest: dict[str, Any] | None = binding["latest_run"]
    if newest is None:
        shown = binding["name"]
        raise CommandFailure(
            ExitCode.NOT_THERE, f"The binding {shown} was never started. Run `punctual run start {shown}`."
        )
    return newest
