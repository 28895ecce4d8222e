"""ADVANCE TIME and EVENTTIME BY: the settings of a text outside the graph."""

from collections.abc import Set

from streaming.definition.sql.grammar.clauses import PATTERN, UNIT, ZONE
from streaming.definition.sql.grammar.settings import LINES
from streaming.definition.sql.printing.arguments import print_arguments
from streaming.definition.sql.printing.layout import INDENT, fits
from streaming.definition.sql.printing.words import name, path, quoted
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy


def event_time(by: EventTimeBy | None, qualifiers: Set[str]) -> str:
    """Return ` EVENTTIME BY ...` with a leading space; empty for None. Quotes a path that starts with a qualifier."""
    if by is None:
        return ""
    first, _, rest = by.path.partition(".")
    written = quoted(by.path) if rest and first in qualifiers else path(by.path)
    return " ".join((" EVENTTIME BY", written, *print_arguments(by, (UNIT if by.pattern is None else PATTERN, ZONE))))


def advance_time(node: str, settings: AdvanceTimeSettings) -> str:
    """Return the ADVANCE TIME statement of the input `node`."""
    lines = [f"ADVANCE TIME {name(node)}", *filter(None, (" ".join(print_arguments(settings, line)) for line in LINES))]
    whole = " ".join(lines) + ";"
    return whole if fits(whole) else f"\n{INDENT}".join([" ".join(lines[:2]), *lines[2:]]) + ";"
