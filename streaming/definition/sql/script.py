"""The content of a text: its graph and settings, its faults, and the place of every part."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from streaming.definition.faults import Fault, Span
from streaming.definition.graph import QueryGraph
from streaming.definition.sql.places import TextPlaces
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy

__all__ = ["Script", "Span", "Statement", "StatementKind"]

StatementKind = Literal["query", "function", "steps", "insert", "advance"]


@dataclass(frozen=True)
class Statement:
    """One statement: `span` from its first word to its `;`, `commented` the same with the comments before it.

    `nodes` are the ids of the nodes that it creates, in order, including inputs that it mentions first; `steps` holds
    the span and the ids of each step of a WITH. `input` is the id of the input of an ADVANCE TIME.
    """

    kind: StatementKind
    span: Span
    commented: Span
    nodes: tuple[str, ...] = ()
    steps: tuple[tuple[Span, tuple[str, ...]], ...] = ()
    input: str | None = None


@dataclass(frozen=True)
class NamedField:
    """A field of a node, and its place; `source` is the qualifier before it, or empty."""

    node: str
    source: str
    name: str
    span: Span


@dataclass(frozen=True)
class Script:
    """The result of reading a text.

    `raw` is the decoded JSON of the readable part of the graph, in the form that `check` takes; `graph`
    is None if the text has syntax errors. `advance` and `event_times` are by the id of the input node. `faults`
    are those of the text alone; each has a span. `qualified` are the qualified fields, which a graph does not store.
    """

    text: str
    raw: Mapping[str, object]
    graph: QueryGraph | None
    advance: Mapping[str, AdvanceTimeSettings]
    event_times: Mapping[str, EventTimeBy]
    faults: tuple[Fault, ...]
    places: TextPlaces
    statements: tuple[Statement, ...]
    qualified: tuple[NamedField, ...] = ()
