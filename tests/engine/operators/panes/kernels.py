"""Turns of pane sources with a state that is written and read between turns."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from streaming.engine.columns.flows import CLOSE, OPEN, WHOLE, Flows
from streaming.engine.operators.kernel import PortInput, TurnContext
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.operators.windows.pane_source import PaneMembers, PaneSource
from streaming.engine.state.node_state import NodeState
from streaming.temporal.ticks import NO_CTI
from tests.engine.operators.panes.streams import Event, Pane

_FLAGS = {"whole": WHOLE, "open": OPEN, "close": CLOSE}


def flows_of(events: Sequence[Event]) -> Flows:
    """Return events in the form of the feed: ids of edges only, a source for each late one."""
    edges = any(event.kind != "whole" for event in events)
    late = any(event.late_at is not None for event in events)
    names = [None if event.kind == "whole" else f"edge {event.number}" for event in events]
    sources = [None if event.late_at is None else f"{event.kind} {event.number}" for event in events]
    met = [NO_CTI if event.late_at is None else event.late_at for event in events]
    return Flows(
        start=np.array([event.start for event in events], np.int64),
        end=np.array([event.end for event in events], np.int64),
        columns={
            "k": pa.array([event.group for event in events], pa.string()),
            "v": pa.array([event.number for event in events], pa.int64()),
        },
        flag=np.array([_FLAGS[event.kind] for event in events], np.int8) if edges else None,
        id=pa.array(names, pa.string()) if edges else None,
        late_at=np.array(met, np.int64) if late else None,
        source=pa.array(sources, pa.string()) if late else None,
    )


@dataclass
class Stored:
    """The state of a node between turns: bytes and JSON."""

    head: str = "{}"
    tables: dict[str, bytes] = field(default_factory=dict)

    def state(self) -> NodeState:
        return NodeState(self.tables.get, json.loads(self.head))

    def keep(self, state: NodeState) -> None:
        self.head = json.dumps(state.head)
        for name in state.dropped:
            self.tables.pop(name, None)
        self.tables |= state.written


@dataclass
class SourceRun:
    """A pane source over turns."""

    source: PaneSource
    stored: Stored = field(default_factory=Stored)
    report: OutcomeReport = field(default_factory=OutcomeReport)
    closed: Counter[Pane] = field(default_factory=Counter)
    ctis: list[int] = field(default_factory=list)
    known: Counter[Pane] = field(default_factory=Counter)
    cti: int = NO_CTI

    def turn(self, elements: Sequence[Event], *, known: bool = False) -> None:
        """Process one turn: all events, then all CTIs."""
        ctis = tuple(element.cti for element in elements if element.cti is not None)
        self.cti = ctis[-1] if ctis else self.cti
        flows = flows_of([element for element in elements if element.cti is None])
        state = self.stored.state()
        turned = self.source.turn(PortInput(flows, ctis, self.cti, 7), state, TurnContext(self.report), known=known)
        self.stored.keep(state)
        closed = listed(turned.closing)
        assert not self.ctis or all(pane[1] >= self.ctis[-1] for pane in closed)
        self.closed += closed
        self.ctis += turned.ctis
        self.known = Counter() if turned.known is None else listed(turned.known)
        assert turned.horizon == 7


def listed(members: PaneMembers) -> Counter[Pane]:
    """Return each pane with each of its events."""
    flows = members.flows
    groups, numbers = flows.columns["k"].to_pylist(), flows.columns["v"].to_pylist()
    found: Counter[Pane] = Counter()
    for row, (first, last) in enumerate(zip(members.first.tolist(), members.last.tolist(), strict=True)):
        starts, ends = members.bounds(np.arange(first, last + 1))
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            found[groups[row], start, end, numbers[row], int(flows.start[row]), min(int(flows.end[row]), end)] += 1
    return found
