"""Printing of a graph in the style in which people write; reading the text restores every graph exactly."""

from collections.abc import Mapping, Sequence

from streaming.definition.graph import OutputNode, QueryGraph
from streaming.definition.sql.printing.layout import ClauseLines, statement
from streaming.definition.sql.printing.plan import plan
from streaming.definition.sql.printing.selects import SourceNames
from streaming.definition.sql.printing.settings import advance_time
from streaming.definition.sql.printing.units import (
    TextUnit,
    default_name,
    inputs,
    join_statements,
    print_functions,
    print_query,
    sources_of,
    unit_clauses,
)
from streaming.definition.sql.printing.words import name
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy


def print_sql(
    graph: QueryGraph,
    *,
    advance: Mapping[str, AdvanceTimeSettings] | None = None,
    event_times: Mapping[str, EventTimeBy] | None = None,
) -> str:
    """Return the text of `graph`, valid or not, with the settings of inputs by the ids of their nodes.

    `parse_sql` reads the same graph and settings from it. Settings of ids that aren't inputs are left out.
    """
    planned = plan(graph)
    sources = sources_of(graph, planned, event_times or {})
    statements = [_statement(units, sources) for units in _grouped(planned.units)]
    settings = [advance_time(each, of) for each, of in (advance or {}).items() if each in inputs(graph)]
    named = [] if graph.name == default_name(graph) else [print_query(graph)]
    functions = [print_functions(graph)] if graph.functions else []
    parts = [*named, *functions, *([join_statements(settings)] if settings else []), *statements]
    return "\n\n".join(parts) + "\n"


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
