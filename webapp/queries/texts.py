"""The text of a version: stored beside it, printed where none is, and what it says of the inputs' time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from streaming.definition.graph import QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.sql.rewriting.texts import rewrite_sql
from streaming.definition.streams import AdvanceTimeSettings, EventTimeBy
from webapp.core.limited.jobs import READING, TYPING, limited
from webapp.queries.models import QueryText, QueryVersion

LONGEST_TEXT: Final = 200_000
"""Characters in the text of a query."""
SMALLER: Final = "Make the query smaller, or divide it into several."


@dataclass(frozen=True)
class InputSettings:
    """What a text says of inputs, by node: ADVANCE TIME and EVENTTIME BY."""

    advance: Mapping[str, AdvanceTimeSettings] = field(default_factory=dict)
    event_times: Mapping[str, EventTimeBy] = field(default_factory=dict)


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


def settings_of(version: QueryVersion) -> InputSettings:
    """Return what the text of `version` says of its inputs; nothing where there is no text."""
    stored = stored_text(version)
    return InputSettings() if stored is None else settings_in(stored)


@limited("The text of this query", SMALLER, TYPING)
def printed(graph: QueryGraph) -> str:
    """Return the text of a graph."""
    return print_sql(graph)


@limited("The text of this query", SMALLER, TYPING)
def rewritten(text: str, graph: QueryGraph) -> str:
    """Return `text`, changed as little as possible, so that it says `graph`."""
    return rewrite_sql(text, graph)


@limited("Writing all queries that change with it", "Make them smaller, or fewer of them.", READING)
def all_written(changes: Sequence[tuple[QueryGraph, str | None]]) -> list[str]:
    """Return a text for each graph: the one beside it, rewritten, else the graph printed."""
    return [print_sql(graph) if text is None else rewrite_sql(text, graph) for graph, text in changes]


@limited("The text of this query", SMALLER, TYPING)
def settings_in(text: str) -> InputSettings:
    """Return what `text` says of its inputs."""
    script = parse_sql(text)
    return InputSettings(script.advance, script.event_times)


def named_text(text: str, graph: QueryGraph) -> str:
    """Return `text`, which says `graph` but perhaps for its name, so that it says the name too."""
    return text if parse_sql(text).graph == graph else rewrite_sql(text, graph)
