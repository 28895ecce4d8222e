"""The time simulator: runs a query on a sample with the reference, in a limited process."""

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import BaseModel

from streaming.definition.checks.advance import check_advance, in_force
from streaming.definition.checks.bindings import check_binding
from streaming.definition.checks.check import check
from streaming.definition.faults import Fault, FaultCode, nearest
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.event_time import check_event_times
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy
from streaming.simulator.comparing import PolicyComparison, compare
from streaming.simulator.recorded.record import RecordedRun, record
from streaming.simulator.samples.sample import SampledQuery, SampleError
from streaming.simulator.simulate import instant, present, sampled_query, why_nothing
from streaming.simulator.what_if import NoDelay, WhatIf, what_if
from webapp.accounts.limits.previews import previewing
from webapp.core.errors import Faulty, fault
from webapp.core.limited.jobs import MIB, Limits, limited
from webapp.queries.checking import Streams, examine_text, refuses
from webapp.queries.simulation.bodies import (
    ComparisonBody,
    PlaceRequest,
    SampleBody,
    SampledQueryBody,
    SimulationBody,
    SimulationResponse,
    WhatIfBody,
)
from webapp.streams.access import stream_definitions

TYPED: Final = Limits(cpu_s=10, wall_s=12, memory_bytes=768 * MIB, output_bytes=48 * MIB, file_bytes=0, at_once=4)
"""For one simulation; it is requested while somebody types or drags, so a new request cancels the last one."""
ASKED: Final = Limits(cpu_s=20, wall_s=25, memory_bytes=768 * MIB, output_bytes=48 * MIB, file_bytes=0, at_once=2)
"""For many runs of one sample, which count as previews: a button starts them."""
SHORTER: Final = "Use fewer rows, or a smaller query."


@dataclass(frozen=True)
class SimulationRequest:
    """A simulation to run: a graph as sent, or a text, its streams and settings, and the sample."""

    graph: Mapping[str, Any] | None
    text: str | None
    streams: Streams
    advance: Mapping[str, AdvanceTimeSettings]
    sample: SampleBody
    ask: PlaceRequest | None = None


@dataclass(frozen=True)
class SimulationOutcome:
    """The answer as JSON text, because it is large and sent unchanged; None with the errors that prevent it."""

    shown: str | None = None
    faults: list[Fault] = field(default_factory=list)


def simulation_text(body: SimulationBody) -> str:
    """Return the simulation of `body` as the text of a `SimulationResponse`. Raises `Faulty`."""
    return unwrap(simulated(request_of(body)))


def comparison_text(body: ComparisonBody) -> str:
    """Return the comparison of `body` as the text of a `PolicyComparison`. Raises `Faulty`, `OverQuota`."""
    with previewing():
        return unwrap(compared(request_of(body), body.input))


def what_if_text(body: WhatIfBody) -> str:
    """Return the curve of `body` as the text of a `WhatIf`. Raises `Faulty`, `OverQuota`."""
    with previewing():
        return unwrap(supposed(request_of(body), body.input))


def request_of(body: SampledQueryBody) -> SimulationRequest:
    """Return the simulation of `body`, with the streams of the organisation unless it has its own."""
    graph = None if body.text is not None else body.raw()
    streams = {**stream_definitions(), **body.streams}
    ask = body.ask if isinstance(body, SimulationBody) else None
    return SimulationRequest(graph, body.text, streams, body.advance, body.sample, ask)


def unwrap(outcome: SimulationOutcome) -> str:
    """Return the text. Raises `Faulty` without one."""
    if outcome.shown is None:
        raise Faulty(outcome.faults)
    return outcome.shown


@limited("This simulation", SHORTER, TYPED)
def simulated(asked: SimulationRequest) -> SimulationOutcome:
    """Return the simulation, or the errors of its query, its settings or its sample."""
    return _outcome_of(lambda: _simulate(asked))


@limited("This comparison", SHORTER, ASKED)
def compared(asked: SimulationRequest, node: str | None) -> SimulationOutcome:
    """Return the sample under each late policy of the input `node`, or of all inputs; or the errors."""
    return _outcome_of(lambda: _compared(asked, node))


@limited("This curve", SHORTER, ASKED)
def supposed(asked: SimulationRequest, node: str) -> SimulationOutcome:
    """Return the sample with other delays of the input `node`, or the errors."""
    return _outcome_of(lambda: _supposed(asked, node))


def _outcome_of(made: Callable[[], BaseModel]) -> SimulationOutcome:
    try:
        return SimulationOutcome(made().model_dump_json())
    except Faulty as refused:
        return SimulationOutcome(None, refused.faults)
    except SampleError as error:
        remedy = "Change the sample, or the query."
        return SimulationOutcome(None, [fault(FaultCode.BAD_SHAPE, str(error), remedy, field="sample.rows")])


def _simulate(asked: SimulationRequest) -> SimulationResponse:
    gc.disable()  # this process ends after its answer, and garbage collection takes a fifth of its time
    recorded = record(sound_query(asked))
    return SimulationResponse.model_construct(**dict(present(recorded)), answer=_answer(recorded, asked.ask))


def _answer(recorded: RecordedRun, ask: PlaceRequest | None) -> list[str]:
    if ask is None:
        return []
    nodes = recorded.run.order
    if ask.node not in nodes:
        remedy = nearest(ask.node, nodes, "Name a node of the query.")
        raise Faulty([fault(FaultCode.UNKNOWN_NODE, f"No node is called {ask.node!r}.", remedy, field="ask.node")])
    return why_nothing(recorded, ask.node, instant(ask.at))


def _compared(asked: SimulationRequest, node: str | None) -> PolicyComparison:
    query = sound_query(asked)
    return compare(query, list(query.settings) if node is None else [_input(query, node)])


def _supposed(asked: SimulationRequest, node: str) -> WhatIf:
    query = sound_query(asked)
    try:
        return what_if(query, _input(query, node))
    except NoDelay as error:
        remedy = "Let the input generate CTIs."
        raise Faulty([fault(FaultCode.NO_CLOCK, str(error), remedy, node=node, field="generate")]) from None


def _input(query: SampledQuery, node: str) -> str:
    if node not in query.settings:
        remedy = nearest(node, query.settings, "Name an input of the query.")
        message = f"No input is called {node!r}."
        raise Faulty([fault(FaultCode.UNKNOWN_INPUT, message, remedy, field="input")])
    return node


def sound_query(asked: SimulationRequest) -> SampledQuery:
    """Return the query to simulate, with the settings of its text. Raises `Faulty` with all errors."""
    event_times: Mapping[str, EventTimeBy] = {}
    if asked.text is not None:
        text = examine_text(asked.text, asked.streams)
        faults, graph = list(text.faults), text.graph
        advance = {**text.advance, **asked.advance}
        event_times = text.event_times
    else:
        raw = asked.graph or {}
        faults, advance = list(check(raw, asked.streams).faults), dict(asked.advance)
        graph = None if refuses(faults) else QueryGraph.model_validate(raw)
    if graph is None or refuses(faults):
        raise Faulty(faults)
    faults = [*check_event_times(graph, asked.streams, event_times)]
    for node, settings in asked.advance.items():
        stream = next((each.stream for each in graph.nodes if each.kind == "input" and each.id == node), None)
        if stream is not None and stream in asked.streams:
            faults += check_advance(settings, asked.streams[stream], adapter_sends_ctis=True)
    faults += check_binding(graph, asked.streams, in_force(graph, asked.streams, advance))
    if refuses(faults):
        raise Faulty(faults)
    return sampled_query(graph, asked.streams, advance, asked.sample.rows, asked.sample.end, event_times)
