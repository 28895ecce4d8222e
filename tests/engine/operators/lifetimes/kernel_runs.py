"""A node of the reference and its kernel, over the same flows: their output in a comparable form."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa

from streaming.definition.graph import QueryGraph
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.streams.stream import StreamDefinition
from streaming.engine.columns.flows import CLOSE, ENDLESS, GONE, OLD, OPEN, TIMINGS, WHOLE, Flows, PaneColumns
from streaming.engine.operators.kernel import Kernel, PortInput, TurnContext
from streaming.engine.operators.outcome_report import ALSO, OutcomeReport
from streaming.engine.state.node_state import NodeState
from streaming.planning.validity import checked_graph
from streaming.reference.build import build
from streaming.reference.flow import CausingCti, Flow, FlowOperator, Pane, Timing
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.rows.arrow_types import arrow_schema
from tests.engine.operators.lifetimes.flows_drawn import FIELDS, PortElement

SCHEMA = parse_fields(FIELDS)
Row = tuple[Any, ...]


def operator(node: Mapping[str, Any], ports: int = 1) -> FlowOperator:
    """Return the operator of the reference for `node`, named n."""
    names = [f"s{port}" for port in range(ports)]
    inputs = [{"id": name, "kind": "input", "stream": name} for name in names]
    reads = {"inputs": names} if ports > 1 else {"input": names[0]}
    behind = [] if node["kind"] == "output" else [{"id": "out", "kind": "output", "input": "n"}]
    graph = QueryGraph.model_validate(
        {"version": 1, "name": "g", "nodes": [*inputs, {"id": "n", **reads, **node}, *behind]}
    )
    streams = {name: StreamDefinition.model_validate({"shape": "edge", "fields": FIELDS}) for name in names}
    return build(checked_graph(graph, streams, {}))["n"]


def to_flows(flows: Sequence[Flow]) -> Flows:
    """Return the flows in columns; one that replaces another also brings that as OLD."""
    rows = [(flow, _flag(flow)) for flow in flows] + [(flow.replaces, OLD) for flow in flows if flow.replaces]
    if not rows:
        return Flows.none(SCHEMA)
    every, flags = zip(*rows, strict=True)
    schema = arrow_schema(SCHEMA)
    edges = [flow.id if flow.opens or flow.closes or flow.pane else None for flow in every]
    late = np.array([NO_CTI if flow.late_at is None else flow.late_at for flow in every], np.int64)
    start, stamp = (np.array([getattr(flow, name) for flow in every], np.int64) for name in ("start", "stamp"))
    return Flows(
        start=start,
        end=np.array([flow.end for flow in every], np.int64),
        columns={name: pa.array([flow.payload[name] for flow in every], schema.field(name).type) for name in FIELDS},
        flag=np.array(flags, np.int8) if any(flags) else None,
        id=pa.array(edges, pa.string()) if any(edges) else None,
        late_at=late if (late != NO_CTI).any() else None,
        stamp=stamp if (stamp != start).any() else None,
        source=pa.array([_source(flow) for flow in every], pa.string()),
        pane=_panes([flow.pane for flow in every]),
    )


def _flag(flow: Flow) -> int:
    if flow.gone:
        return GONE
    if flow.closes:
        return CLOSE
    return (ENDLESS if flow.never_closes else OPEN) if flow.opens else WHOLE


def _source(flow: Flow) -> str | None:
    """Return a source; the outcome of one flow in three is not open."""
    names = [f"{each.lane}/{each.position}" for each in flow.sources if int(each.lane[1:]) % 3]
    return names[0] if names else None


def _panes(panes: Sequence[Pane | None]) -> PaneColumns | None:
    if not any(panes):
        return None
    filled = [pane or Pane(Tick(0), Tick(0), Timing.EARLY, -1, is_last=False) for pane in panes]
    return PaneColumns(
        start=np.array([pane.start for pane in filled], np.int64),
        end=np.array([pane.end for pane in filled], np.int64),
        timing=np.array([TIMINGS.index(pane.timing.value) for pane in filled], np.int8),
        index=np.array([pane.index for pane in filled], np.int64),
        is_last=np.array([pane.is_last for pane in filled], np.bool_),
    )


def reference_rows(flows: Iterable[Flow]) -> Counter[Row]:
    """Return the reference's flows as rows, also those that they replace."""
    rows: Counter[Row] = Counter()
    for flow in flows:
        rows[_row_of(flow, _flag(flow))] += 1
        if flow.replaces is not None:
            rows[_row_of(flow.replaces, OLD)] += 1
    return rows


def _row_of(flow: Flow, flag: int) -> Row:
    edge = flow.id if flow.pane or flag in (OPEN, CLOSE) else None
    if isinstance(edge, tuple):
        edge = f"{edge[0]}|{edge[1]}"
    pane = None if flow.pane is None else (flow.pane.start, flow.pane.end, flow.pane.timing.value, flow.pane.index)
    open_sources = {f"{each.lane}/{each.position}" for each in flow.sources if int(each.lane[1:]) % 3}
    return (
        flow.start,
        flow.end,
        _payload(flow.payload),
        flag,
        edge,
        flow.late_at,
        flow.stamp,
        pane,
        tuple(sorted(open_sources)),
    )


def rows_of(flows: Flows, *, sources: bool = True) -> Counter[Row]:
    """Return the engine's columns in the same form."""
    names = list(flows.columns)
    columns = [flows.columns[name].to_pylist() for name in names]
    found: Counter[Row] = Counter()
    ids, sources_of = flows.ids.to_pylist(), (flows.source or pa.nulls(len(flows), pa.string())).to_pylist()
    for row in range(len(flows)):
        payload = {name: column[row] for name, column in zip(names, columns, strict=True)}
        flag, late = int(flows.flags[row]), int(flows.lates[row])
        edge = ids[row] if flag != ENDLESS else None
        named = tuple(sorted(sources_of[row].split(ALSO))) if sources_of[row] and sources else ()
        entry = (int(flows.start[row]), int(flows.end[row]), _payload(payload), flag, edge)
        found[*entry, None if late == NO_CTI else late, int(flows.stamps[row]), _pane(flows.pane, row), named] += 1
    return found


def _pane(panes: PaneColumns | None, row: int) -> Row | None:
    if panes is None or panes.index[row] < 0:
        return None
    return (int(panes.start[row]), int(panes.end[row]), TIMINGS[panes.timing[row]], int(panes.index[row]))


def _payload(payload: Mapping[str, Any]) -> str:
    return json.dumps(dict(payload), sort_keys=True)


@dataclass
class ComparableOutput:
    """The output of a node: rows, CTIs in order, the largest horizon, and the sources that it took or that wait."""

    rows: Counter[Row] = field(default_factory=Counter)
    ctis: list[int] = field(default_factory=list)
    horizon: int = NO_CTI
    taken: set[str] = field(default_factory=set)


class RecordingWitness:
    """A witness that records which sources a node took."""

    def __init__(self) -> None:
        self.cause: CausingCti | None = None
        self.taken: set[str] = set()

    def took(self, node: str, flow: Flow) -> None:
        self.taken |= {f"{each.lane}/{each.position}" for each in flow.sources if int(each.lane[1:]) % 3}

    def removed(self, *removed: Any) -> None:
        """Ignore removals: a kernel reports none."""

    refused = failed = removed


@dataclass
class ByReference:
    """The operator under way; `output` is everything so far."""

    operator: FlowOperator
    witness: Any = field(default_factory=RecordingWitness)
    output: ComparableOutput = field(default_factory=ComparableOutput)
    flows: list[Flow] = field(default_factory=list)

    def hear(self, heard: PortElement) -> None:
        """Process one step."""
        if heard.flow is not None:
            self._leave(self.operator.take(heard.port, heard.flow, self.witness))
            return
        advanced = self.operator.advance(heard.port, Tick(heard.cti), _horizon(heard.cti), self.witness)
        self._leave(advanced.flows)
        if advanced.cti > max(self.output.ctis, default=NO_CTI):
            self.output.ctis.append(advanced.cti)
        self.output.horizon = max(self.output.horizon, advanced.horizon)

    def _leave(self, flows: Sequence[Flow]) -> None:
        self.flows.extend(flows)
        self.output.rows.update(reference_rows(flows))


def _horizon(cti: int) -> Tick:
    return Tick(cti if cti != INFINITY else 5)


class ByKernel:
    """The kernel over turns; its state is read from bytes before each of them."""

    def __init__(self, kernel: Kernel, ports: int = 1, seed: int = 0) -> None:
        self.kernel = kernel
        self.output = ComparableOutput()
        self.waiting: set[str] = set()
        self._tables: dict[str, bytes] = {}
        self._head = "{}"
        self._ports = [PortInput(Flows.none(SCHEMA), (), NO_CTI)] * ports
        self._random = Random(seed)

    def turn(self, steps: Sequence[PortElement]) -> ComparableOutput:
        """Return the output of one turn; its elements come in any order."""
        for number, before in enumerate(self._ports):
            mine = [step for step in steps if step.port == number]
            flows = [step.flow for step in mine if step.flow is not None]
            self._random.shuffle(flows)
            ctis = tuple(step.cti for step in mine if step.flow is None)
            cti = ctis[-1] if ctis else before.cti
            horizon = max([before.horizon, *map(_horizon, ctis)])
            self._ports[number] = PortInput(to_flows(flows), ctis, cti, horizon)
        state = NodeState(self._tables.get, json.loads(self._head))
        report = OutcomeReport()
        released = self.kernel.turn(self._ports, state, TurnContext(report))
        self._head = json.dumps(state.head)
        self._tables = {name: table for name, table in self._tables.items() if name not in state.dropped}
        self._tables |= state.written
        turn_output = ComparableOutput(rows_of(released.flows), list(released.ctis), released.horizon, report.taken)
        self.output.rows += turn_output.rows
        self.output.ctis += turn_output.ctis
        self.output.horizon = max(self.output.horizon, turn_output.horizon)
        self.output.taken |= turn_output.taken
        self.waiting = report.waiting
        return turn_output

    @property
    def tables(self) -> int:
        """Return how many tables the state has."""
        return len(self._tables)


def without_sources(rows: Counter[Row]) -> Counter[Row]:
    """Return the rows without their origins."""
    found: Counter[Row] = Counter()
    for row, count in rows.items():
        found[row[:-1]] += count
    return found


def settled(steps: Iterable[PortElement]) -> list[PortElement]:
    """Return the steps of one turn with at most one replacement of each row, as in a real turn (T20)."""
    first: dict[Any, Flow | None] = {}
    last: dict[Any, int] = {}
    kept = list(steps)
    for place, step in enumerate(kept):
        if step.flow is not None and step.flow.pane is not None:
            if step.flow.id not in first:
                first[step.flow.id] = step.flow if step.flow.gone else step.flow.replaces
            last[step.flow.id] = place
    found = []
    for place, step in enumerate(kept):
        if step.flow is None or step.flow.pane is None:
            found.append(step)
        elif last[step.flow.id] == place:
            found.extend(_net(step, first[step.flow.id]))
    return found


def _net(step: PortElement, before: Flow | None) -> list[PortElement]:
    flow = step.flow
    if flow is None or not flow.gone:
        return [PortElement(step.port, None if flow is None else replace(flow, replaces=before))]
    return [] if before is None else [PortElement(step.port, replace(before, replaces=None, gone=True))]
