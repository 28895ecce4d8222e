"""A kernel with a left and a right compared with the reference: the same events and CTIs, cut into any turns."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import Fields
from streaming.engine.columns.flows import CLOSE, ENDLESS, OPEN, WHOLE, Flows
from streaming.engine.operators.joins.asof_join import AsofKernel
from streaming.engine.operators.joins.join import JoinKernel
from streaming.engine.operators.joins.pieces_join import PiecesKernel
from streaming.engine.operators.kernel import Kernel, PortInput, TurnContext
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.state.node_state import NodeState
from streaming.planning.checked import expression
from streaming.planning.plan import MatchSpec
from streaming.reference.flow import Flow
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.rows.arrow_types import arrow_schema
from tests.reference.operators.port_runs import FIELDS, LIMIT, Driven, Scenario, Step, operator

Row = tuple[int, int, str, int, int]
"""Start, end, payload, stamp, late_at (NO_CTI: none)."""
Net = Counter[Row]


def match_spec(node: dict[str, Any], forgets: bool = True, sides: Sequence[dict[str, str]] = FIELDS) -> MatchSpec:
    """Return the spec of `node`, which reads sides with these fields."""
    left, right = (parse_fields(of) for of in sides)
    keys = tuple(node.get("keys", ()))
    added = {name: of for name, of in right.items() if name not in keys}
    joined: Fields = {**left, **added}
    pairing = node["kind"] in ("join", "asof_join")
    where = None if node.get("where") is None else expression(node["where"], joined)
    return MatchSpec(
        node="n",
        kind=node["kind"],
        keys=keys,
        where=where,
        outer=node.get("type") == "left_outer",
        left=left,
        right=right,
        added=() if node["kind"] == "clip" else tuple(added),
        fields=joined if pairing else left,
        forgets=forgets,
    )


def flows_of(flows: Sequence[Flow], fields: Fields) -> Flows:
    """Return flows of the reference in columns."""

    def flag(flow: Flow) -> int:
        return CLOSE if flow.closes else ENDLESS if flow.never_closes else OPEN if flow.opens else WHOLE

    schema = arrow_schema(fields)
    return Flows(
        start=np.array([flow.start for flow in flows], np.int64),
        end=np.array([flow.end for flow in flows], np.int64),
        columns={each.name: pa.array([flow.payload[each.name] for flow in flows], each.type) for each in schema},
        flag=np.array([flag(flow) for flow in flows], np.int8) if any(map(flag, flows)) else None,
        id=pa.array([str(flow.id) if flag(flow) else None for flow in flows], pa.string()),
        late_at=np.array([NO_CTI if flow.late_at is None else flow.late_at for flow in flows], np.int64),
        stamp=np.array([flow.stamp for flow in flows], np.int64),
    )


@dataclass
class Bucket:
    """A kernel whose state goes through bytes after each turn."""

    kernel: Kernel
    fields: tuple[Fields, Fields]
    tables: dict[str, bytes] = field(default_factory=dict)
    head: str = "{}"
    ctis: list[int] = field(default_factory=lambda: [NO_CTI, NO_CTI])
    outs: list[int] = field(default_factory=list)
    lasting: Net = field(default_factory=Counter)
    edges: dict[str, Row] = field(default_factory=dict)

    def state(self) -> NodeState:
        return NodeState(self.tables.get, json.loads(self.head))

    def turn(self, steps: Sequence[Step]) -> Flows:
        """Process all of `steps` at once."""
        ports = [self._port(port, [step for step in steps if step.port == port]) for port in (0, 1)]
        state = self.state()
        before = self.outs[-1] if self.outs else NO_CTI
        released = self.kernel.turn(ports, state, TurnContext(OutcomeReport()))
        for name in state.dropped:
            self.tables.pop(name, None)
        self.tables |= state.written
        self.head = json.dumps(state.head)
        assert list(released.ctis) == sorted(set(released.ctis))
        assert all(cti > before for cti in released.ctis)
        self.outs += released.ctis
        assert released.horizon == max(port.horizon for port in ports)
        self._take(released.flows, before)
        return released.flows

    def _port(self, port: int, steps: Sequence[Step]) -> PortInput:
        flows = flows_of([step.flow for step in steps if step.flow is not None], self.fields[port])
        ctis = []
        for step in steps:
            if step.flow is None and step.cti > self.ctis[port]:
                self.ctis[port] = step.cti
                ctis.append(step.cti)
        return PortInput(flows, tuple(ctis), self.ctis[port], min(self.ctis[port], LIMIT))

    def _take(self, flows: Flows, before: int) -> None:
        payloads = zip(*(column.to_pylist() for column in flows.columns.values()), strict=True)
        rows = zip(
            flows.start.tolist(),
            flows.end.tolist(),
            (repr(dict(zip(flows.columns, values, strict=True))) for values in payloads),
            flows.stamps.tolist(),
            flows.lates.tolist(),
            strict=True,
        )
        named = list(zip(rows, flows.flags.tolist(), flows.ids.to_pylist(), strict=True))
        for row, flag, name in sorted(named, key=lambda each: each[1] == CLOSE):
            start, end, payload, _, late_at = row
            assert late_at != NO_CTI or (end if flag == CLOSE else start) >= before, "law 5"
            if flag == WHOLE:
                assert start < end
                assert name is None
                self.lasting[row] += 1
            elif flag in (OPEN, ENDLESS):
                assert end == INFINITY
                assert name not in self.edges
                self.edges[name] = row
            else:
                opened = self.edges[name]
                assert (opened[0], opened[2]) == (start, payload)
                assert end > start
                self.edges[name] = (start, end, payload, opened[3], opened[4])

    @property
    def net(self) -> Net:
        return self.lasting + Counter(self.edges.values())


def kernel_of(spec: MatchSpec) -> Kernel:
    """Return the kernel that runs `spec`."""
    if spec.kind == "join":
        return JoinKernel(spec)
    return AsofKernel(spec) if spec.kind == "asof_join" else PiecesKernel(spec)


def bucket(node: dict[str, Any], forgets: bool = True) -> Bucket:
    """Return the kernel of `node` over the fields of drawn events."""
    spec = match_spec(node, forgets)
    return Bucket(kernel_of(spec), (spec.left, spec.right))


def net_of(driven: Driven) -> Net:
    """Return the rows that the reference has released."""
    return Counter(
        (flow.start, flow.end, repr(dict(flow.payload)), flow.stamp, NO_CTI if flow.late_at is None else flow.late_at)
        for flow in driven.rows.values()
    )


@dataclass
class PairedRun:
    """The reference and a kernel with the same steps."""

    node: dict[str, Any]
    forgets: bool = True
    outs: list[int] = field(default_factory=list)

    def run(self, scenario: Scenario, cuts: Sequence[bool], keep: int) -> tuple[Driven, Bucket]:
        """Run the first `keep` steps; after step i a turn ends if `cuts[i]`, all turns end with the last step."""
        driven, ours = Driven(operator(self.node)), bucket(self.node, self.forgets)
        waiting: list[Step] = []
        steps = scenario.steps[: keep or None]
        for at, step in enumerate(steps):
            if step.flow is not None:
                driven.take(step.port, step.flow)
            elif step.cti > driven.ctis[step.port]:
                driven.advance(step.port, step.cti)
                if driven.out != (self.outs[-1] if self.outs else NO_CTI):
                    self.outs.append(driven.out)
            waiting.append(step)
            if at + 1 == len(steps) or cuts[at % len(cuts)]:
                ours.turn(waiting)
                waiting = []
        return driven, ours
