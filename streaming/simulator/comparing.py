"""The same sample under each late policy, and the differences from today's settings."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from streaming.definition.checks.late_events import check_late
from streaming.definition.faults import Fault, Severity
from streaming.definition.graph import InputNode
from streaming.definition.payload.types import Fields
from streaming.definition.strict import Strict
from streaming.reference.flow import Flow, FlowId
from streaming.simulator.samples.sample import SampledQuery
from streaming.simulator.stepping import plain_run
from streaming.simulator.words import finite
from streaming.temporal.settings import AdvanceTime, Late
from streaming.wire.rows.payload_json import payload_to_json

Mark = Literal["same", "changed", "only_here", "missing"]


class ComparedRow(Strict):
    """A row of the net result of `output` compared with today's: `same`, `changed`, `only_here` or `missing` here.

    For a changed row the `today_...` fields hold today's values; a missing row has today's values.
    """

    output: str
    mark: Mark
    start: int
    end: int | None
    payload: dict[str, Any]
    today_start: int | None
    today_end: int | None
    today_payload: dict[str, Any] | None


class ComparedPolicy(Strict):
    """The sample under one policy. `today`: these are the current settings. `outcomes` counts by stream.

    If the query can't run with the policy, `faults` says why and there is no result.
    """

    policy: Late
    today: bool
    outcomes: dict[str, dict[str, int]]
    rows: list[ComparedRow]
    marks: dict[str, int]
    faults: list[Fault]


class PolicyComparison(Strict):
    """One entry for each policy; `inputs` are the inputs whose policy was replaced."""

    inputs: list[str]
    policies: list[ComparedPolicy]


@dataclass(frozen=True)
class NetResult:
    """Net rows of each output by the id of their flow, with the schemas of the outputs, and the outcomes."""

    rows: Mapping[tuple[str, FlowId], Flow]
    fields: Mapping[str, Fields]
    outcomes: Mapping[str, Mapping[str, int]]


def compare(query: SampledQuery, inputs: Sequence[str]) -> PolicyComparison:
    """Run the sample with drop, adjust, shift and keep on `inputs`, and compare each row with today's."""
    today = _net(query, query.settings)
    found = [_compare_policy(query, inputs, policy, today) for policy in Late]
    return PolicyComparison(inputs=list(inputs), policies=found)


def _compare_policy(query: SampledQuery, inputs: Sequence[str], policy: Late, today: NetResult) -> ComparedPolicy:
    settings = {**query.settings, **{name: replace(query.settings[name], late=policy) for name in inputs}}
    same = settings == query.settings
    found_late = check_late(query.graph, query.streams, settings)
    faults = [each for each in found_late if each.severity is Severity.ERROR]
    if faults:
        return ComparedPolicy(policy=policy, today=same, outcomes={}, rows=[], marks={}, faults=faults)
    found = today if same else _net(query, settings)
    rows = compare_rows(found, today)
    marks = Counter(row.mark for row in rows)
    outcomes = {stream: dict(counts) for stream, counts in found.outcomes.items()}
    return ComparedPolicy(policy=policy, today=same, outcomes=outcomes, rows=rows, marks=dict(marks), faults=[])


def _net(query: SampledQuery, settings: Mapping[str, AdvanceTime]) -> NetResult:
    run = plain_run(query, settings)
    streams = {node.id: node.stream for node in query.graph.nodes if isinstance(node, InputNode)}
    outcomes: dict[str, Counter[str]] = {}
    for element, judged in run.run.judged.items():
        outcomes.setdefault(streams[element.input], Counter())[str(judged.outcome)] += 1
    return NetResult({(row.output, row.flow.id): row.flow for row in run.run.outputs}, run.checked.schemas, outcomes)


def compare_rows(found: NetResult, today: NetResult) -> list[ComparedRow]:
    """Return every row of both results; rows of `found` are marked by comparison with `today`."""
    rows = [_row(found.fields, key, flow, today.rows.get(key)) for key, flow in found.rows.items()]
    lost = [_missing(found.fields, key, flow) for key, flow in today.rows.items() if key not in found.rows]
    return sorted([*rows, *lost], key=lambda row: (row.output, row.start))


def _row(fields: Mapping[str, Fields], key: tuple[str, FlowId], flow: Flow, before: Flow | None) -> ComparedRow:
    output = key[0]
    same = before is not None and (flow.start, flow.end, flow.payload) == (before.start, before.end, before.payload)
    mark: Mark = "only_here" if before is None else "same" if same else "changed"
    was = before if mark == "changed" else None
    return ComparedRow(
        output=output,
        mark=mark,
        start=flow.start,
        end=finite(flow.end),
        payload=payload_to_json(flow.payload, fields[output]),
        today_start=None if was is None else was.start,
        today_end=None if was is None else finite(was.end),
        today_payload=None if was is None else payload_to_json(was.payload, fields[output]),
    )


def _missing(fields: Mapping[str, Fields], key: tuple[str, FlowId], flow: Flow) -> ComparedRow:
    shown = _row(fields, key, flow, None)
    return shown.model_copy(update={"mark": "missing"})
