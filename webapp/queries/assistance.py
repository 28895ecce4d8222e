"""Help while a query is written: its check, completion of its text, and its explanation."""

from streaming.definition.graph import QueryGraph
from streaming.definition.versions.meaning import InputSettings
from webapp.core.errors import Faulty
from webapp.queries import jobs
from webapp.queries.bodies import (
    CompletionBody,
    CompletionList,
    ExplanationBody,
    GraphOrText,
    QueryExplanation,
    ValidationBody,
)
from webapp.queries.canvas_bodies import ExpressionBody
from webapp.queries.checking import QueryDraft, QueryExamination, TextBefore, drafted, refuses, too_long
from webapp.queries.models import QueryVersion
from webapp.queries.texts import stored_text
from webapp.streams.access import stream_definitions, streams_with_ctis


def examine(asked: ValidationBody) -> QueryExamination:
    """Return the examination of the query, including its errors."""
    streams, own_ctis = {**stream_definitions(), **asked.streams}, streams_with_ctis()
    if asked.given_graph:
        before = TextBefore(asked.text, asked.comments, asked.advance)
        return jobs.examined_graph(asked.raw(), before, streams, own_ctis)
    if asked.advance:
        return jobs.examined_settings(asked.text or "", asked.advance, streams, own_ctis)
    return jobs.examined_text(asked.text or "", streams, own_ctis)


def sound(asked: GraphOrText, before: str | None = None) -> QueryDraft:
    """Return the query as a draft; `before` is the text of the version that it replaces.

    Raises `Faulty` with all problems if any is an error.
    """
    streams = stream_definitions()
    if asked.text is None:
        raw = asked.raw()
        faults = jobs.graph_faults(raw, streams)
        if refuses(faults):
            raise Faulty(faults)
        return drafted(QueryGraph.model_validate(raw), before)
    found = jobs.examined_text(asked.text, streams)
    if found.graph is None or refuses(found.faults):
        raise Faulty(list(found.faults))
    return QueryDraft(found.graph, asked.text, settings=InputSettings(found.advance, found.event_times))


def complete(asked: CompletionBody) -> CompletionList:
    """Return the completions at a code point of a text; after its end means at its end. Raises `Faulty`."""
    if refused := too_long(asked.text):
        raise Faulty(refused)
    at = min(asked.at, len(asked.text))
    return jobs.completed(asked.text, at, {**stream_definitions(), **asked.streams})


def complete_at_node(asked: ExpressionBody) -> CompletionList:
    """Return the completions at a place of an expression at a node. Raises `Faulty` for a graph that is too long."""
    raw = GraphOrText(graph=asked.graph).raw()
    at = min(asked.at, len(asked.expression))
    streams = {**stream_definitions(), **asked.streams}
    return jobs.completed_expression(raw, asked.node, asked.expression, at, streams)


def explain(asked: ExplanationBody) -> QueryExplanation:
    """Explain a query; `advance` replaces its settings of inputs. Raises `Faulty` with all errors and spans."""
    streams = {**stream_definitions(), **asked.streams}
    if asked.text is None:
        return _unwrap(jobs.explained_graph(asked.raw(), streams, asked.advance))
    return _unwrap(jobs.explained_text(asked.text, streams, asked.advance))


def explain_version(version: QueryVersion) -> QueryExplanation:
    """Explain a stored version. Raises `Faulty` if it no longer fits its streams."""
    return _unwrap(jobs.explained_graph(version.graph, stream_definitions(), {}, stored_text(version)))


def _unwrap(outcome: jobs.ExplanationOutcome) -> QueryExplanation:
    if outcome.explained is None:
        raise Faulty(outcome.faults)
    return outcome.explained
