"""What helps while a query is written: completion of its text, and what it will do."""

from collections.abc import Mapping
from typing import Any

from streaming.definition import explain as explaining
from streaming.definition.graph import QueryGraph
from streaming.definition.sql import complete_sql
from streaming.definition.streams import AdvanceTimeSettings
from webapp.core.errors import Faulty
from webapp.queries.bodies import CompletionItem, CompletionList, Explained
from webapp.queries.checking import Streams, examine_text, refuses, sound_graph, too_long
from webapp.queries.models import QueryVersion
from webapp.queries.texts import settings_of
from webapp.streams.access import stream_definitions

Advance = Mapping[str, AdvanceTimeSettings]


def complete(text: str, at: int) -> CompletionList:
    """Return what may stand at code point `at` of `text`; beyond its end means at its end. Raises `Faulty`."""
    if refused := too_long(text):
        raise Faulty(refused)
    found = complete_sql(text, min(at, len(text)), stream_definitions())
    items = [
        CompletionItem(label=each.label, kind=each.kind, detail=each.detail, help=each.help, insert=each.insert)
        for each in found.items
    ]
    return CompletionList(start=found.start, end=found.end, items=items)


def explain_graph(graph: Mapping[str, Any], advance: Advance) -> Explained:
    """Explain a graph as it was sent. Raises `Faulty` with all faults of one that is not sound."""
    streams = stream_definitions()
    return _explained(sound_graph(graph, streams).graph, streams, advance)


def explain_text(text: str, advance: Advance) -> Explained:
    """Explain a text; `advance` replaces what it says of inputs. Raises `Faulty` with all faults and their spans."""
    streams = stream_definitions()
    found = examine_text(text, streams)
    if found.graph is None or refuses(found.faults):
        raise Faulty(list(found.faults))
    return _explained(found.graph, streams, {**found.advance, **advance})


def explain_version(version: QueryVersion) -> Explained:
    """Explain a stored version. Raises `Faulty` when it no longer fits its streams."""
    streams = stream_definitions()
    graph = sound_graph(version.graph, streams).graph
    return _explained(graph, streams, settings_of(version).advance)


def _explained(graph: QueryGraph, streams: Streams, advance: Advance) -> Explained:
    try:
        explanation = explaining.explain(graph, streams, advance)
    except explaining.Unsound as unsound:
        raise Faulty(list(unsound.faults)) from None
    return Explained(
        explanation=explanation,
        text=explaining.explain_text(explanation),
        mermaid=explaining.explain_mermaid(explanation),
    )
