"""Checking queries, given as graphs or as texts, against the organisation's streams."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from streaming.definition.check import check
from streaming.definition.counts import counted
from streaming.definition.faults import Fault, FaultCode, Severity
from streaming.definition.graph import QueryGraph
from streaming.definition.load import load_graph
from streaming.definition.sql.check import check_sql
from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.sql.rewriting.comments import read_comments, write_comments
from streaming.definition.sql.rewriting.texts import rewrite_sql
from streaming.definition.streams import AdvanceTimeSettings, EventTimeBy, StreamDefinition
from streaming.definition.types import Fields
from streaming.definition.versions.meaning import InputSettings, QueryMeaning
from webapp.core.errors import fault
from webapp.queries.models import LONGEST_TEXT
from webapp.queries.texts import printed
from webapp.queries.written_texts import WrittenText, all_written, rewritten, with_settings

Streams = Mapping[str, StreamDefinition]


@dataclass(frozen=True)
class QueryDraft:
    """A sound query that is not stored yet; `text` is None where it was given as a graph.

    `written` is then a text that says the graph: `rewritten_from`, that of the version before, else the graph printed.
    `settings` is what either text says of inputs.
    """

    graph: QueryGraph
    text: str | None = None
    rewritten_from: str | None = None
    written: str = ""
    settings: InputSettings = field(default_factory=InputSettings)

    @property
    def meaning(self) -> QueryMeaning:
        """What it says: its graph, and the time of its inputs."""
        return self.settings.beside(self.graph)


@dataclass(frozen=True)
class QueryExamination:
    """What can be said of a query: all faults, warnings too, the type of each field that leaves each sound node.

    `graph` and `text` say the same; both are None where the one that was given has faults of form.
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
    """The text that a graph is written into, None where it is printed.

    `comments` of nodes and settings of inputs, `advance`, replace what it says of them.
    """

    text: str | None = None
    comments: Mapping[str, str] = field(default_factory=dict)
    advance: Mapping[str, AdvanceTimeSettings] = field(default_factory=dict)

    def saying(self, graph: QueryGraph) -> str:
        """Return the text that says `graph` and the comments. Comments of nodes that are gone are taken away first."""
        ids = {node.id for node in graph.nodes}
        gone = {node: "" for node in self.comments if node not in ids or not self.comments[node]}
        before = None if self.text is None else write_comments(self.text, gone)
        written = print_sql(graph) if before is None else rewrite_sql(before, graph)
        return with_settings(write_comments(written, self.comments), graph, self.advance)


def examine_graph(
    graph: Mapping[str, Any], streams: Streams, before: TextBefore, *, own_ctis: Collection[str] | None = None
) -> QueryExamination:
    """Examine a graph as it was sent; its text is that of `before` rewritten, or printed where there is none.

    `own_ctis` names the streams whose adapter enqueues CTIs itself; None where that is not known.
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
    )  # a text that is too long to be read


def examine_text(text: str, streams: Streams, *, own_ctis: Collection[str] | None = None) -> QueryExamination:
    """Examine a text; every fault has a span where there is one. `own_ctis` is as above."""
    if refused := too_long(text):
        return QueryExamination(refused, {}, None, None)
    checked = check_sql(text, streams, own_ctis=own_ctis)
    script = checked.script
    schemas = _as_text(checked.schemas)
    times = script.advance, script.event_times
    return QueryExamination(checked.faults, schemas, script.graph, text, *times, read_comments(text))


def too_long(text: str) -> list[Fault]:
    """Return the fault of a text that is longer than a query may be."""
    if len(text) <= LONGEST_TEXT:
        return []
    message = f"The text has {counted(len(text), 'character')}; a query has at most {LONGEST_TEXT:,}."
    return [fault(FaultCode.BAD_SHAPE, message, "Divide it into several queries.", field="text")]


def _as_text(schemas: Mapping[str, Fields]) -> dict[str, dict[str, str]]:
    return {node: {name: str(type_) for name, type_ in fields.items()} for node, fields in schemas.items()}


def refuses(faults: Sequence[Fault]) -> bool:
    """Whether any of `faults` is an error."""
    return any(each.severity is Severity.ERROR for each in faults)


def drafted(graph: QueryGraph, before: str | None) -> QueryDraft:
    """Return `graph`, of which nobody judges here whether it is sound, as a draft.

    Its text is `before`, that of the version that it follows, rewritten; where there is none the graph is printed.
    """
    written = WrittenText(printed(graph)) if before is None else rewritten(before, graph)
    return QueryDraft(graph, None, before, written.text, written.settings)


def all_drafted(changes: Sequence[tuple[QueryGraph, str | None]]) -> list[QueryDraft]:
    """Return what `drafted` does for each of `changes`, in one limited process."""
    if not changes:
        return []
    written = all_written(changes)
    return [
        QueryDraft(graph, None, before, each.text, each.settings)
        for (graph, before), each in zip(changes, written, strict=True)
    ]
