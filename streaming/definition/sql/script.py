"""What a text says: the graph, the settings beside it, its faults, and where everything stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from streaming.definition.faults import Fault, Span
from streaming.definition.graph import QueryGraph
from streaming.definition.sql.places import TextPlaces
from streaming.definition.streams import AdvanceTimeSettings, EventTimeBy

__all__ = ["Script", "Span", "Statement", "StatementKind"]

StatementKind = Literal["query", "steps", "insert", "advance"]


@dataclass(frozen=True)
class Statement:
    """One statement: `span` from its first word to its `;`, `commented` the same with the comments before it.

    `nodes` are the ids of the nodes that it makes, in order, inputs that it mentions first included; `steps` holds
    for each step of a WITH its span and its ids. `input` is the id of the input that an ADVANCE TIME is about.
    """

    kind: StatementKind
    span: Span
    commented: Span
    nodes: tuple[str, ...] = ()
    steps: tuple[tuple[Span, tuple[str, ...]], ...] = ()
    input: str | None = None


@dataclass(frozen=True)
class NamedField:
    """A field of a node, and where it stands; `source` is the name before it, empty where the text has none."""

    node: str
    source: str
    name: str
    span: Span


@dataclass(frozen=True)
class Script:
    """A text that was read.

    `raw` is the decoded JSON of the graph as far as the text could be read, in the form that `check` takes; `graph`
    is None where the text has faults of form. `advance` and `event_times` are by the id of the input node. `faults`
    are those of the text alone; each has a span. `qualified` is what the graph does not hold: whose field a text means.
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
