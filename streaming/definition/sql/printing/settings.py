"""ADVANCE TIME and EVENTTIME BY: what a text says beside the graph."""

from collections.abc import Set

from streaming.definition.sql.grammar.clauses import UNIT, ZONE
from streaming.definition.sql.grammar.settings import LINES
from streaming.definition.sql.printing.arguments import said
from streaming.definition.sql.printing.layout import INDENT, fits
from streaming.definition.sql.printing.words import name, path, quoted
from streaming.definition.streams import AdvanceTimeSettings, EventTimeBy


def event_time(by: EventTimeBy | None, qualifiers: Set[str]) -> str:
    """` EVENTTIME BY ...`, with the space before it; empty for None. A path that begins with a qualifier is quoted."""
    if by is None:
        return ""
    first, _, rest = by.path.partition(".")
    written = quoted(by.path) if rest and first in qualifiers else path(by.path)
    return " ".join((" EVENTTIME BY", written, *said(by, (UNIT, ZONE))))


def advance_time(node: str, settings: AdvanceTimeSettings) -> str:
    """The ADVANCE TIME statement of the input `node`."""
    lines = [f"ADVANCE TIME {name(node)}", *filter(None, (" ".join(said(settings, line)) for line in LINES))]
    whole = " ".join(lines) + ";"
    return whole if fits(whole) else f"\n{INDENT}".join([" ".join(lines[:2]), *lines[2:]]) + ";"
