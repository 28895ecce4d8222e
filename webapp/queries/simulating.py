"""The time simulator: a query on a sample by the reference, in a limited process."""

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import BaseModel

from streaming.definition.advance import check_advance, in_force
from streaming.definition.binding_checks import check_binding
from streaming.definition.check import check
from streaming.definition.event_time import check_event_times
from streaming.definition.faults import Fault, FaultCode, nearest
from streaming.definition.graph import QueryGraph
from streaming.definition.streams import AdvanceTimeSettings, EventTimeBy
from streaming.simulator.comparing import PolicyComparison, compare
from streaming.simulator.record import RecordedRun, record
from streaming.simulator.sample import SampledQuery, SampleError
from streaming.simulator.simulate import instant, sampled_query, told, why_nothing
from streaming.simulator.what_if import NoDelay, WhatIf, what_if
from webapp.accounts.previews import previewing
from webapp.core.errors import Faulty, fault
from webapp.core.limited.jobs import MIB, Limits, limited
from webapp.queries.checking import Streams, examine_text, refuses
from webapp.queries.simulation_bodies import (
    ComparisonBody,
    PlaceAsked,
    SampleBody,
    SampledQueryBody,
    SimulationBody,
    SimulationShown,
    WhatIfBody,
)
from webapp.streams.access import stream_definitions

TYPED: Final = Limits(cpu_s=10, wall_s=12, memory_bytes=768 * MIB, output_bytes=48 * MIB, file_bytes=0, at_once=4)
"""For one simulation; it is asked for while somebody types or drags, so who asks anew lets go of the last one."""
ASKED: Final = Limits(cpu_s=20, wall_s=25, memory_bytes=768 * MIB, output_bytes=48 * MIB, file_bytes=0, at_once=2)
"""For many runs of one sample, which count as previews: they are asked for by a button."""
SHORTER: Final = "Take fewer rows, or a smaller query."


@dataclass(frozen=True)
class SimulationAsked:
    """What is to be simulated: a graph as it was sent, or a text, its streams and settings, and the sample."""

    graph: Mapping[str, Any] | None
    text: str | None
    streams: Streams
    advance: Mapping[str, AdvanceTimeSettings]
    sample: SampleBody
    ask: PlaceAsked | None = None


@dataclass(frozen=True)
class SimulationGiven:
    """The answer as JSON text, for it is large and goes on as it is; None with the faults for which there is none."""

    shown: str | None = None
    faults: list[Fault] = field(default_factory=list)


def simulation_text(body: SimulationBody) -> str:
    """Return the simulation that `body` asks for as the text of a `SimulationShown`. Raises `Faulty`."""
    return given(simulated(asked(body)))


def comparison_text(body: ComparisonBody) -> str:
    """Return the comparison that `body` asks for as the text of a `PolicyComparison`. Raises `Faulty`, `OverQuota`."""
    with previewing():
        return given(compared(asked(body), body.input))


def what_if_text(body: WhatIfBody) -> str:
    """Return the curve that `body` asks for as the text of a `WhatIf`. Raises `Faulty`, `OverQuota`."""
    with previewing():
        return given(supposed(asked(body), body.input))


def asked(body: SampledQueryBody) -> SimulationAsked:
    """Return what `body` asks for, with the streams of the organisation where it names none of its own."""
    graph = None if body.text is not None else body.raw()
    streams = {**stream_definitions(), **body.streams}
    ask = body.ask if isinstance(body, SimulationBody) else None
    return SimulationAsked(graph, body.text, streams, body.advance, body.sample, ask)


def given(told: SimulationGiven) -> str:
    """Return the text. Raises `Faulty` where there is none."""
    if told.shown is None:
        raise Faulty(told.faults)
    return told.shown


@limited("This simulation", SHORTER, TYPED)
def simulated(asked: SimulationAsked) -> SimulationGiven:
    """Return the simulation, or the faults of its query, its settings or its sample."""
    return _given(lambda: _shown(asked))


@limited("This comparison", SHORTER, ASKED)
def compared(asked: SimulationAsked, node: str | None) -> SimulationGiven:
    """Return the sample under each late policy of the input `node`, or of all inputs; or the faults."""
    return _given(lambda: _compared(asked, node))


@limited("This curve", SHORTER, ASKED)
def supposed(asked: SimulationAsked, node: str) -> SimulationGiven:
    """Return the sample with other delays of the input `node`, or the faults."""
    return _given(lambda: _supposed(asked, node))


def _given(made: Callable[[], BaseModel]) -> SimulationGiven:
    try:
        return SimulationGiven(made().model_dump_json())
    except Faulty as refused:
        return SimulationGiven(None, refused.faults)
    except SampleError as error:
        remedy = "Change the sample, or the query."
        return SimulationGiven(None, [fault(FaultCode.BAD_SHAPE, str(error), remedy, field="sample.rows")])


def _shown(asked: SimulationAsked) -> SimulationShown:
    gc.disable()  # this process ends when it has answered, and looking for garbage takes a fifth of its time
    recorded = record(sound_query(asked))
    return SimulationShown.model_construct(**dict(told(recorded)), answer=_answer(recorded, asked.ask))


def _answer(recorded: RecordedRun, ask: PlaceAsked | None) -> list[str]:
    if ask is None:
        return []
    nodes = recorded.run.order
    if ask.node not in nodes:
        remedy = nearest(ask.node, nodes, "Name a node of the query.")
        raise Faulty([fault(FaultCode.UNKNOWN_NODE, f"There is no node {ask.node!r}.", remedy, field="ask.node")])
    return why_nothing(recorded, ask.node, instant(ask.at))


def _compared(asked: SimulationAsked, node: str | None) -> PolicyComparison:
    query = sound_query(asked)
    return compare(query, list(query.settings) if node is None else [_input(query, node)])


def _supposed(asked: SimulationAsked, node: str) -> WhatIf:
    query = sound_query(asked)
    try:
        return what_if(query, _input(query, node))
    except NoDelay as error:
        remedy = "Let it generate CTIs."
        raise Faulty([fault(FaultCode.NO_CLOCK, str(error), remedy, node=node, field="generate")]) from None


def _input(query: SampledQuery, node: str) -> str:
    if node not in query.settings:
        remedy = nearest(node, query.settings, "Name an input of the query.")
        message = f"There is no input {node!r}."
        raise Faulty([fault(FaultCode.UNKNOWN_INPUT, message, remedy, field="input")])
    return node


def sound_query(asked: SimulationAsked) -> SampledQuery:
    """Return what is to be simulated, with the settings of its text. Raises `Faulty` with all faults."""
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
