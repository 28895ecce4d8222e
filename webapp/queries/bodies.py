"""What is sent to the API about queries, and what it answers."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Final, Self, cast
from uuid import UUID

from pydantic import Field, RootModel, SkipValidation, model_validator

from streaming.definition.counts import counted
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.graph import MOST_NODES, QueryGraph
from streaming.definition.names import Name
from streaming.definition.streams import AdvanceTimeSettings, EventTimeBy, StreamDefinition
from streaming.definition.strict import Strict
from streaming.definition.versions.differences import DefinitionDifference
from streaming.definition.versions.merging import MergeConflict, Side
from streaming.planning.explain import Explanation
from webapp.core.errors import Faulty, fault
from webapp.core.names import PlainName
from webapp.queries.models import LONGEST_TEXT

LONGEST_GRAPH: Final = 2 * LONGEST_TEXT
"""Characters of JSON in a graph that is sent; it names what its text does not."""


LONGEST_COMMENT: Final = 4_000
"""Characters in the comment of a node."""


class GraphOrText(Strict):
    """A query as a graph or as a text, checked as it was sent and not by this model, so that every fault is found."""

    graph: SkipValidation[QueryGraph | None] = None
    text: str | None = None

    @property
    def given_graph(self) -> bool:
        """Whether a graph was sent, if only null."""
        return "graph" in self.model_fields_set and not (self.graph is None and self.text is not None)

    def raw(self) -> Mapping[str, Any]:
        """Return the graph as it was sent. Raises `Faulty` for one that no text could say: it takes long to check."""
        size = len(json.dumps(self.graph, separators=(",", ":"), ensure_ascii=False, default=str))
        if size > LONGEST_GRAPH:
            message = f"The graph has {counted(size, 'character')}; a query has at most {LONGEST_GRAPH:,}."
            raise Faulty([fault(FaultCode.BAD_SHAPE, message, "Divide it into several queries.", field="graph")])
        return cast(Mapping[str, Any], self.graph)

    @model_validator(mode="after")
    def _one_is_given(self) -> Self:
        if not self.given_graph and self.text is None:
            raise ValueError("send either graph or text")
        return self


class OneOfGraphAndText(GraphOrText):
    """A query as a graph or as a text, not both."""

    @model_validator(mode="after")
    def _not_both(self) -> Self:
        if self.given_graph and self.text is not None:
            raise ValueError("send either graph or text, not both")
        return self


class OwnStreams(Strict):
    """`streams` replace those of the organisation by name, for examples that stand alone."""

    streams: dict[Name, StreamDefinition] = Field(default_factory=dict)


class ValidationBody(GraphOrText, OwnStreams):
    """A query to validate; with both, `text` is the one to rewrite so that it says `graph`.

    `comments`, by node, are then written into the text; an empty one takes away what is there, others stay. `advance`,
    by input node, are settings of time that are written into the text as ADVANCE TIME, instead of what it says there.
    """

    comments: dict[Name, Annotated[str, Field(max_length=LONGEST_COMMENT)]] = Field(
        default_factory=dict, max_length=MOST_NODES
    )
    advance: dict[Name, AdvanceTimeSettings] = Field(default_factory=dict, max_length=MOST_NODES)


class CompletionBody(OwnStreams):
    """A text and the code point in it, counted from 0, at which something is typed."""

    text: str
    at: int = Field(ge=0)


class ExplanationBody(OneOfGraphAndText, OwnStreams):
    """A query to explain; `advance`, by input node, replaces what its text and its streams say."""

    advance: dict[Name, AdvanceTimeSettings] = Field(default_factory=dict)


class VersionBody(OneOfGraphAndText):
    """A new version; `parent`, if given, must still be the current version (409 otherwise)."""

    comment: PlainName = Field(default="", max_length=500)
    parent: UUID | None = None


class QueryNameBody(Strict):
    """The new name of a query; `parent`, if given, must still be the current version (409 otherwise)."""

    name: Name
    parent: UUID | None = None


class VersionShown(Strict):
    """One immutable version. `created_at` is ISO text in UTC. `text` is the stored text, else the graph printed."""

    id: str
    query: str
    number: int
    graph: QueryGraph
    text: str
    content_hash: str
    author: str | None
    comment: str
    parent: str | None
    created_at: str


class VersionList(RootModel[list[VersionShown]]):
    """The versions of a query, newest first."""


class VersionDifference(Strict):
    """What has changed from version `before` to version `after`, in words; none: both mean the same."""

    before: int
    after: int
    differences: list[DefinitionDifference]


class MergeBody(Strict):
    """A text made from `base` while somebody else made `theirs`; `choices` decide conflicts by their key."""

    base: UUID
    theirs: UUID
    text: str
    choices: Annotated[dict[str, Side], Field(max_length=1000)] = Field(default_factory=dict)


class VersionMerge(Strict):
    """The text with the changes of both; in a conflict that is not decided it has mine. Nothing is stored.

    `theirs` and `mine` are all that each changed of the version that both began with, which is `base_text`.
    """

    text: str
    base_number: int
    base_text: str
    conflicts: list[MergeConflict]
    theirs: list[DefinitionDifference]
    mine: list[DefinitionDifference]


class StreamUsed(Strict):
    """A stream that the query names; `id` is null when the organisation has none of that name."""

    name: str
    id: str | None


class QueryShown(Strict):
    """A query with its current version and the streams that it names."""

    id: str
    name: str
    created_at: str
    current: VersionShown
    streams: list[StreamUsed]


class QueryList(RootModel[list[QueryShown]]):
    """The queries of an organisation by name."""


class Validation(Strict):
    """All faults of a query, and the fields with their types that leave each node whose inputs are sound.

    `graph` and `text` are the two forms of the same query; null where the form that was sent cannot be read.
    `advance` and `event_times` are by input node: what ADVANCE TIME and EVENTTIME BY say in the text. `comments` are
    those that the text has, by node.
    """

    faults: list[Fault]
    schemas: dict[str, dict[str, str]]
    graph: QueryGraph | None
    text: str | None
    advance: dict[str, AdvanceTimeSettings]
    event_times: dict[str, EventTimeBy]
    comments: dict[str, str]


class CompletionItem(Strict):
    """One thing that may stand at the place; `insert` is what to write, `detail` its signature or type."""

    label: str
    kind: str
    detail: str
    help: str
    insert: str


class CompletionList(Strict):
    """What may stand at a place of a text; `start` and `end` are the code points to replace."""

    start: int
    end: int
    items: list[CompletionItem]


class QueryExplanation(Strict):
    """What a query will do: as data, as text for a terminal, and as a Mermaid flowchart."""

    explanation: Explanation
    text: str
    mermaid: str
