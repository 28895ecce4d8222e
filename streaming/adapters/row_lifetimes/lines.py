"""The stored lines of changes: JSON, each the start or the end of a row's lifetime, or a CTI.

A line that is not an object, and so a malformed row, is a report: of lost changes (`gap_line`), or of a message that is
not a change.

A line has `_edge`, `_start`, `_end` (ticks; meaningless in a start), `_key` (an array of texts), then the part that is
the same in the start and the end of a lifetime: `_change`, `_committed`, `_lsn` of its start, and the row's columns.
"""

import re
from dataclasses import dataclass
from typing import Final

from streaming.adapters.contract import AdapterError
from streaming.temporal.ticks import Tick, format_instant

START, END, EDGE, CTI_COLUMN = "_start", "_end", "_edge", "_cti"
ABOUT: Final = ("_change", "_committed", "_lsn")
"""The additional fields that a stream may use, besides the row's columns."""
OWN: Final = (EDGE, START, END, "_key", *ABOUT)
RESERVED: Final = frozenset((*OWN, CTI_COLUMN))
_LINE: Final = re.compile(
    rb'\{"_edge":"(start|end)","_start":(-?\d+),"_end":-?\d+,"_key":(\[(?:[^"\]]|"(?:[^"\\]|\\.)*")*\]),'
    rb'("_change":"[a-z]+","_committed":(?:null|-?\d+),"_lsn":"[^"\\]*"),?(.*)\}',
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class RowLife:
    """A lifetime from `start` (ticks) with the key and the row as JSON; `about` are the members of its start."""

    key: str
    start: int
    about: str
    row: str


def start_line(life: RowLife) -> bytes:
    """The line of the start of `life`."""
    return _line("start", life, life.start)


def end_line(life: RowLife, end: int) -> bytes:
    """The line of the end of `life`."""
    return _line("end", life, end)


def cti_line(cti: int) -> bytes:
    """The line of a CTI; it includes the columns of a lifetime for columnar readers."""
    return f'{{"_edge":null,"_start":{cti},"_end":{cti},"_cti":{cti}}}'.encode()


def gap_line(why: str, since: int, until: int) -> bytes:
    """The line for changes lost between `since` and `until` (ticks); `why` is a sentence."""
    begin, end = format_instant(Tick(since)), format_instant(Tick(until))
    return report_line(f"Changes between {begin} and {end} are lost. {why}")


def report_line(text: str) -> bytes:
    """The line of a report in one or more sentences, which do not begin with a brace."""
    return " ".join(text.split()).encode(errors="replace")


def about_of(change: str, committed: int | None, position: str) -> str:
    """The members of a start: `change` is its cause, `committed` is in ticks by the server's clock, `position` is the
    place in its log.
    """
    at = "null" if committed is None else committed
    return f'"_change":"{change}","_committed":{at},"_lsn":"{position}"'


def lsn_text(lsn: int) -> str:
    """A position in the server's log, in its notation."""
    return f"{lsn >> 32:X}/{lsn & 0xFFFFFFFF:X}"


def is_event(line: bytes) -> bool:
    """Return True for an original row or a report: neither the end of a lifetime nor a CTI."""
    return not line.startswith((b'{"_edge":null', b'{"_edge":"end"'))


def is_event_or_cti(line: bytes) -> bool:
    """As `is_event`, and also True for CTIs."""
    return not line.startswith(b'{"_edge":"end"')


def life_of(line: bytes) -> tuple[bool, RowLife] | None:
    """Return the lifetime, and True if the line starts it; None for a CTI and a report.

    Raises `AdapterError` for an invalid line.
    """
    if line.startswith(b'{"_edge":null') or not line.startswith(b"{"):
        return None
    found = _LINE.fullmatch(line)
    if found is None:
        raise AdapterError("The stored changes are damaged. Start the binding from the beginning.")
    edge, start, key, about, row = found.groups()
    return edge == b"start", RowLife(key.decode(), int(start), about.decode(), row.decode())


def _line(edge: str, life: RowLife, end: int) -> bytes:
    row = f",{life.row}" if life.row else ""
    text = f'{{"_edge":"{edge}","_start":{life.start},"_end":{end},"_key":{life.key},{life.about}{row}}}'
    return text.encode()
