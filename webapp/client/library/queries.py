"""Queries: their versions as graphs and as SQL."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from ..server import ApiServer


@dataclass(frozen=True)
class RemoteQuery:
    """A query, and the number of its newest version."""

    id: str
    name: str
    version: int
    _server: ApiServer = field(repr=False, compare=False)

    @classmethod
    def of(cls, server: ApiServer, found: Mapping[str, Any]) -> Self:
        """Return the query in an answer of the API."""
        return cls(found["id"], found["name"], found["current"]["number"], server)

    def graph(self) -> dict[str, Any]:
        """Return the graph of the newest version."""
        return dict(self._server.get(f"queries/{self.id}/")["current"]["graph"])
