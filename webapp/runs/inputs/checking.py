"""Checks of a query together with the streams and settings that a binding gives to its inputs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from streaming.adapters.registry import sends_ctis
from streaming.definition.checks.advance import in_force
from streaming.definition.checks.bindings import check_binding
from streaming.definition.checks.check import check
from streaming.definition.checks.clocks import check_held, drop_repeated_no_clock, find_held_nodes
from streaming.definition.faults import Fault, Severity
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams.event_time import check_event_times, with_event_times
from streaming.definition.streams.stream import EventTimeBy, StreamDefinition
from streaming.definition.strict import Strict
from webapp.core.limited.jobs import READING, limited
from webapp.runs.bound_inputs import BoundInput
from webapp.streams.checking import check_input


def bind(graph: QueryGraph, inputs: Mapping[str, BoundInput]) -> QueryGraph:
    """Return `graph` with the names of the streams that are bound to its input nodes."""
    nodes = [
        node.model_copy(update={"stream": inputs[node.id].stream.name})
        if isinstance(node, InputNode) and node.id in inputs
        else node
        for node in graph.nodes
    ]
    return graph.model_copy(update={"nodes": nodes})


def definitions(graph: QueryGraph, inputs: Mapping[str, BoundInput]) -> dict[str, StreamDefinition]:
    """Return the definition of each input node's stream, with the event time that the binding sets instead."""
    streams = {each.stream.name: each.stream.read_definition() for each in inputs.values()}
    return with_event_times(bind(graph, inputs), streams, event_times(inputs))


def event_times(inputs: Mapping[str, BoundInput]) -> dict[str, EventTimeBy]:
    """Return the event times that the binding sets, by input node."""
    return {node: each.event_time for node, each in inputs.items() if each.event_time is not None}


def check_bound(
    graph: QueryGraph,
    inputs: Mapping[str, BoundInput],
    streams: Mapping[str, StreamDefinition],
    *,
    connect: bool = False,
) -> list[Fault]:
    """Return all errors of `graph`, of its inputs, and of both together; with `connect`, try the adapters.

    `streams` are the organisation's by name. The graph is checked once every input node has a stream; errors of the
    combination are looked for once each part is valid alone.
    """
    read = definitions(graph, inputs)
    faults = list(check_event_times(bind(graph, inputs), streams, event_times(inputs)))
    untimed = {each.node for each in faults}  # the adapter would report the same error for these
    for node, each in inputs.items():
        definition = each.stream.read_definition() if node in untimed else read[node]
        faults += check_input(definition, each.stream.read_adapter(), each.advance, node=node, connect=connect)
    if any(isinstance(node, InputNode) and node.id not in inputs for node in graph.nodes):
        return faults
    bound = bind(graph, inputs)
    faults = [*check(bound, streams).faults, *faults]
    if refuses(faults):
        return faults
    advance = {node: each.advance for node, each in inputs.items() if each.advance is not None}
    own_ctis = {each.stream.name for each in inputs.values() if sends_ctis(each.stream.read_adapter().kind)}
    faults = drop_repeated_no_clock(
        faults, find_held_nodes(bound, streams, in_force(bound, streams, advance), own_ctis)
    )
    return [*faults, *check_binding(bound, streams, advance, own_ctis)]


class NoClock(Strict):
    """A node that emits nothing before the `inputs` end, because their settings advance no time; and the remedy.

    `certain`: their adapters advance no time either. A file may contain CTIs, which shows only once rows are read.
    """

    node: str
    inputs: list[str]
    certain: bool
    message: str
    remedy: str


def without_clock(
    graph: QueryGraph, inputs: Mapping[str, BoundInput], streams: Mapping[str, StreamDefinition]
) -> list[NoClock]:
    """Return the nodes of a valid binding that wait for CTIs which no settings generate or import."""
    bound = bind(graph, inputs)
    settings = in_force(bound, streams, {name: each.advance for name, each in inputs.items() if each.advance})
    held = find_held_nodes(bound, streams, settings, ())
    silent = {name for name, each in inputs.items() if not sends_ctis(each.stream.read_adapter().kind)}
    return [
        NoClock(
            node=node.node.id,
            inputs=list(node.stopped),
            certain=silent >= set(node.stopped),
            message=warning.message,
            remedy=warning.remedy,
        )
        for node, warning in zip(held, check_held(held), strict=True)
    ]


@dataclass(frozen=True)
class BoundChecked:
    """The errors of a binding with its adapters tried and, if it has none, the nodes that wait for a clock."""

    faults: list[Fault]
    clockless: list[NoClock] = field(default_factory=list)


_TITLE: Final = "The check of this binding"
_REMEDY: Final = "Check what its inputs read, or make its query smaller."


@limited(_TITLE, _REMEDY, READING, opens_secrets=True)
def bound_faults(
    graph: QueryGraph, inputs: Mapping[str, BoundInput], streams: Mapping[str, StreamDefinition]
) -> list[Fault]:
    """Return the result of `check_bound` without trying the adapters."""
    return check_bound(graph, inputs, streams)


@limited(_TITLE, _REMEDY, READING, opens_secrets=True)
def checked_for_start(
    graph: QueryGraph, inputs: Mapping[str, BoundInput], streams: Mapping[str, StreamDefinition]
) -> BoundChecked:
    """Return the errors and warnings of a binding that is about to be started."""
    faults = check_bound(graph, inputs, streams, connect=True)
    return BoundChecked(faults, [] if refuses(faults) else without_clock(graph, inputs, streams))


def refuses(faults: list[Fault]) -> bool:
    """Return whether any of `faults` is an error."""
    return any(each.severity is Severity.ERROR for each in faults)
