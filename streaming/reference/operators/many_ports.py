"""Operators that read several nodes: each consists of parts, and this module carries flows and CTIs through them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from streaming.reference.flow import Flow, FreedFlows, TraceRecorder
from streaming.reference.operators.ports import Ports
from streaming.temporal.ticks import Tick
from streaming.temporal.value_order import sort_key


class RowPart(Protocol):
    """A part that makes rows out of the events of all ports.

    It reports `took` to the witness for each flow that it keeps, at once: another input may decide if a row will
    contain the flow, and no outcome may depend on that (T14). Once it is final that no row will contain it, it reports
    `removed` as well.
    """

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Take a flow; return the rows that pass at once, whatever the CTIs are."""

    def held_at(self, ports: Ports) -> Tick:
        """Return the start of the oldest row that is undecided and has not left in part: the CTI cannot pass it."""

    def release(self, ports: Ports, witness: TraceRecorder) -> Sequence[Flow]:
        """Return the rows that are decided, may pass and have not left."""


@dataclass
class ManyPorts:
    """A node with several ports.

    Its CTI is the minimum over the ports, at most the oldest undecided start of its parts.
    """

    ports: Ports
    parts: Sequence[RowPart]

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Return the rows that the flow decides and that start no later than the output CTI."""
        passing = [row for part in self.parts for row in part.take(port, flow, witness)]
        return passing + self._released(witness)

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: TraceRecorder) -> FreedFlows:
        """Return the rows that the CTI decides, in order; the output CTI never decreases."""
        self.ports.advance(port, cti, horizon)
        held = min(part.held_at(self.ports) for part in self.parts)
        self.ports.out = max(self.ports.out, min(self.ports.low, held))
        return FreedFlows(self._released(witness), self.ports.out, self.ports.horizon)

    def boundary(self, witness: TraceRecorder) -> Sequence[Flow]:
        """Return no rows."""
        del witness
        return ()

    def _released(self, witness: TraceRecorder) -> list[Flow]:
        return in_order(row for part in self.parts for row in part.release(self.ports, witness))


def in_order(rows: Iterable[Flow]) -> list[Flow]:
    """Sort `rows` by start, edge ends by their end; then by end and payload, nulls first."""
    return sorted(rows, key=_place)


def _place(row: Flow) -> tuple[Any, ...]:
    at = row.end if row.closes else row.start
    return (at, row.closes, row.start, row.end, sort_key(row.payload))
