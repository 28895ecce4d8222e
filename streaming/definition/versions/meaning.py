"""The meaning of a query version: its graph, and the time settings of its inputs."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from streaming.definition.graph import QueryGraph
from streaming.definition.names import Name
from streaming.definition.sql.script import Script
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy
from streaming.definition.strict import Strict


class QueryMeaning(Strict):
    """A graph with the settings of ADVANCE TIME and EVENTTIME BY, by input node.

    The comments and the layout of a text are not part of it.
    """

    graph: QueryGraph
    advance: dict[Name, AdvanceTimeSettings] = Field(default_factory=dict)
    event_times: dict[Name, EventTimeBy] = Field(default_factory=dict)


@dataclass(frozen=True)
class InputSettings:
    """The settings of inputs in a text, by node: ADVANCE TIME and EVENTTIME BY."""

    advance: Mapping[str, AdvanceTimeSettings] = field(default_factory=dict)
    event_times: Mapping[str, EventTimeBy] = field(default_factory=dict)

    def beside(self, graph: QueryGraph) -> QueryMeaning:
        """Return the meaning of a text with `graph` and these settings."""
        return QueryMeaning(graph=graph, advance=dict(self.advance), event_times=dict(self.event_times))


def meaning_of(script: Script) -> QueryMeaning | None:
    """Return the meaning of a text; None if it has no valid graph."""
    if script.graph is None:
        return None
    return QueryMeaning(graph=script.graph, advance=dict(script.advance), event_times=dict(script.event_times))


def content_hash(meaning: QueryMeaning) -> str:
    """Return the SHA-256 of a meaning in its canonical form; equal meanings have equal hashes.

    Without time settings it is the hash of the graph alone, as it was before settings belonged to versions.
    """
    graph = meaning.graph.model_dump(mode="json")
    settings = meaning.model_dump(mode="json", exclude={"graph"})
    content: Any = {"graph": graph, **settings} if any(settings.values()) else graph
    return hashlib.sha256(canonical(content).encode()).hexdigest()


def canonical(value: Any) -> str:
    """Return JSON text that is equal for equal values; 1, 1.0 and true are different values."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
