"""The text of a version: stored beside it, printed where none is, and what it says of the inputs' time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from streaming.definition.graph import QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.sql.rewriting.texts import rewrite_sql
from streaming.definition.streams import AdvanceTimeSettings, EventTimeBy
from streaming.definition.versions.meaning import QueryMeaning
from webapp.core.limited.jobs import READING, TYPING, limited
from webapp.queries.models import QueryText, QueryVersion

SMALLER: Final = "Make the query smaller, or divide it into several."


@dataclass(frozen=True)
class InputSettings:
    """What a text says of inputs, by node: ADVANCE TIME and EVENTTIME BY."""

    advance: Mapping[str, AdvanceTimeSettings] = field(default_factory=dict)
    event_times: Mapping[str, EventTimeBy] = field(default_factory=dict)

    def beside(self, graph: QueryGraph) -> QueryMeaning:
        """Return what a text means that says `graph` and these settings."""
        return QueryMeaning(graph=graph, advance=dict(self.advance), event_times=dict(self.event_times))


@dataclass(frozen=True)
class WrittenText:
    """A text that says a graph, and what it says of inputs."""

    text: str
    settings: InputSettings = field(default_factory=InputSettings)


def stored_text(version: QueryVersion) -> str | None:
    """Return the text that is stored beside `version`; None where it was made from a graph."""
    try:
        return version.text.text
    except QueryText.DoesNotExist:
        return None


def text_of(version: QueryVersion) -> str:
    """Return the stored text of `version`, else its graph printed."""
    stored = stored_text(version)
    return version.printed or printed(version.read_graph()) if stored is None else stored


def meaning_of(version: QueryVersion) -> QueryMeaning:
    """Return what `version` means: its graph, with what its text says of its inputs."""
    return settings_of(version).beside(version.read_graph())


def settings_of(version: QueryVersion) -> InputSettings:
    """Return what the text of `version` says of its inputs; nothing where there is no text."""
    stored = stored_text(version)
    return InputSettings() if stored is None else settings_in(stored)


@limited("The text of this query", SMALLER, TYPING)
def printed(graph: QueryGraph) -> str:
    """Return the text of a graph."""
    return print_sql(graph)


@limited("The text of this query", SMALLER, TYPING)
def rewritten(text: str, graph: QueryGraph) -> WrittenText:
    """Return `text`, changed as little as possible, so that it says `graph`."""
    return _written(graph, text)


@limited("Writing all queries that change with it", "Make them smaller, or fewer of them.", READING)
def all_written(changes: Sequence[tuple[QueryGraph, str | None]]) -> list[WrittenText]:
    """Return a text for each graph: the one beside it, rewritten, else the graph printed."""
    return [WrittenText(print_sql(graph)) if text is None else _written(graph, text) for graph, text in changes]


def _written(graph: QueryGraph, before: str) -> WrittenText:
    text = rewrite_sql(before, graph)
    return WrittenText(text, settings_in(text))


@limited("The text of this query", SMALLER, TYPING)
def settings_in(text: str) -> InputSettings:
    """Return what `text` says of its inputs."""
    script = parse_sql(text)
    return InputSettings(script.advance, script.event_times)


def with_settings(text: str, graph: QueryGraph, advance: Mapping[str, AdvanceTimeSettings]) -> str:
    """Return `text`, which says `graph`, so that its inputs have the settings `advance`; others stay as they are.

    Settings that say nothing take the statement of their input away.
    """
    if not advance:
        return text
    said = {**parse_sql(text).advance, **advance}
    return rewrite_sql(
        text, graph, advance={node: each for node, each in said.items() if each != AdvanceTimeSettings()}
    )


def named_text(text: str, graph: QueryGraph) -> str:
    """Return `text`, which says `graph` but perhaps for its name, so that it says the name too."""
    return text if parse_sql(text).graph == graph else rewrite_sql(text, graph)
