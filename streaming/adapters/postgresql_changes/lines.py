"""What is kept of changes: lines of JSON, each the start or the end of a row's life, or a CTI.

One that is no JSON, and so a malformed row, says which changes nobody knows (`gap_line`).

A line has `_edge`, `_start`, `_end` (ticks; of a start `_end` means nothing), `_key` (an array of texts), then what is
the same in the start and the end of a life: `_change`, `_committed`, `_lsn` of its start, and the row's columns.
"""

import re
from dataclasses import dataclass
from typing import Final

from streaming.adapters.contract import AdapterError
from streaming.temporal.ticks import Tick, format_instant

START, END, EDGE, CTI_COLUMN = "_start", "_end", "_edge", "_cti"
ABOUT: Final = ("_change", "_committed", "_lsn")
"""What can be taken as fields of a stream, beside the row's columns."""
OWN: Final = (EDGE, START, END, "_key", *ABOUT)
RESERVED: Final = frozenset((*OWN, CTI_COLUMN))
_GAP: Final = b"Changes between "
_LINE: Final = re.compile(
    rb'\{"_edge":"(start|end)","_start":(-?\d+),"_end":-?\d+,"_key":(\[(?:[^"\]]|"(?:[^"\\]|\\.)*")*\]),'
    rb'("_change":"[a-z]+","_committed":(?:null|-?\d+),"_lsn":"[0-9A-F/]+"),?(.*)\}',
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class RowLife:
    """A life that began at `start` (ticks) with the key and the row as JSON; `about` are the members of its start."""

    key: str
    start: int
    about: str
    row: str


def started(life: RowLife) -> bytes:
    """The line of its start."""
    return _line("start", life, life.start)


def ended(life: RowLife, end: int) -> bytes:
    """The line of its end."""
    return _line("end", life, end)


def cti_line(cti: int) -> bytes:
    """The line of a CTI; the columns of a life are there for who reads by columns."""
    return f'{{"_edge":null,"_start":{cti},"_end":{cti},"_cti":{cti}}}'.encode()


def gap_line(why: str, since: int, until: int) -> bytes:
    """The line for changes that are lost, of the times between `since` and `until` (ticks); `why` is a sentence."""
    said = " ".join(why.split())
    return _GAP + f"{format_instant(Tick(since))} and {format_instant(Tick(until))} are not known. {said}".encode()


def about_of(change: str, committed: int | None, lsn: int) -> str:
    """What is said of a start: `change` is how it came about, `committed` in ticks by the server's clock."""
    at = "null" if committed is None else committed
    return f'"_change":"{change}","_committed":{at},"_lsn":"{lsn_text(lsn)}"'


def lsn_text(lsn: int) -> str:
    """A place in the server's log as it writes it."""
    return f"{lsn >> 32:X}/{lsn & 0xFFFFFFFF:X}"


def is_event(line: bytes) -> bool:
    """Whether the line is a row as it was written, or says what is lost: neither the end of a life nor a CTI."""
    return not line.startswith((b'{"_edge":null', b'{"_edge":"end"'))


def is_event_or_cti(line: bytes) -> bool:
    """The same, and CTIs too."""
    return not line.startswith(b'{"_edge":"end"')


def life_of(line: bytes) -> tuple[bool, RowLife] | None:
    """Whether the line starts its life, and the life; None for a CTI and a gap.

    Raises `AdapterError` for no line of ours.
    """
    if line.startswith((b'{"_edge":null', _GAP)):
        return None
    found = _LINE.fullmatch(line)
    if found is None:
        raise AdapterError("What was kept of the changes is damaged. Start the binding again from the beginning.")
    edge, start, key, about, row = found.groups()
    return edge == b"start", RowLife(key.decode(), int(start), about.decode(), row.decode())


def _line(edge: str, life: RowLife, end: int) -> bytes:
    row = f",{life.row}" if life.row else ""
    text = f'{{"_edge":"{edge}","_start":{life.start},"_end":{end},"_key":{life.key},{life.about}{row}}}'
    return text.encode()
