"""Units of a text, which create the nodes of the graph, and their clauses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from streaming.definition.graph import InputNode, Node, OutputNode, QueryGraph
from streaming.definition.own_functions.functions import DEFAULT_FUEL, MacroFunction, QueryFunction
from streaming.definition.sql.grammar.clauses import TIMESTAMP
from streaming.definition.sql.printing.arguments import print_arguments
from streaming.definition.sql.printing.bodies import Body
from streaming.definition.sql.printing.expressions import ExpressionPlace, expression
from streaming.definition.sql.printing.layout import ClauseLines
from streaming.definition.sql.printing.selects import SourceNames, clauses
from streaming.definition.sql.printing.words import name, quoted
from streaming.definition.streams.stream import EventTimeBy


@dataclass(frozen=True)
class KeptNodes:
    """The nodes `[first, last]` of a graph that are already in a text; the caller uses `mark` to find their place."""

    first: int
    last: int
    mark: int


@dataclass(frozen=True)
class TextUnit:
    """One part of a text: a step named like the last of `nodes`, or the INSERT for that output.

    `nodes` are all nodes that it creates. An input as a step has no body, and neither has a `kept` unit.
    """

    nodes: tuple[Node, ...]
    body: Body | None = None
    kept: KeptNodes | None = None

    @property
    def node(self) -> Node:
        """Return the node that has the name."""
        return self.nodes[-1]


@dataclass(frozen=True)
class TextPlan:
    """Units in order; `implicit` are the ids of inputs that their first mention creates, `named` all other ids."""

    units: tuple[TextUnit, ...]
    implicit: frozenset[str]
    named: frozenset[str]


def join_statements(statements: Sequence[str]) -> str:
    """Join statements by lines, with an empty line between them if one has several lines."""
    return ("\n\n" if any("\n" in each for each in statements) else "\n").join(statements)


def inputs(graph: QueryGraph) -> set[str]:
    """Return the ids of the input nodes."""
    return {node.id for node in graph.nodes if isinstance(node, InputNode)}


def default_name(graph: QueryGraph) -> str:
    """Return the name of a graph whose text sets none."""
    return next((node.id for node in graph.nodes if isinstance(node, OutputNode)), "query")


def print_query(graph: QueryGraph) -> str:
    """Return the statement that names the graph."""
    return f"QUERY {name(graph.name)};"


def print_functions(graph: QueryGraph) -> str:
    """Return the statements of the functions of the graph."""
    return "\n".join(
        f"FUNCTION {name(each.name)}({', '.join(f'{name(of.name)} {of.type}' for of in each.arguments)}) "
        f"RETURNS {each.returns} {_print_source(each)};"
        for each in graph.functions
    )


def _print_source(function: QueryFunction) -> str:
    if isinstance(function, MacroFunction):
        return f"AS {expression(function.body, ExpressionPlace.CLAUSE)}"
    fuel = "" if function.fuel == DEFAULT_FUEL else f" FUEL {function.fuel}"
    nulls = " CALLED ON NULL INPUT" if function.null_arguments else ""
    return f"MODULE {quoted(function.module)} EXPORT {quoted(function.export)}{fuel}{nulls}"


def sources_of(graph: QueryGraph, planned: TextPlan, event_times: Mapping[str, EventTimeBy]) -> SourceNames:
    """Return the references to nodes for the units of `planned`."""
    implicit = {each.id: each for each in graph.nodes if isinstance(each, InputNode) and each.id in planned.implicit}
    return SourceNames(implicit, planned.named, event_times)


def unit_clauses(unit: TextUnit, sources: SourceNames) -> list[ClauseLines]:
    """Return the clauses of an INSERT, or of the parentheses of a step; call this for all units in order."""
    if isinstance(unit.node, InputNode):
        return [ClauseLines(sources.stream(unit.node))]
    assert unit.body is not None  # nosec B101 # for the type checker only
    insert = [_insert(unit.node)] if isinstance(unit.node, OutputNode) else []
    return [*insert, *clauses(unit.body, sources)]


def _insert(output: OutputNode) -> ClauseLines:
    return ClauseLines(" ".join((f"INSERT INTO {name(output.id)}", *print_arguments(output, [TIMESTAMP]))))
