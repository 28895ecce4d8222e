"""The text of a version: stored, or else printed, and its settings of the inputs' time."""

from typing import Final

from streaming.definition.graph import QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.versions.meaning import InputSettings
from webapp.core.limited.jobs import TYPING, limited
from webapp.queries.models import QueryText, QueryVersion

SMALLER: Final = "Make the query smaller, or split it into several."


def stored_text(version: QueryVersion) -> str | None:
    """Return the stored text of `version`; None if it was made from a graph."""
    try:
        return version.text.text
    except QueryText.DoesNotExist:
        return None


def text_of(version: QueryVersion) -> str:
    """Return the stored text of `version`, else its printed graph."""
    stored = stored_text(version)
    return version.printed or printed(version.read_graph()) if stored is None else stored


def settings_of(version: QueryVersion) -> InputSettings:
    """Return the settings of inputs in the text of `version`; empty without a text."""
    stored = stored_text(version)
    return InputSettings() if stored is None else settings_in(stored)


@limited("The text of this query", SMALLER, TYPING)
def printed(graph: QueryGraph) -> str:
    """Return the text of a graph."""
    return print_sql(graph)


@limited("The text of this query", SMALLER, TYPING)
def settings_in(text: str) -> InputSettings:
    """Return the settings of inputs in `text`."""
    script = parse_sql(text)
    return InputSettings(script.advance, script.event_times)
