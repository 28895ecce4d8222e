"""Requests and responses of the API about queries."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Final, Self, cast
from uuid import UUID

from pydantic import Field, RootModel, SkipValidation, field_validator, model_validator

from streaming.definition.counts import counted
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.graph import MOST_NODES, QueryGraph
from streaming.definition.names import Name
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy, StreamDefinition
from streaming.definition.strict import Strict
from streaming.definition.versions.differences import DefinitionDifference
from streaming.definition.versions.merging import MergeConflict, Side
from streaming.planning.explain import Explanation
from webapp.core.errors import Faulty, fault
from webapp.core.names import PlainName
from webapp.queries.models import LONGEST_TEXT

LONGEST_GRAPH: Final = 2 * LONGEST_TEXT
"""Characters of JSON in a sent graph; it contains names that its text does not."""
MOST_TAGS: Final = 10
Tag = Annotated[PlainName, Field(pattern=r"^[^\s,](?:[^,]*[^\s,])?$", max_length=40)]
"""A tag of a query: a word or more, without commas."""
MOST_OWN_STREAMS: Final = 100
MOST_OWN_FIELDS: Final = 10_000
"""Of all streams that are sent with a query."""
LONGEST_COMMENT: Final = 4_000
"""Characters in the comment of a node."""


class GraphOrText(Strict):
    """A query as a graph or as a text, validated as sent and not by this model, so that every error is found."""

    graph: SkipValidation[QueryGraph | None] = None
    text: str | None = None

    @property
    def given_graph(self) -> bool:
        """Return whether a graph was sent, even null."""
        return "graph" in self.model_fields_set and not (self.graph is None and self.text is not None)

    def raw(self) -> Mapping[str, Any]:
        """Return the graph as sent. Raises `Faulty` if it is larger than any text, as its check would take long."""
        size = len(json.dumps(self.graph, separators=(",", ":"), ensure_ascii=False, default=str))
        if size > LONGEST_GRAPH:
            message = f"The graph has {counted(size, 'character')}; a query has at most {LONGEST_GRAPH:,}."
            raise Faulty([fault(FaultCode.BAD_SHAPE, message, "Split it into several queries.", field="graph")])
        nodes = self.graph.get("nodes") if isinstance(self.graph, dict) else None
        if isinstance(nodes, list) and len(nodes) > MOST_NODES:
            message = f"The graph has {counted(len(nodes), 'node')}; a query has at most {MOST_NODES:,}."
            raise Faulty([fault(FaultCode.BAD_SHAPE, message, "Split it into several queries.", field="graph.nodes")])
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
    """`streams` replace those of the organisation by name, for self-contained examples."""

    streams: dict[Name, StreamDefinition] = Field(default_factory=dict, max_length=MOST_OWN_STREAMS)

    @field_validator("streams", mode="after")
    @classmethod
    def _have_few_fields(cls, streams: dict[str, StreamDefinition]) -> dict[str, StreamDefinition]:
        if (count := sum(len(each.fields) for each in streams.values())) > MOST_OWN_FIELDS:
            raise ValueError(f"these streams have {counted(count, 'field')}; at most {MOST_OWN_FIELDS:,} are allowed")
        return streams


class ValidationBody(GraphOrText, OwnStreams):
    """A query to validate; if both are given, `text` is rewritten so that it matches `graph`.

    `comments`, by node, are then written into the text; an empty one removes a comment, others stay. `advance`, by
    input node, are settings of time that replace those in the text as ADVANCE TIME.
    """

    comments: dict[Name, Annotated[str, Field(max_length=LONGEST_COMMENT)]] = Field(
        default_factory=dict, max_length=MOST_NODES
    )
    advance: dict[Name, AdvanceTimeSettings] = Field(default_factory=dict, max_length=MOST_NODES)


class CompletionBody(OwnStreams):
    """A text and the code point in it, counted from 0, at the cursor."""

    text: str
    at: int = Field(ge=0)


class ExplanationBody(OneOfGraphAndText, OwnStreams):
    """A query to explain; `advance`, by input node, replaces the settings of its text and its streams."""

    advance: dict[Name, AdvanceTimeSettings] = Field(default_factory=dict)


class VersionBody(OneOfGraphAndText):
    """A new version; `parent`, if given, must still be the current version (409 otherwise)."""

    comment: PlainName = Field(default="", max_length=500)
    parent: UUID | None = None


class QueryNameBody(Strict):
    """The new name of a query; `parent`, if given, must still be the current version (409 otherwise)."""

    name: Name
    parent: UUID | None = None


class QueryLabels(Strict):
    """The tags of a query, and the address of the member who owns it; null: nobody."""

    tags: list[Tag] = Field(default_factory=list, max_length=MOST_TAGS)
    owner: PlainName | None = Field(default=None, max_length=254)


class VersionResponse(Strict):
    """One immutable version. `created_at` is ISO text in UTC. `text` is the stored text, else the printed graph."""

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


class VersionList(RootModel[list[VersionResponse]]):
    """The versions of a query, newest first."""


class VersionDifference(Strict):
    """The changes from version `before` to version `after`, in words; empty if both mean the same."""

    before: int
    after: int
    differences: list[DefinitionDifference]


class MergeBody(Strict):
    """A text made from `base` while another person made `theirs`; `choices` decide conflicts by their key."""

    base: UUID
    theirs: UUID
    text: str
    choices: Annotated[dict[str, Side], Field(max_length=1000)] = Field(default_factory=dict)


class VersionMerge(Strict):
    """The text with the changes of both; in an undecided conflict it has mine. Nothing is stored.

    `theirs` and `mine` are all changes of each side to their common version, whose text is `base_text`.
    """

    text: str
    base_number: int
    base_text: str
    conflicts: list[MergeConflict]
    theirs: list[DefinitionDifference]
    mine: list[DefinitionDifference]


class StreamUsed(Strict):
    """A stream that the query names; `id` is null if the organisation has no stream of that name."""

    name: str
    id: str | None


class QueryResponse(Strict):
    """A query with its current version and the streams that it names; `owner` is the address of a person."""

    id: str
    name: str
    tags: list[str]
    owner: str | None
    created_at: str
    current: VersionResponse
    streams: list[StreamUsed]


class VersionSummary(Strict):
    """A version as lists show it: without its graph and text. `nodes` is the number of its nodes."""

    id: str
    number: int
    nodes: int
    author: str | None
    comment: str
    created_at: str


class QuerySummary(Strict):
    """A query as lists show it, with its current version; its content is read by id."""

    id: str
    name: str
    tags: list[str]
    owner: str | None
    created_at: str
    current: VersionSummary
    streams: list[StreamUsed]


class QueryList(RootModel[list[QuerySummary]]):
    """Queries of an organisation by name."""


class Validation(Strict):
    """All problems of a query, and the fields with their types that leave each node with valid inputs.

    `graph` and `text` are the two forms of the same query; null if the sent form is unreadable. `advance` and
    `event_times` are by input node: the ADVANCE TIME and EVENTTIME BY of the text. `comments` are those of the text, by
    node.
    """

    faults: list[Fault]
    schemas: dict[str, dict[str, str]]
    graph: QueryGraph | None
    text: str | None
    advance: dict[str, AdvanceTimeSettings]
    event_times: dict[str, EventTimeBy]
    comments: dict[str, str]


class CompletionItem(Strict):
    """One completion; `insert` is the text to write, `detail` its signature or type."""

    label: str
    kind: str
    detail: str
    help: str
    insert: str


class CompletionList(Strict):
    """The completions at a place of a text; `start` and `end` are the code points to replace."""

    start: int
    end: int
    items: list[CompletionItem]


class QueryExplanation(Strict):
    """An explanation of a query: as data, as text for a terminal, and as a Mermaid flowchart."""

    explanation: Explanation
    text: str
    mermaid: str
