"""Work on queries as jobs of limited processes, because texts and graphs come from strangers."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from streaming.definition.checks.check import check
from streaming.definition.faults import Fault
from streaming.definition.graph import QueryGraph
from streaming.definition.sql.completion.at_node import complete_expression
from streaming.definition.sql.completion.complete import Completions, complete_sql
from streaming.definition.streams.stream import AdvanceTimeSettings
from streaming.planning import explain as explaining
from webapp.core.limited.jobs import TYPING, limited
from webapp.queries.bodies import CompletionItem, CompletionList, QueryExplanation
from webapp.queries.checking import QueryExamination, Streams, TextBefore, examine_graph, examine_text, refuses
from webapp.queries.texts import SMALLER, settings_in
from webapp.queries.written_texts import with_settings


@dataclass(frozen=True)
class ExplanationOutcome:
    """The explanation of a query; None with the errors that prevent it."""

    explained: QueryExplanation | None = None
    faults: list[Fault] = field(default_factory=list)


@limited("The check of this query", SMALLER, TYPING)
def examined_graph(
    graph: Mapping[str, Any], before: TextBefore, streams: Streams, own_ctis: Collection[str] | None
) -> QueryExamination:
    """Return the examination of a graph as sent; `before` is the text to rewrite so that it matches the graph."""
    return examine_graph(graph, streams, before, own_ctis=own_ctis)


@limited("The check of this query", SMALLER, TYPING)
def examined_text(text: str, streams: Streams, own_ctis: Collection[str] | None = None) -> QueryExamination:
    """Return the examination of a text."""
    return examine_text(text, streams, own_ctis=own_ctis)


@limited("The check of this query", SMALLER, TYPING)
def examined_settings(
    text: str, advance: Mapping[str, AdvanceTimeSettings], streams: Streams, own_ctis: Collection[str] | None
) -> QueryExamination:
    """Return the examination of a text with the settings `advance` for its inputs; of one with errors, unchanged."""
    found = examine_text(text, streams, own_ctis=own_ctis)
    if found.graph is None:
        return found
    return examine_text(with_settings(text, found.graph, advance), streams, own_ctis=own_ctis)


@limited("The check of this query", SMALLER, TYPING)
def graph_faults(graph: Mapping[str, Any], streams: Streams) -> list[Fault]:
    """Return the problems of a graph."""
    return list(check(graph, streams).faults)


@limited("The completion of this text", SMALLER, TYPING)
def completed(text: str, at: int, streams: Streams) -> CompletionList:
    """Return the completions at code point `at` of `text`."""
    return _listed(complete_sql(text, at, streams))


@limited("The completion of this expression", SMALLER, TYPING)
def completed_expression(
    graph: Mapping[str, Any], node: str, expression: str, at: int, streams: Streams
) -> CompletionList:
    """Return the completions at code point `at` of an expression at `node`, a node of `graph`."""
    return _listed(complete_expression(graph, node, expression, at, streams))


def _listed(found: Completions) -> CompletionList:
    items = [
        CompletionItem(label=each.label, kind=each.kind, detail=each.detail, help=each.help, insert=each.insert)
        for each in found.items
    ]
    return CompletionList(start=found.start, end=found.end, items=items)


@limited("The explanation of this query", SMALLER, TYPING)
def explained_graph(
    graph: Mapping[str, Any], streams: Streams, advance: Mapping[str, AdvanceTimeSettings], says: str | None = None
) -> ExplanationOutcome:
    """Explain a graph; `says` is its text, which may have more settings of time for its inputs."""
    faults = list(check(graph, streams).faults)
    if refuses(faults):
        return ExplanationOutcome(None, faults)
    own = settings_in(says).advance if says is not None else {}
    return _explained(QueryGraph.model_validate(graph), streams, {**own, **advance})


@limited("The explanation of this query", SMALLER, TYPING)
def explained_text(text: str, streams: Streams, advance: Mapping[str, AdvanceTimeSettings]) -> ExplanationOutcome:
    """Explain a text; `advance` replaces its settings of inputs."""
    found = examine_text(text, streams)
    if found.graph is None or refuses(found.faults):
        return ExplanationOutcome(None, list(found.faults))
    return _explained(found.graph, streams, {**found.advance, **advance})


def _explained(graph: QueryGraph, streams: Streams, advance: Mapping[str, AdvanceTimeSettings]) -> ExplanationOutcome:
    try:
        explanation = explaining.explain(graph, streams, advance)
    except explaining.InvalidDefinition as unsound:
        return ExplanationOutcome(None, list(unsound.faults))
    explained = QueryExplanation(
        explanation=explanation,
        text=explaining.explain_text(explanation),
        mermaid=explaining.explain_mermaid(explanation),
    )
    return ExplanationOutcome(explained)
