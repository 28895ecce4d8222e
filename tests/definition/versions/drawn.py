"""Drawn meanings of queries, and slightly different ones."""

from typing import Any

from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.versions.meaning import QueryMeaning
from tests.definition.sql.drawn.graphs import FIELDS, loose_graphs, raw_nodes, references
from tests.definition.sql.drawn.settings import EVENT_TIMES, SETTINGS, settings_of
from tests.definition.sql.drawn.values import NAMES


@st.composite
def meanings(draw: st.DrawFn, graphs: st.SearchStrategy[QueryGraph]) -> QueryMeaning:
    """Draw a graph with settings of some of its inputs."""
    graph = draw(graphs)
    return QueryMeaning(
        graph=graph, advance=draw(settings_of(graph, SETTINGS)), event_times=draw(settings_of(graph, EVENT_TIMES))
    )


def _each_once(graph: QueryGraph) -> bool:
    return len({node.id for node in graph.nodes}) == len(graph.nodes)


MEANINGS = meanings(loose_graphs())
UNIQUE = meanings(loose_graphs().filter(_each_once))


@st.composite
def changed(draw: st.DrawFn, before: QueryMeaning) -> QueryMeaning:
    """Draw `before` with a few changes: nodes replaced, edited, added, removed, moved; settings, the name."""
    raw = before.graph.model_dump(mode="json", exclude_unset=True)
    nodes: list[dict[str, Any]] = raw["nodes"]
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(nodes) - 1))
        match draw(st.sampled_from(["again", "field", "add", "remove", "move"])):
            case "again":
                nodes[place] = draw(_node(nodes[place]["id"], nodes))
            case "field":
                nodes[place] = draw(_other_field(nodes[place], nodes))
            case "add":
                fresh = NAMES.filter(lambda name: all(name != node["id"] for node in nodes))
                nodes.insert(place, draw(_node(draw(fresh), nodes)))
            case "remove" if len(nodes) > 1:
                del nodes[place]
            case _:
                nodes.insert(0, nodes.pop(place))
    name = draw(st.sampled_from([before.graph.name, before.graph.name, "other"]))
    graph = QueryGraph.model_validate({**raw, "name": name})
    inputs = {node.id for node in graph.nodes if node.kind == "input"}
    advance = {key: of for key, of in before.advance.items() if key in inputs}
    times = {key: of for key, of in before.event_times.items() if key in inputs}
    if draw(st.booleans()):
        advance |= draw(settings_of(graph, SETTINGS))
    if draw(st.booleans()):
        times |= draw(settings_of(graph, EVENT_TIMES))
    return QueryMeaning(graph=graph, advance=advance, event_times=times)


@st.composite
def _node(draw: st.DrawFn, node: str, nodes: list[dict[str, Any]]) -> dict[str, Any]:
    known = [each["id"] for each in nodes]
    drawn: dict[str, Any] = draw(raw_nodes(draw(st.sampled_from(sorted(FIELDS))), node, references(known)))
    return drawn


@st.composite
def _other_field(draw: st.DrawFn, node: dict[str, Any], nodes: list[dict[str, Any]]) -> dict[str, Any]:
    """Draw `node` with one field of another node of its kind."""
    other = draw(raw_nodes(node["kind"], node["id"], references([each["id"] for each in nodes])))
    field = draw(st.sampled_from(sorted(other)))
    return {**node, field: other[field]}
