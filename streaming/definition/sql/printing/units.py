"""What a text is made of: units, each of which makes nodes of the graph, and how each of them is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from streaming.definition.graph import InputNode, Node, OutputNode, QueryGraph
from streaming.definition.sql.grammar.clauses import TIMESTAMP
from streaming.definition.sql.printing.arguments import said
from streaming.definition.sql.printing.bodies import Body
from streaming.definition.sql.printing.layout import ClauseLines
from streaming.definition.sql.printing.selects import SourceNames, clauses
from streaming.definition.sql.printing.words import name
from streaming.definition.streams import EventTimeBy


@dataclass(frozen=True)
class KeptNodes:
    """The nodes `[first, last]` of a graph, which stand in a text already; `mark` tells the caller where."""

    first: int
    last: int
    mark: int


@dataclass(frozen=True)
class TextUnit:
    """What is written as one: a step that gives the last of `nodes`, or the INSERT whose output it is.

    `nodes` are all that it makes. Neither an input as a step nor what is `kept` has a body.
    """

    nodes: tuple[Node, ...]
    body: Body | None = None
    kept: KeptNodes | None = None

    @property
    def node(self) -> Node:
        """The one that has the name."""
        return self.nodes[-1]


@dataclass(frozen=True)
class TextPlan:
    """Units in order; the ids of the `implicit` inputs, which their first mention makes; all other ids."""

    units: tuple[TextUnit, ...]
    implicit: frozenset[str]
    named: frozenset[str]


def one_below_the_other(statements: Sequence[str]) -> str:
    """Statements with an empty line between them where one has several lines."""
    return ("\n\n" if any("\n" in each for each in statements) else "\n").join(statements)


def inputs(graph: QueryGraph) -> set[str]:
    """The ids of the input nodes."""
    return {node.id for node in graph.nodes if isinstance(node, InputNode)}


def default_name(graph: QueryGraph) -> str:
    """The name that a graph has where its text says none."""
    return next((node.id for node in graph.nodes if isinstance(node, OutputNode)), "query")


def print_query(graph: QueryGraph) -> str:
    """The statement that gives the graph its name."""
    return f"QUERY {name(graph.name)};"


def sources_of(graph: QueryGraph, planned: TextPlan, event_times: Mapping[str, EventTimeBy]) -> SourceNames:
    """How the units of `planned` refer to nodes."""
    implicit = {each.id: each for each in graph.nodes if isinstance(each, InputNode) and each.id in planned.implicit}
    return SourceNames(implicit, planned.named, event_times)


def unit_clauses(unit: TextUnit, sources: SourceNames) -> list[ClauseLines]:
    """The clauses of an INSERT, or those between the parentheses of a step; units are asked for in their order."""
    if isinstance(unit.node, InputNode):
        return [ClauseLines(sources.stream(unit.node))]
    assert unit.body is not None  # nosec B101 # tells the type checker what is so; nothing depends on it
    insert = [_insert(unit.node)] if isinstance(unit.node, OutputNode) else []
    return [*insert, *clauses(unit.body, sources)]


def _insert(output: OutputNode) -> ClauseLines:
    return ClauseLines(" ".join((f"INSERT INTO {name(output.id)}", *said(output, [TIMESTAMP]))))
