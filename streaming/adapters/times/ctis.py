"""CTIs in band: rows that promise that nothing before a time follows, among rows that are events."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import pyarrow as pa

from streaming.adapters.times.columns import TimeSource, read_time, read_times
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, ONE_TICK
from streaming.wire.rows.arrived import Arrived, RowKind

_END_OF_ALL: Final = "infinity"
_MOST_DIGITS: Final = 20


@dataclass(frozen=True)
class WrittenCtis:
    """Reads CTIs in the format of the stream's starts, otherwise as ticks or ISO 8601; `strict` as in T9."""

    source: TimeSource
    strict: bool

    @staticmethod
    def of(stream: StreamDefinition, *, strict: bool) -> "WrittenCtis":
        """Create the reader for CTIs of `stream`."""
        times = stream.event_time
        return WrittenCtis(TimeSource("", "auto") if times is None else TimeSource.of(times.start), strict)

    def tick(self, written: Any) -> int | None:
        """The CTI in ticks, None if it can't be read."""
        if written == _END_OF_ALL:
            return int(INFINITY)
        tick = read_time(written, self.source)
        if tick is None:
            tick = read_time(written, TimeSource("", "auto", self.source.zone))
        return None if tick is None else tick + ONE_TICK if self.strict else tick

    def tick_in_column(self, written: Any) -> int | None:
        """As `tick`, for a column that may contain `infinity`: then it is a text column, and numbers are text too."""
        if not isinstance(written, str):
            return self.tick(written)
        tick = self.tick(written) if self.source.unit in ("iso", "auto") else None
        return self.tick(scalar(written)) if tick is None else tick


@dataclass(frozen=True)
class CtiColumn:
    """A column of CTIs: a row in which it is not null is a CTI, not an event."""

    column: str
    written: WrittenCtis

    @staticmethod
    def named(column: str | None, stream: StreamDefinition, *, strict: bool) -> "CtiColumn | None":
        """The column with that name; None if `column` is None."""
        return None if column is None else CtiColumn(column, WrittenCtis.of(stream, strict=strict))

    def of(self, values: pa.Array) -> dict[int, int | None]:
        """The CTIs in ticks by row, None for one that can't be read."""
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
    """Parse the text as a number if it can be a time: whole, or with a fraction."""
    digits = text.strip().removeprefix("-")
    whole, point, fraction = digits.partition(".")
    if len(digits) >= _MOST_DIGITS or not digits.isascii() or not whole.isdigit():
        return text
    if not point:
        return int(text)
    return float(text) if fraction.isdigit() else text


def with_ctis(arrived: Arrived, ctis: Mapping[int, int | None]) -> Arrived:
    """Return `arrived` with CTIs (ticks) in place of the rows at these indices; None: the CTI can't be read (T5)."""
    if not ctis:
        return arrived
    malformed = {index: reason for index, reason in arrived.malformed.items() if index not in ctis}
    malformed |= {index: Reason.BAD_CTI for index, tick in ctis.items() if tick is None}
    kind, start, end = arrived.kind.copy(), arrived.start.copy(), arrived.end.copy()
    for index, tick in ctis.items():
        kind[index] = RowKind.MALFORMED if tick is None else RowKind.CTI
        start[index] = end[index] = 0 if tick is None else tick
    return replace(arrived, kind=kind, start=start, end=end, malformed=dict(sorted(malformed.items())))
