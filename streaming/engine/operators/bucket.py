"""The operators of one bucket: a graph of kernels, run once over the envelopes of a batch."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.flows import CLOSE, GONE, OLD, Flows
from streaming.engine.columns.ipc import to_chunk
from streaming.engine.columns.steps import follow_flows, step_times
from streaming.engine.exchange.cti_chunk import ctis_to_chunk
from streaming.engine.exchange.envelopes import Envelope, OperatorOutput
from streaming.engine.exchange.inbox import Inbox
from streaming.engine.exchange.sections import BatchSection, sections
from streaming.engine.operators.branch_ctis import rise, rise_together
from streaming.engine.operators.kernel import Kernel, NodeOutput, PortInput, TurnContext
from streaming.engine.operators.kernels import kernel_of
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.operators.pending_outcomes import settle, waits_or_open
from streaming.engine.operators.stage_exchange import sent_on
from streaming.engine.state.bucket_state import BucketState
from streaming.engine.state.plan_cache import once_of_plan
from streaming.engine.state.state_store import StateStore
from streaming.planning.keys import uniform
from streaming.planning.plan import CutPlan, InputPlan, OutputSpec, PlannedStage, StageInput, Wire
from streaming.temporal.events import Shape
from streaming.temporal.ticks import NO_CTI

_WATCHED: Final = "@watched"
"""The state of received rows whose outcome is open; no node has such an id."""


class BucketOperators:
    """All operators between two exchanges for one binding and bucket. Computes first and writes state last.

    Deterministic: the same state and envelopes give the same outputs and the same state, byte for byte. `onward` is the
    output of the last turn for the second stage, if there is one.
    """

    def __init__(self, plan: PlannedStage, bucket: int, state: StateStore) -> None:
        self._plan = plan
        self._bucket = bucket
        self._state = state
        self._kernels = _kernels(plan)
        self.onward: list[Envelope] = []

    def turn(self, batch: int, envelopes: Iterable[Envelope]) -> list[OperatorOutput]:
        """Take the envelopes of micro-batch `batch`, in any order, and release final rows."""
        del batch  # the order of turns is the order of batches; nothing depends on the number
        inbox = Inbox.of(self._plan, self._bucket, envelopes)
        if not inbox.lanes:
            return []
        memory = BucketState(self._state)
        report = OutcomeReport()
        horizons = dict(memory.horizons)
        whole = _climbed(self._plan, inbox, memory)
        branches = [[branch.id for branch in each.branches] for each in self._plan.inputs.values()]
        every = sections(whole, branches, ordered=self._plan.ordered)
        if inbox.trailing is not None:
            behind = inbox.trailing
            every.append(BatchSection({**behind.tables}, {**behind.partials}, dict.fromkeys(whole.ctis, ())))
        waiting = waits_or_open(memory.node(_WATCHED))
        outputs: list[OperatorOutput] = []
        for place, section in enumerate(every):
            turn = TurnContext(report, boundary=place == len(every) - 1)
            # each section reports its waiting rows again: a row may have passed since the previous section
            report.waiting.clear()
            passing = _KernelPass(self._plan, self._kernels, memory, turn, waiting)
            leaving = passing.run(section)
            outputs.extend(output for node, each in leaving for output in self._outputs(node, each))
            if self._plan.second is not None:
                self.onward += sent_on(
                    self._plan.second,
                    self._bucket,
                    passing.onward_outputs(section, horizons),
                    memory.reached,
                    report.failures,
                )
        for reports in inbox.reports:
            report.receive(reports)
        outputs.extend(settle(memory, _WATCHED, inbox.watched, report, _tables(self._plan)))
        if report.failures:
            outputs.append(OperatorOutput("", "failures", json.dumps(report.failures.to_json()).encode()))
        memory.write()
        return outputs

    def _outputs(self, node: str, node_output: NodeOutput) -> list[OperatorOutput]:
        found = []
        shown = _in_order(node_output.flows)
        if len(shown):
            pane = shown.pane if shown.id is not None else None
            bare = replace(shown, late_at=None, stamp=None, source=None, pane=pane, id=self._ids(shown))
            found.append(OperatorOutput(node, "rows", to_chunk(bare.to_table())))
        if node_output.ctis:
            found.append(OperatorOutput(node, "ctis", ctis_to_chunk([np.array(node_output.ctis, np.int64)])))
        return found

    def _ids(self, shown: Flows) -> pa.Array | None:
        """Return ids that are unique over all buckets; those of a node are in one bucket only."""
        if shown.id is None or self._plan.buckets == 1:
            return shown.id
        return pc.binary_join_element_wise(str(self._bucket), shown.id, "|")


@once_of_plan
def _tables(plan: PlannedStage) -> Collection[str]:
    """The inputs that are tables."""
    return {name for name, each in plan.inputs.items() if isinstance(each, InputPlan) and each.shape is Shape.TABLE}


@once_of_plan
def _kernels(plan: PlannedStage) -> Mapping[str, Kernel]:
    return {node.id: kernel_of(node.spec) for node in plan.nodes}


def _climbed(plan: PlannedStage, inbox: Inbox, memory: BucketState) -> BatchSection:
    """Return the content for each branch: its flows and partials, then the rising minimum of its lanes' CTIs."""
    whole = BatchSection()
    for input_id in sorted(inbox.lanes):
        input_plan = plan.inputs[input_id]
        for branch in input_plan.branches:
            rising = _rising(input_plan, branch.id, inbox, memory)
            known = memory.horizons.get(branch.id, NO_CTI)
            seen = int(step_times(branch.steps, np.array([inbox.horizons[input_id]]))[0])
            memory.horizons[branch.id] = max(known, seen)
            whole.ctis[branch.id] = tuple(rising)
            whole.tables[branch.id] = inbox.tables.get(branch.id, [])
            whole.partials[branch.id] = inbox.partials.get(branch.id, [])
    return whole


def _rising(plan: StageInput, branch: str, inbox: Inbox, memory: BucketState) -> list[int]:
    known = memory.ctis.setdefault(plan.node, {})
    listed = () if inbox.lanes[plan.node] == [""] else plan.lanes or ()
    lanes = known.setdefault(branch, dict.fromkeys(listed, NO_CTI))
    for lane in inbox.lanes[plan.node]:
        lanes.setdefault(lane, NO_CTI)
    move = rise_together if isinstance(plan, CutPlan) else rise
    return move(lanes, inbox.ctis.get(branch, {}), memory.reached.get(branch, NO_CTI))


@dataclass
class _KernelPass:
    """One pass of a section through all kernels. `waiting`: each kernel must report its waiting watched rows."""

    plan: PlannedStage
    kernels: Mapping[str, Kernel]
    memory: BucketState
    turn: TurnContext
    waiting: bool
    released: dict[str, NodeOutput] = field(default_factory=dict)

    def run(self, section: BatchSection) -> list[tuple[str, NodeOutput]]:
        """Return the output of each output node."""
        for source, ctis in section.ctis.items():
            if ctis:
                self.memory.reached[source] = ctis[-1]
        left: list[tuple[str, NodeOutput]] = []
        for node in self.plan.nodes:
            ports = [self._port(wire, section) for wire in node.ports]
            if not self.waiting and not any(len(port.flows) or port.ctis or port.partials for port in ports):
                continue
            output = self.kernels[node.id].turn(ports, self.memory.node(node.id), self.turn)
            if not uniform(node.spec):
                output = replace(output, ctis=output.ctis[-1:])  # its output CTI inside the turn is not known
            self.released[node.id] = output
            self.memory.horizons[node.id] = max(self.memory.horizons.get(node.id, NO_CTI), output.horizon)
            if output.ctis:
                self.memory.reached[node.id] = output.ctis[-1]
            if isinstance(node.spec, OutputSpec):
                left.append((node.id, output))
        return left

    def onward_outputs(self, section: BatchSection, before: Mapping[str, int]) -> dict[str, NodeOutput]:
        """Return the rows for the second stage, by their node or branch; `before` are the previous horizons."""
        found = {}
        second = self.plan.second
        for source, cut in second.inputs.items() if second is not None else ():
            output = self.released.get(source)
            if output is None:
                flows = section.flows(source, cut.branches[0].entering)
                output = NodeOutput(flows, section.ctis.get(source, ()))
            horizon = self.memory.horizons.get(source, NO_CTI)
            if len(output.flows) or output.ctis or horizon > before.get(source, NO_CTI):
                found[source] = replace(output, horizon=horizon)
        return found

    def _port(self, wire: Wire, section: BatchSection) -> PortInput:
        if wire.source in section.ctis:
            flows, ctis = section.flows(wire.source, wire.fields), section.ctis[wire.source]
        elif wire.source in self.released:
            output = self.released[wire.source]
            flows, ctis = follow_flows(output.flows, wire.steps, self.turn.report.failures), _mapped(wire, output.ctis)
        else:
            flows, ctis = Flows.none(wire.fields), ()
        return PortInput(
            flows=flows,
            ctis=ctis,
            cti=_one(wire, self.memory.reached.get(wire.source, NO_CTI)),
            horizon=_one(wire, self.memory.horizons.get(wire.source, NO_CTI)),
            partials=tuple(section.partials.get(wire.source, ())),
        )


def _mapped(wire: Wire, ctis: Sequence[int]) -> tuple[int, ...]:
    """Return rising CTIs after the steps of a wire, each once: those at the end of all time may coincide."""
    if not wire.steps:
        return tuple(ctis)
    return tuple(np.unique(step_times(wire.steps, np.array(ctis, np.int64))).tolist())


def _one(wire: Wire, at: int) -> int:
    return int(step_times(wire.steps, np.array([at]))[0]) if wire.steps else at


def _in_order(flows: Flows) -> Flows:
    """Return `flows` in output order: retracted rows before their replacements, edge ends after all starts."""
    if flows.flag is None:
        return flows
    shown = flows.where(flows.flags != OLD)
    rank = np.where(shown.flags == GONE, 0, np.where(shown.flags == CLOSE, 2, 1))
    return shown.take(np.argsort(rank, kind="stable"))
