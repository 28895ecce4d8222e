"""The entry point: one organisation of one server, as the owner of a token sees it."""

import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from ..address import checked_address
from ..credentials import Account, WantedCredentials, find_account, well_formed
from ..outcomes import CommandFailure, ExitCode
from ..server import ApiServer
from ..work import everything
from .bindings import RemoteBinding
from .queries import RemoteQuery
from .streams import RemoteStream


class Client:
    """Streams, queries and bindings of an organisation. Close it, or use it in a `with` block.

    Every refusal, and a server that can't be reached, is a `PunctualError`.
    """

    def __init__(
        self, address: str, token: str, organisation: str | None = None, *, insecure_http: bool = False
    ) -> None:
        """Connect to `address`, for example http://127.0.0.1:8000; without `organisation` it is the token's own."""
        checked = checked_address(address, insecure_http=insecure_http)
        self.server = ApiServer(Account(checked, well_formed(token), organisation, insecure_http))

    @classmethod
    def from_env(cls, environment: Mapping[str, str] | None = None) -> Self:
        """Connect as the `punctual` command does.

        PUNCTUAL_ADDRESS, PUNCTUAL_TOKEN and PUNCTUAL_ORGANISATION, else the account that `punctual sign-in` stored.
        """
        account = find_account(WantedCredentials(), os.environ if environment is None else environment)
        return cls(account.address, account.token, account.organisation, insecure_http=account.insecure_http)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self.server.__exit__(None, None, None)

    def streams(self) -> list[RemoteStream]:
        """Return all streams, by name."""
        return [RemoteStream.of(self.server, each) for each in everything(self.server, "streams")]

    def queries(self) -> list[RemoteQuery]:
        """Return all queries, by name."""
        return [RemoteQuery.of(self.server, each) for each in everything(self.server, "queries")]

    def bindings(self) -> list[RemoteBinding]:
        """Return all bindings, by name."""
        return [RemoteBinding.of(self.server, each) for each in everything(self.server, "bindings")]

    def stream(self, name: str) -> RemoteStream:
        """Return the stream with this name or id."""
        return RemoteStream.of(self.server, self._named("streams", "stream", name))

    def query(self, name: str) -> RemoteQuery:
        """Return the query with this name or id."""
        return RemoteQuery.of(self.server, self._named("queries", "query", name))

    def binding(self, name: str) -> RemoteBinding:
        """Return the binding with this name or id."""
        return RemoteBinding.of(self.server, self._named("bindings", "binding", name))

    def _named(self, kind: str, one: str, name: str) -> dict[str, Any]:
        every = everything(self.server, kind)
        for each in every:
            if name in {each["name"], each["id"]}:
                return each
        known = ", ".join(str(each["name"]) for each in every[:20]) or "none"
        raise CommandFailure(ExitCode.NOT_THERE, f"There is no {one} {name!r}. There are: {known}.")
