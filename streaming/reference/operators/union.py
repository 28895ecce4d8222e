"""union: all events of all ports, released in order of start, edge ends in order of end."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from streaming.reference.flow import Flow, FlowId, TraceRecorder
from streaming.reference.operators.ports import Ports
from streaming.temporal.ticks import INFINITY, Tick


@dataclass
class UnionOperator:
    """One union node, a multiset union: its rows have the fields `fields`, in that order.

    It refuses and makes nothing, so it reports `took` for no flow: later nodes decide.
    """

    fields: Sequence[str]
    starts: dict[FlowId, Flow] = field(default_factory=dict)
    ends: dict[FlowId, Flow] = field(default_factory=dict)

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Store the flow.

        The vanishing of an edge follows its start, so that a node that reads starts only sees each (law 7).
        """
        del witness
        payload = {name: flow.payload[name] for name in self.fields}
        row = replace(flow, id=(port, flow.id), payload=payload)
        if row.vanishes and row.id not in self.starts:
            return (row,)
        waiting = self.ends if row.closes else self.starts
        waiting[row.id] = row
        return ()

    def held_at(self, ports: Ports) -> Tick:
        """Return no limit: everything is decided when it comes."""
        del ports
        return INFINITY

    def release(self, ports: Ports, witness: TraceRecorder) -> Sequence[Flow]:
        """Return starting events, and after their start ending edges, up to and including the output CTI."""
        del witness
        rows = [row for row in self.starts.values() if ports.may_pass(row.start, row.late_at)]
        for row in rows:
            del self.starts[row.id]
        over = [row for row in self.ends.values() if row.id not in self.starts and ports.may_pass(row.end, row.late_at)]
        for row in over:
            del self.ends[row.id]
        return [*rows, *over]
