"""Validation of a query with samples of its inputs before a start: measurements, warnings, waiting times."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from streaming.definition.checks.advance import temporal_settings
from streaming.definition.faults import Fault
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.definition.strict import Strict
from streaming.planning.explain.explanation import explain
from streaming.preflight.findings import input_findings, state_findings
from streaming.preflight.measure import MeasuredElement, MeasuredInput, measure
from streaming.preflight.state import StateEstimate, estimates
from streaming.temporal.ticks import Tick


class Preflight(Strict):
    """`faults`: the warnings of the definition, then those of the samples.

    `waits`: a sentence for each input and output on what its results wait for.
    """

    faults: list[Fault]
    inputs: list[MeasuredInput]
    state: list[StateEstimate]
    waits: list[str]


@dataclass(frozen=True)
class MeasuredSample:
    """Rows of one input in order of arrival, and the stream used to read them: with the event time in force."""

    stream: StreamDefinition
    rows: Sequence[MeasuredElement] = ()


def preflight(
    graph: QueryGraph,
    streams: Mapping[str, StreamDefinition],
    advance: Mapping[str, AdvanceTimeSettings],
    samples: Mapping[str, MeasuredSample],
    now: int,
) -> Preflight:
    """Check `graph` over `streams` (by name); `advance` and `samples` are by input node, `now` is the clock in ticks.

    An input without a sample is not measured.

    Raises `InvalidDefinition` for a definition with errors.
    """
    explanation = explain(graph, streams, advance)
    settings = temporal_settings(graph, streams, advance)
    measured = [
        measure(node.id, (node.stream, sample.stream), settings[node.id], sample.rows, Tick(now))
        for node in graph.nodes
        if isinstance(node, InputNode) and (sample := samples.get(node.id)) is not None
    ]
    state = estimates(graph, explanation, settings, {each.input: each for each in measured})
    found = [fault for each in measured for fault in input_findings(each, settings[each.input])]
    return Preflight(
        faults=[*explanation.warnings, *found, *state_findings(state)],
        inputs=measured,
        state=state,
        waits=[path.text for path in explanation.paths],
    )
