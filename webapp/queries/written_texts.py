"""Texts written for a graph: the previous one changed as little as possible, else the printed graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from streaming.definition.graph import QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.sql.rewriting.texts import rewrite_sql
from streaming.definition.streams.stream import AdvanceTimeSettings
from streaming.definition.versions.meaning import InputSettings
from webapp.core.limited.jobs import READING, TYPING, limited
from webapp.queries.texts import SMALLER, settings_in


@dataclass(frozen=True)
class WrittenText:
    """A text of a graph, and its settings of inputs."""

    text: str
    settings: InputSettings = field(default_factory=InputSettings)


@limited("The text of this query", SMALLER, TYPING)
def rewritten(text: str, graph: QueryGraph) -> WrittenText:
    """Return `text`, changed as little as possible so that it means `graph`."""
    return _written(graph, text)


@limited("Writing all queries that change with it", "Make them smaller, or fewer of them.", READING)
def all_written(changes: Sequence[tuple[QueryGraph, str | None]]) -> list[WrittenText]:
    """Return a text for each graph: its previous text rewritten, else the printed graph."""
    return [WrittenText(print_sql(graph)) if text is None else _written(graph, text) for graph, text in changes]


def _written(graph: QueryGraph, before: str) -> WrittenText:
    text = rewrite_sql(before, graph)
    return WrittenText(text, settings_in(text))


def with_settings(text: str, graph: QueryGraph, advance: Mapping[str, AdvanceTimeSettings]) -> str:
    """Return `text`, which means `graph`, with the settings `advance` for its inputs; others stay.

    Empty settings remove the statement of their input.
    """
    if not advance:
        return text
    settings = {**parse_sql(text).advance, **advance}
    return rewrite_sql(
        text, graph, advance={node: each for node, each in settings.items() if each != AdvanceTimeSettings()}
    )


def named_text(text: str, graph: QueryGraph) -> str:
    """Return `text`, which means `graph` except perhaps for its name, with the right name."""
    return text if parse_sql(text).graph == graph else rewrite_sql(text, graph)
