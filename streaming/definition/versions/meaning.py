"""What a version of a query means: its graph, and what its text says of the time of its inputs."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from streaming.definition.graph import QueryGraph
from streaming.definition.names import Name
from streaming.definition.sql.script import Script
from streaming.definition.streams import AdvanceTimeSettings, EventTimeBy
from streaming.definition.strict import Strict


class QueryMeaning(Strict):
    """A graph with the settings that ADVANCE TIME and EVENTTIME BY say, by input node.

    The comments of a text and its layout are beside it.
    """

    graph: QueryGraph
    advance: dict[Name, AdvanceTimeSettings] = Field(default_factory=dict)
    event_times: dict[Name, EventTimeBy] = Field(default_factory=dict)


@dataclass(frozen=True)
class InputSettings:
    """What a text says of inputs, by node: ADVANCE TIME and EVENTTIME BY."""

    advance: Mapping[str, AdvanceTimeSettings] = field(default_factory=dict)
    event_times: Mapping[str, EventTimeBy] = field(default_factory=dict)

    def beside(self, graph: QueryGraph) -> QueryMeaning:
        """What a text means that says `graph` and these settings."""
        return QueryMeaning(graph=graph, advance=dict(self.advance), event_times=dict(self.event_times))


def meaning_of(script: Script) -> QueryMeaning | None:
    """What a text means that was read; None for one that says no graph."""
    if script.graph is None:
        return None
    return QueryMeaning(graph=script.graph, advance=dict(script.advance), event_times=dict(script.event_times))


def content_hash(meaning: QueryMeaning) -> str:
    """The SHA-256 of a meaning in its canonical form: two that say the same have the same.

    Without settings of time it is the hash of the graph alone, as it was before settings belonged to versions.
    """
    graph = meaning.graph.model_dump(mode="json")
    settings = meaning.model_dump(mode="json", exclude={"graph"})
    says: Any = {"graph": graph, **settings} if any(settings.values()) else graph
    return hashlib.sha256(canonical(says).encode()).hexdigest()


def canonical(value: Any) -> str:
    """JSON text that is the same for the same value: 1, 1.0 and true are three values."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
