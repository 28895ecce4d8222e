"""CTIs in band: rows that say of a time that nothing before it follows, among rows that are events."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import pyarrow as pa

from streaming.adapters.times import TimeSource, read_time, read_times
from streaming.definition.streams import StreamDefinition
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, ONE_TICK
from streaming.wire.arrived import Arrived, RowKind

_END_OF_ALL: Final = "infinity"
_MOST_DIGITS: Final = 20


@dataclass(frozen=True)
class WrittenCtis:
    """Reads CTIs as they are written: as the stream's starts are, else as ticks or ISO 8601; `strict` as in T9."""

    source: TimeSource
    strict: bool

    @staticmethod
    def of(stream: StreamDefinition, *, strict: bool) -> "WrittenCtis":
        """For CTIs of `stream`."""
        said = stream.event_time
        return WrittenCtis(TimeSource("", "auto") if said is None else TimeSource.of(said.start), strict)

    def tick(self, written: Any) -> int | None:
        """The CTI in ticks, None for one that cannot be read."""
        if written == _END_OF_ALL:
            return int(INFINITY)
        tick = read_time(written, self.source)
        if tick is None:
            tick = read_time(written, TimeSource("", "auto", self.source.zone))
        return None if tick is None else tick + ONE_TICK if self.strict else tick

    def tick_in_column(self, written: Any) -> int | None:
        """As `tick`, of a column in which `infinity` may stand: one of text then, in which numbers are text too."""
        if not isinstance(written, str):
            return self.tick(written)
        tick = self.tick(written) if self.source.unit in ("iso", "auto") else None
        return self.tick(scalar(written)) if tick is None else tick


@dataclass(frozen=True)
class CtiColumn:
    """A column of CTIs: a row in which it is not null is a CTI and no event."""

    column: str
    written: WrittenCtis

    @staticmethod
    def named(column: str | None, stream: StreamDefinition, *, strict: bool) -> "CtiColumn | None":
        """The column of that name; None where none is named."""
        return None if column is None else CtiColumn(column, WrittenCtis.of(stream, strict=strict))

    def of(self, values: pa.Array) -> dict[int, int | None]:
        """The CTIs in ticks by row, None for one that cannot be read."""
        if pa.types.is_timestamp(values.type) or pa.types.is_date(values.type):
            return self._of_moments(values)
        found: dict[int, int | None] = {}
        if values.null_count < len(values):
            for row, value in enumerate(values.to_pylist()):
                if value is not None:
                    found[row] = self.written.tick_in_column(value)
        return found

    def _of_moments(self, values: pa.Array) -> dict[int, int | None]:
        times = read_times(values, self.written.source)
        more = ONE_TICK if self.written.strict else 0
        there = values.is_valid().to_pylist()
        rows = zip(there, times.ticks.tolist(), times.bad.tolist(), strict=True)
        return {row: None if bad else tick + more for row, (valid, tick, bad) in enumerate(rows) if valid}


def scalar(text: str) -> int | float | str:
    """A number where the text is one that a time may be: whole, or with a fraction."""
    digits = text.strip().removeprefix("-")
    whole, point, fraction = digits.partition(".")
    if len(digits) >= _MOST_DIGITS or not digits.isascii() or not whole.isdigit():
        return text
    if not point:
        return int(text)
    return float(text) if fraction.isdigit() else text


def with_ctis(arrived: Arrived, ctis: Mapping[int, int | None]) -> Arrived:
    """`arrived` with CTIs (ticks) in place of the rows at these indices; None: one that cannot be read (T5)."""
    if not ctis:
        return arrived
    malformed = {index: reason for index, reason in arrived.malformed.items() if index not in ctis}
    malformed |= {index: Reason.BAD_CTI for index, tick in ctis.items() if tick is None}
    kind, start, end = arrived.kind.copy(), arrived.start.copy(), arrived.end.copy()
    for index, tick in ctis.items():
        kind[index] = RowKind.MALFORMED if tick is None else RowKind.CTI
        start[index] = end[index] = 0 if tick is None else tick
    return replace(arrived, kind=kind, start=start, end=end, malformed=dict(sorted(malformed.items())))
