"""The connection of an assistant: a token that only reads and proposes, and the files of its plans."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from ..library.client import Client
from ..library.queries import RemoteQuery
from ..library.simulating import QueryWithSample, SimulationOptions, sampled_query, send_json
from ..outcomes import CommandFailure, ExitCode

HARMLESS: Final = frozenset({"view", "propose"})
REFUSED: Final = (
    "This token may {rights}, so an assistant could change things that nobody confirmed. On the page Access tokens, "
    "create a token with only the scopes view and propose, and use it for `punctual mcp`."
)
SAMPLES: Final = ("rows", "scenario", "stream", "generated")


@dataclass
class AssistantSession:
    """An assistant in one organisation. `files` are those of its plans, by confirmation: no server stores them."""

    client: Client
    files: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def check_token(self) -> None:
        """Raise `CommandFailure` unless the token can only read and propose."""
        rights = set(self.client.server.my_organisation()["permissions"]) - HARMLESS
        if rights:
            raise CommandFailure(ExitCode.NOT_ALLOWED, REFUSED.format(rights=", ".join(sorted(rights))))

    @cached_property
    def guide(self) -> list[dict[str, Any]]:
        """The pages of the guide: `name`, `title` and `text`."""
        return list(self.client.server.read("/api/guide/"))

    def sql(self, arguments: Mapping[str, Any]) -> str:
        """Return the SQL of `text`, or of the stored query `query`."""
        if ("text" in arguments) == ("query" in arguments):
            raise CommandFailure(ExitCode.USAGE, "Pass either `text`, the SQL, or `query`, the name of a stored query.")
        return str(arguments["text"]) if "text" in arguments else self.client.query(arguments["query"]).sql()

    def sampled(self, text: str, arguments: Mapping[str, Any]) -> QueryWithSample:
        """Return the SQL `text` with the sample of `arguments`, checked."""
        options = SimulationOptions(end=arguments.get("end"), advance=arguments.get("advance", {}))
        return sampled_query(self.client.server, {"text": text}, self.sample(arguments["sample"]), options)

    def sample(self, wanted: Mapping[str, Any]) -> Any:
        """Return the rows of a sample, or a stored scenario. Raises `CommandFailure`."""
        if len(wanted) != 1:
            raise CommandFailure(ExitCode.USAGE, f"A sample has exactly one of: {', '.join(SAMPLES)}.")
        [(kind, value)] = wanted.items()
        if kind == "rows":
            return value
        if kind == "scenario":
            return self.scenario(value)
        path = "samples/stream/" if kind == "stream" else "samples/generated/"
        return send_json(self.client.server, path, value)["rows"]

    def scenario(self, name: str) -> Any:
        """Return the stored scenario `QUERY/SCENARIO`."""
        query, slash, scenario = name.partition("/")
        if not slash:
            raise CommandFailure(ExitCode.USAGE, f"The scenario {name!r} names no query. Pass QUERY/SCENARIO.")
        return self.query(query).scenario(scenario)

    def query(self, name: str) -> RemoteQuery:
        """Return the stored query with this name."""
        return self.client.query(name)

    def page(self, confirmation: str) -> str:
        """Return the address of the page on which a person decides about a plan."""
        server = self.client.server
        return f"{server.account.address}/t/{server.organisation}/confirmations/{confirmation}"
