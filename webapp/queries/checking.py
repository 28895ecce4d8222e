"""Checks of queries, given as graphs or as texts, against the organisation's streams."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from streaming.definition.checks.check import check
from streaming.definition.counts import counted
from streaming.definition.faults import Fault, FaultCode, Severity
from streaming.definition.graph import QueryGraph
from streaming.definition.load import load_graph
from streaming.definition.payload.types import Fields
from streaming.definition.sql.check import check_sql
from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.sql.rewriting.comments import read_comments, write_comments
from streaming.definition.sql.rewriting.texts import rewrite_sql
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy, StreamDefinition
from streaming.definition.versions.meaning import InputSettings, QueryMeaning
from webapp.core.errors import fault
from webapp.queries.models import LONGEST_TEXT
from webapp.queries.texts import printed
from webapp.queries.written_texts import WrittenText, all_written, rewritten, with_settings

Streams = Mapping[str, StreamDefinition]


@dataclass(frozen=True)
class QueryDraft:
    """A valid query that is not stored yet; `text` is None if it was given as a graph.

    `written` is then a text of the graph: `rewritten_from`, the previous version's text, or else the printed graph.
    `settings` are the settings of inputs in either text.
    """

    graph: QueryGraph
    text: str | None = None
    rewritten_from: str | None = None
    written: str = ""
    settings: InputSettings = field(default_factory=InputSettings)

    @property
    def meaning(self) -> QueryMeaning:
        """Return its meaning: its graph, and the time of its inputs."""
        return self.settings.beside(self.graph)


@dataclass(frozen=True)
class QueryExamination:
    """The examination of a query: all errors and warnings, and the types of the fields that leave each valid node.

    `graph` and `text` mean the same; both are None if the given form is unreadable.
    """

    faults: Sequence[Fault]
    schemas: Mapping[str, Mapping[str, str]]
    graph: QueryGraph | None
    text: str | None
    advance: Mapping[str, AdvanceTimeSettings] = field(default_factory=dict)
    event_times: Mapping[str, EventTimeBy] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TextBefore:
    """The text that a graph is written into; None if the graph is printed.

    `comments` of nodes and settings of inputs, `advance`, replace those in the text.
    """

    text: str | None = None
    comments: Mapping[str, str] = field(default_factory=dict)
    advance: Mapping[str, AdvanceTimeSettings] = field(default_factory=dict)

    def saying(self, graph: QueryGraph) -> str:
        """Return the text of `graph` with the comments. Comments of removed nodes are removed first."""
        ids = {node.id for node in graph.nodes}
        gone = {node: "" for node in self.comments if node not in ids or not self.comments[node]}
        before = None if self.text is None else write_comments(self.text, gone)
        written = print_sql(graph) if before is None else rewrite_sql(before, graph)
        return with_settings(write_comments(written, self.comments), graph, self.advance)


def examine_graph(
    graph: Mapping[str, Any], streams: Streams, before: TextBefore, *, own_ctis: Collection[str] | None = None
) -> QueryExamination:
    """Examine a graph as sent; its text is that of `before` rewritten, or printed without one.

    `own_ctis` names the streams whose adapter enqueues CTIs itself; None if unknown.
    """
    loaded = load_graph(graph).graph
    checked = check(graph, streams)
    if loaded is None:
        return QueryExamination(checked.faults, _as_text(checked.schemas), None, None)
    written = before.saying(loaded)
    examined = examine_text(written, streams, own_ctis=own_ctis)
    if examined.graph == loaded:
        return examined
    return QueryExamination(
        checked.faults, _as_text(checked.schemas), loaded, written
    )  # the text is too long to be read


def examine_text(text: str, streams: Streams, *, own_ctis: Collection[str] | None = None) -> QueryExamination:
    """Examine a text; every error has a span if there is one. `own_ctis` as in `examine_graph`."""
    if refused := too_long(text):
        return QueryExamination(refused, {}, None, None)
    checked = check_sql(text, streams, own_ctis=own_ctis)
    script = checked.script
    schemas = _as_text(checked.schemas)
    times = script.advance, script.event_times
    return QueryExamination(checked.faults, schemas, script.graph, text, *times, read_comments(text))


def too_long(text: str) -> list[Fault]:
    """Return the error of a text that is longer than a query may be."""
    if len(text) <= LONGEST_TEXT:
        return []
    message = f"The text has {counted(len(text), 'character')}; a query has at most {LONGEST_TEXT:,}."
    return [fault(FaultCode.BAD_SHAPE, message, "Split it into several queries.", field="text")]


def _as_text(schemas: Mapping[str, Fields]) -> dict[str, dict[str, str]]:
    return {node: {name: str(type_) for name, type_ in fields.items()} for node, fields in schemas.items()}


def refuses(faults: Sequence[Fault]) -> bool:
    """Return whether any of `faults` is an error."""
    return any(each.severity is Severity.ERROR for each in faults)


def drafted(graph: QueryGraph, before: str | None) -> QueryDraft:
    """Return `graph`, without checking it, as a draft.

    Its text is `before`, the previous version's, rewritten; without one the graph is printed.
    """
    written = WrittenText(printed(graph)) if before is None else rewritten(before, graph)
    return QueryDraft(graph, None, before, written.text, written.settings)


def all_drafted(changes: Sequence[tuple[QueryGraph, str | None]]) -> list[QueryDraft]:
    """Return `drafted` for each of `changes`, in one limited process."""
    if not changes:
        return []
    written = all_written(changes)
    return [
        QueryDraft(graph, None, before, each.text, each.settings)
        for (graph, before), each in zip(changes, written, strict=True)
    ]
