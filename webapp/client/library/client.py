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
from .bundles import BundleFault, BundlePlan, DefinitionBundle, export_bundle, plan_bundle
from .queries import RemoteQuery
from .samples import SampleEnd
from .scenarios import RemoteScenario
from .simulating import Definitions, SimulationOptions, simulate
from .simulations import SimulationResult
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
    def from_env(cls, environment: Mapping[str, str] | None = None, *, organisation: str | None = None) -> Self:
        """Connect as the `punctual` command does, to `organisation` if it is set.

        PUNCTUAL_ADDRESS, PUNCTUAL_TOKEN and PUNCTUAL_ORGANISATION, else the account that `punctual sign-in` stored.
        """
        wanted = WantedCredentials(organisation=organisation)
        account = find_account(wanted, os.environ if environment is None else environment)
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

    def simulate(
        self,
        query: str | Mapping[str, Any] | RemoteQuery,
        sample: Any,
        *,
        stream: str | None = None,
        end: SampleEnd | None = None,
        advance: Definitions | None = None,
        streams: Definitions | None = None,
    ) -> SimulationResult:
        """Run a query on a sample, and return the outcome of each row, the results and the CTIs; nothing is stored.

        `query`: SQL, a graph, or a stored query. `sample`: rows in order of arrival, as `push` takes them (a frame of
        pandas or polars, an Arrow table, mappings), for the stream `stream` if the query reads several; or a mapping
        from streams to such rows; the rows of the first stream arrive first. To mix streams, pass mappings in
        the form of transcripts, with `stream` and `payload`. A stored sample is a scenario: an object, its name if
        `query` is a stored query, otherwise "QUERY/SCENARIO".

        `end` is `flush` (every input ends), `stop` or `none`. `advance`, by input node, replaces settings of time, and
        `streams`, by name, the definitions of streams. Without them a scenario has its own end and settings.
        """
        content = {"graph": query} if isinstance(query, Mapping) else {"text": _sql(query)}
        found = self._stored_sample(query, sample) if isinstance(sample, str) else sample
        options = SimulationOptions(stream, end, advance or {}, streams or {})
        return simulate(self.server, content, found, options)

    def export(self) -> DefinitionBundle:
        """Return all streams, queries and bindings as texts of files."""
        return export_bundle(self.server)

    def validate(self, bundle: DefinitionBundle) -> list[BundleFault]:
        """Return all errors and warnings of all files, checked with each other; nothing is stored."""
        return self.plan(bundle).faults

    def plan(self, bundle: DefinitionBundle, *, prune: bool = False) -> BundlePlan:
        """Return the changes of applying `bundle`, and all its errors; nothing is stored.

        With `prune`, definitions without a file are deleted.
        """
        return plan_bundle(self.server, bundle, prune=prune)

    def _stored_sample(self, query: object, name: str) -> RemoteScenario:
        if isinstance(query, RemoteQuery):
            return query.scenario(name)
        owner, slash, scenario = name.partition("/")
        if not slash:
            raise CommandFailure(ExitCode.USAGE, f"The sample {name!r} names no query. Pass QUERY/SCENARIO.")
        return self.query(owner).scenario(scenario)

    def _named(self, kind: str, one: str, name: str) -> dict[str, Any]:
        every = everything(self.server, kind)
        for each in every:
            if name in {each["name"], each["id"]}:
                return each
        known = ", ".join(str(each["name"]) for each in every[:20]) or "none"
        raise CommandFailure(ExitCode.NOT_THERE, f"There is no {one} {name!r}. There are: {known}.")


def _sql(query: str | RemoteQuery) -> str:
    return query if isinstance(query, str) else query.sql()
