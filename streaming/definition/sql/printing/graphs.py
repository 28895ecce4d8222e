"""A graph into text: what people write by hand is printed as people write it, and every graph comes back as it was."""

from collections.abc import Mapping, Sequence

from streaming.definition.graph import InputNode, OutputNode, QueryGraph
from streaming.definition.sql.grammar.clauses import TIMESTAMP
from streaming.definition.sql.printing.arguments import said
from streaming.definition.sql.printing.layout import ClauseLines, statement
from streaming.definition.sql.printing.plan import TextPlan, TextUnit, plan
from streaming.definition.sql.printing.selects import SourceNames, clauses
from streaming.definition.sql.printing.settings import advance_time
from streaming.definition.sql.printing.words import name
from streaming.definition.streams import AdvanceTimeSettings, EventTimeBy


def print_sql(
    graph: QueryGraph,
    *,
    advance: Mapping[str, AdvanceTimeSettings] | None = None,
    event_times: Mapping[str, EventTimeBy] | None = None,
) -> str:
    """The text of `graph`, sound or not, with the settings of inputs by the ids of their nodes.

    `parse_sql` reads the same graph and settings from it. Settings of ids that are no inputs are left out.
    """
    planned = plan(graph)
    sources = sources_of(graph, planned, event_times or {})
    statements = [_statement(units, sources) for units in _grouped(planned.units)]
    settings = [advance_time(each, of) for each, of in (advance or {}).items() if each in inputs(graph)]
    named = [] if graph.name == default_name(graph) else [print_query(graph)]
    parts = [*named, *([one_below_the_other(settings)] if settings else []), *statements]
    return "\n\n".join(parts) + "\n"


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


def _grouped(units: Sequence[TextUnit]) -> list[Sequence[TextUnit]]:
    groups: list[Sequence[TextUnit]] = []
    begin = 0
    for end, unit in enumerate(units, start=1):
        if isinstance(unit.node, OutputNode) or end == len(units):
            groups.append(units[begin:end])
            begin = end
    return groups


def _statement(units: Sequence[TextUnit], sources: SourceNames) -> str:
    steps: list[tuple[str, list[ClauseLines]]] = []
    insert: list[ClauseLines] = []
    for unit in units:
        if isinstance(unit.node, OutputNode):
            insert = unit_clauses(unit, sources)
        else:
            steps.append((name(unit.node.id), unit_clauses(unit, sources)))
    return statement(steps, insert)
