"""The input of one side of a join in a turn: events as far as they are known, and the ends of earlier ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.definition.payload.types import Fields
from streaming.engine.columns.flows import CLOSE, ENDLESS, OPEN, WHOLE, Flags, Flows, Mask
from streaming.engine.operators.kernel import PortInput
from streaming.engine.state.node_state import NodeState
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.rows.arrow_types import arrow_schema

EVENT_META = (
    ("@start", pa.int64()),
    ("@end", pa.int64()),
    ("@flag", pa.int8()),
    ("@id", pa.string()),
    ("@late_at", pa.int64()),
    ("@stamp", pa.int64()),
)


@dataclass(frozen=True, slots=True)
class SideTurn:
    """`events` are WHOLE, OPEN or ENDLESS; `closes` end edges of an earlier turn, `ids` are those edges.

    An edge that began and ended in this turn is WHOLE, and one that vanished in it is not included.
    """

    events: Flows
    closes: Flows

    @classmethod
    def of(cls, flows: Flows) -> "SideTurn":
        """Return the result of `flows`, which contain no replaceable rows, processed all at once."""
        flags = flows.flags
        closing = np.flatnonzero(flags == CLOSE)
        if flows.flag is None or not len(closing):
            return cls(flows, flows.take(np.empty(0, np.int64)))
        events, closes = flows.take(np.flatnonzero(flags != CLOSE)), flows.take(closing)
        events, known = ended(events, closes)
        return cls(events.where(events.end > events.start), closes.where(~known))


def ended(events: Flows, closes: Flows) -> tuple[Flows, Mask]:
    """Return the events with the ends from `closes`, and which of `closes` matched an event.

    Vanished events end at or before their start and stay.
    """
    opened = np.flatnonzero(events.flags == OPEN)
    at = pc.index_in(closes.ids, value_set=events.ids.take(pa.array(opened)))
    known = pc.is_valid(at).to_numpy(zero_copy_only=False)
    rows = opened[at.drop_null().to_numpy().astype(np.int64)]
    end, flag = events.end.copy(), events.flags.copy()
    end[rows], flag[rows] = closes.end[known], WHOLE
    return replace(events, end=end, flag=flag), known


def is_open(flags: Flags | None, rows: int) -> Mask:
    """Return which events have no end yet, or never get one."""
    if flags is None:
        return np.zeros(rows, np.bool_)
    found: Mask = (flags == OPEN) | (flags == ENDLESS)
    return found


def event_schema(fields: Fields) -> pa.Schema:
    """The columns of stored events with the payload `fields`."""
    return pa.schema([*(pa.field(*each) for each in EVENT_META), *arrow_schema(fields)])


def to_table(events: Flows, schema: pa.Schema) -> pa.Table:
    """Events as a table of `event_schema`."""
    meta = (events.start, events.end, events.flags, events.ids, events.lates, events.stamps)
    arrays = [each if isinstance(each, pa.Array) else pa.array(each) for each in meta]
    names = schema.names[len(arrays) :]
    return pa.Table.from_arrays([*arrays, *(events.columns[name] for name in names)], schema=schema)


@dataclass(frozen=True, slots=True)
class JoinClock:
    """The CTIs of both ports and of the node before the turn, and those of the ports after it."""

    before: tuple[int, int]
    out_before: int
    ctis: tuple[int, int]

    @classmethod
    def of(cls, state: NodeState, ports: Sequence[PortInput]) -> "JoinClock":
        """Return the clock from the state and the ports."""
        left, right, out = state.head.get("ctis", [NO_CTI] * 3)
        return cls((left, right), out, (ports[0].cti, ports[1].cti))

    @property
    def low(self) -> int:
        """Return the smaller CTI: neither side can change earlier time any more."""
        return min(self.ctis)

    @property
    def low_before(self) -> int:
        """Return the smaller CTI before the turn."""
        return min(self.before)

    def out(self, held: int) -> int:
        """Return the CTI of the node, at most `held`. It moves only if the CTI of a port does."""
        return max(self.out_before, min(self.low, held)) if self.ctis != self.before else self.out_before

    def passed(self, ports: Sequence[PortInput], out: int, held: int = INFINITY) -> tuple[int, ...]:
        """Return the output CTIs, rising up to `out`: all if only one port moved and nothing waits, otherwise the last.

        The order of the CTIs of two ports is not known.
        """
        moved = [port for port in ports if port.ctis]
        if len(moved) != 1 or held != INFINITY:
            return (out,) if out > self.out_before else ()
        other = min(port.cti for port in ports if port is not moved[0])
        return tuple(sorted({min(cti, other) for cti in moved[0].ctis if min(cti, other) > self.out_before}))

    def remember(self, state: NodeState, out: int) -> None:
        """Store them for the next turn."""
        state.head["ctis"] = [*self.ctis, out]
