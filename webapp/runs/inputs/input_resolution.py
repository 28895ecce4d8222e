"""Resolution of each input of a binding: the chosen stream and settings, else those in the query's text."""

from collections.abc import Mapping
from dataclasses import dataclass

from streaming.definition.faults import Fault, FaultCode
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy
from streaming.definition.versions.meaning import InputSettings
from webapp.core.errors import fault
from webapp.runs.bound_inputs import BoundInput
from webapp.streams.models import Stream


@dataclass(frozen=True)
class InputChoice:
    """The choices for an input node; None: no choice, so the query's text and the stream decide.

    `of_stream`: those of `advance` and `event_time` that the user set to the stream's own, whatever the text has.
    """

    stream: str | None = None
    advance: AdvanceTimeSettings | None = None
    event_time: EventTimeBy | None = None
    of_stream: frozenset[str] = frozenset()


def choose(
    graph: QueryGraph, says: InputSettings, choices: Mapping[str, InputChoice], streams: Mapping[str, Stream]
) -> tuple[dict[str, BoundInput], list[Fault]]:
    """Return the stream and settings of each input node, and the errors of the choices; `streams` by name."""
    wanted = {node.id: node.stream for node in graph.nodes if isinstance(node, InputNode)}
    faults = [_no_such_input(node, wanted) for node in choices if node not in wanted]
    chosen: dict[str, BoundInput] = {}
    for node, named in wanted.items():
        choice = choices.get(node, InputChoice())
        name = named if choice.stream is None else choice.stream
        if name in streams:
            chosen[node] = _bound(streams[name], choice, node, says)
        else:
            faults.append(_no_such_stream(node, name))
    return chosen, faults


def _bound(stream: Stream, choice: InputChoice, node: str, says: InputSettings) -> BoundInput:
    advance, event_time = choice.advance, choice.event_time
    if advance is None and "advance" not in choice.of_stream:
        advance = says.advance.get(node)
    if event_time is None and "event_time" not in choice.of_stream:
        event_time = says.event_times.get(node)
    return BoundInput(stream, advance, event_time)


def _no_such_input(node: str, wanted: Mapping[str, str]) -> Fault:
    remedy = f"Its input nodes are {', '.join(wanted)}."
    return fault(FaultCode.UNKNOWN_NODE, f"The query has no input node {node}.", remedy, node=node)


def _no_such_stream(node: str, name: str) -> Fault:
    message = f"The input {node} has no stream: no stream is named {name}."
    remedy = "Choose one of your streams for it."
    return fault(FaultCode.UNKNOWN_STREAM, message, remedy, node=node, field="stream")
