"""CTIs in band: rows that say of a time that nothing before it follows, among rows that are events."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from streaming.adapters.times import TimeSource, read_time
from streaming.definition.streams import StreamDefinition
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, ONE_TICK
from streaming.wire.arrived import Arrived, RowKind

_END_OF_ALL = "infinity"


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
