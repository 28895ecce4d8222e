"""Queries: their versions as graphs and as SQL, and their scenarios."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from ..outcomes import CommandFailure, ExitCode
from ..server import ApiServer
from .scenarios import RemoteScenario


@dataclass(frozen=True)
class RemoteQuery:
    """A query, and the number and the id of its newest version."""

    id: str
    name: str
    version: int
    version_id: str
    _server: ApiServer = field(repr=False, compare=False)

    @classmethod
    def of(cls, server: ApiServer, found: Mapping[str, Any]) -> Self:
        """Return the query in an answer of the API."""
        return cls(found["id"], found["name"], found["current"]["number"], found["current"]["id"], server)

    def graph(self) -> dict[str, Any]:
        """Return the graph of the newest version."""
        return dict(self._server.get(f"queries/{self.id}/")["current"]["graph"])

    def sql(self) -> str:
        """Return the newest version as SQL, with its settings of time."""
        return str(self._server.get(f"queries/{self.id}/")["current"]["text"])

    def scenarios(self) -> list[RemoteScenario]:
        """Return the scenarios of the query, by name."""
        path = f"queries/{self.id}/scenarios/"
        return [RemoteScenario.of(self._server, self.name, path, each) for each in self._server.get(path)]

    def scenario(self, name: str) -> RemoteScenario:
        """Return the scenario with this name or id."""
        every = self.scenarios()
        for each in every:
            if name in {each.name, each.id}:
                return each
        known = ", ".join(each.name for each in every[:20]) or "none"
        raise CommandFailure(ExitCode.NOT_THERE, f"The query {self.name} has no scenario {name!r}. It has: {known}.")
