"""ADVANCE TIME and EVENTTIME BY: what a text says beside the graph."""

from collections.abc import Iterator, Set

from streaming.definition.sql.printing.expressions import Where, expression
from streaming.definition.sql.printing.layout import INDENT, fits
from streaming.definition.sql.printing.words import duration, name, path, preset, quoted
from streaming.definition.streams import AdvanceTimeSettings, EventTimeBy, GenerateSettings
from streaming.temporal.settings import Basis, Future, LateEnd


def event_time(by: EventTimeBy | None, qualifiers: Set[str]) -> str:
    """` EVENTTIME BY ...`, with the space before it; empty for None. A path that begins with a qualifier is quoted."""
    if by is None:
        return ""
    unit = "" if by.unit == "iso" else f" UNIT {by.unit}"
    zone = "" if by.zone == "UTC" else f" ZONE {quoted(by.zone)}"
    first, _, rest = by.path.partition(".")
    written = quoted(by.path) if rest and first in qualifiers else path(by.path)
    return f" EVENTTIME BY {written}{unit}{zone}"


def advance_time(node: str, settings: AdvanceTimeSettings) -> str:
    """The ADVANCE TIME statement of the input `node`."""
    generate = settings.generate
    lines = [
        f"PRESET {preset(settings.preset)}" if settings.preset is not None else "",
        " ".join(_generate(generate)) if generate is not None else "",
        f"IMPORT FROM {name(settings.import_from)}" if settings.import_from is not None else "",
        " ".join(_late(settings)),
        f"OVER {expression(settings.over, Where.SETTING)}" if settings.over is not None else "",
        " ".join(_idle(settings)),
        " ".join(_ahead(settings)),
    ]
    said = [f"ADVANCE TIME {name(node)}", *filter(None, lines)]
    whole = " ".join(said) + ";"
    return whole if fits(whole) else f"\n{INDENT}".join([" ".join(said[:2]), *said[2:]]) + ";"


def _generate(settings: GenerateSettings) -> Iterator[str]:
    yield f"EVERY {duration(settings.every)}"
    if settings.delay != 0 or not isinstance(settings.delay, int):
        yield f"DELAY {duration(settings.delay)}"
    if settings.basis is not Basis.LAST:
        yield f"BASIS {settings.basis.upper()}"
    if settings.final:
        yield "FINAL"


def _late(settings: AdvanceTimeSettings) -> Iterator[str]:
    if settings.late is not None:
        yield f"LATE {settings.late.upper()}"
    if settings.late_end is not LateEnd.LEAVE_OPEN:
        yield f"LATE END {settings.late_end.upper()}"


def _idle(settings: AdvanceTimeSettings) -> Iterator[str]:
    if settings.idle_after is not None:
        yield f"IDLE AFTER {duration(settings.idle_after)}"
    if settings.idle is not None:
        yield f"IDLE {settings.idle.upper()}"


def _ahead(settings: AdvanceTimeSettings) -> Iterator[str]:
    if settings.max_ahead is not None:
        yield f"MAX AHEAD {duration(settings.max_ahead)}"
    if settings.future is not Future.HOLD:
        yield f"FUTURE {settings.future.upper()}"
