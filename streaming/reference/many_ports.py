"""The operators that read several nodes: each is made of parts, and this carries flows and CTIs through them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from streaming.reference.flow import Flow, FreedFlows, Witness
from streaming.reference.ports import Ports
from streaming.reference.value_order import sort_key
from streaming.temporal.ticks import Tick


class RowPart(Protocol):
    """Something that makes rows out of the events of all ports.

    To the witness it says `took` for each flow that it keeps, at once: whether a row will contain the flow may hang on
    another input, and no outcome may (T14). Once it is final that no row will, it says `removed` as well.
    """

    def take(self, port: int, flow: Flow, witness: Witness) -> Sequence[Flow]:
        """Learn of a flow; what passes at once, whatever the CTIs are."""

    def held_at(self, ports: Ports) -> Tick:
        """The start of the oldest row that is not decided and has not left in part: the CTI cannot pass it."""

    def release(self, ports: Ports, witness: Witness) -> Sequence[Flow]:
        """The rows that are decided and may pass, and have not."""


@dataclass
class ManyPorts:
    """A node with several ports. Its CTI is the smallest of theirs, held to the oldest undecided start of its parts."""

    ports: Ports
    parts: Sequence[RowPart]

    def take(self, port: int, flow: Flow, witness: Witness) -> Sequence[Flow]:
        """What the flow decides that starts no later than the CTI that has left the node."""
        passing = [row for part in self.parts for row in part.take(port, flow, witness)]
        return passing + self._released(witness)

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: Witness) -> FreedFlows:
        """What the CTI decides, in order; the CTI that leaves never goes back."""
        self.ports.advance(port, cti, horizon)
        held = min(part.held_at(self.ports) for part in self.parts)
        self.ports.out = max(self.ports.out, min(self.ports.low, held))
        return FreedFlows(self._released(witness), self.ports.out, self.ports.horizon)

    def boundary(self, witness: Witness) -> Sequence[Flow]:
        """Owes nothing."""
        del witness
        return ()

    def _released(self, witness: Witness) -> list[Flow]:
        return in_order(row for part in self.parts for row in part.release(self.ports, witness))


def in_order(rows: Iterable[Flow]) -> list[Flow]:
    """`rows` by start, edge ends by their end; then by end and payload, nulls first."""
    return sorted(rows, key=_place)


def _place(row: Flow) -> tuple[Any, ...]:
    at = row.end if row.closes else row.start
    return (at, row.closes, row.start, row.end, sort_key(row.payload))
