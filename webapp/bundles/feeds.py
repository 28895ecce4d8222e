"""Streams that read the results of bindings, in files: with the binding's name, so that they mean the same elsewhere.

They are checked as they will be: the binding and its output exist, the stream fits the output, and nothing forms a
circle.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from streaming.definition.faults import Fault, FaultCode
from streaming.definition.graph import OutputNode, QueryGraph
from streaming.definition.streams.stream import AdapterChoice, StreamDefinition
from webapp.core.errors import fault
from webapp.runs.bound_inputs import BoundInput
from webapp.runs.outputs.composing import Feed, circle_fault, feed_of
from webapp.runs.outputs.given_outputs import ReadOutput, misfits
from webapp.streams.models import Stream


@dataclass(frozen=True)
class Feeder:
    """A binding as it will be: its graph and the streams of its inputs."""

    graph: QueryGraph
    inputs: Mapping[str, BoundInput]

    def outputs(self) -> list[str]:
        """Return the output nodes of its query."""
        return [node.id for node in self.graph.nodes if isinstance(node, OutputNode)]


def by_name(adapter: AdapterChoice, names: Mapping[str, str]) -> AdapterChoice:
    """Return `adapter` with the name instead of the id of the binding that it reads; `names` are by id."""
    return _renamed(adapter, names)


def by_id(adapter: AdapterChoice, ids: Mapping[str, str]) -> AdapterChoice:
    """Return `adapter` with the id instead of the name of the binding that it reads; `ids` are by name."""
    return _renamed(adapter, ids)


def _renamed(adapter: AdapterChoice, others: Mapping[str, str]) -> AdapterChoice:
    feed = feed_of(adapter)
    if feed is None or feed.binding not in others:
        return adapter
    return adapter.model_copy(update={"options": {**adapter.options, "binding": others[feed.binding]}})


def unknown_feeder(adapter: AdapterChoice, names: Collection[str]) -> Fault | None:
    """Return the error of a stream whose `adapter` reads a binding that is not among `names` (by id)."""
    feed = feed_of(adapter)
    if feed is None or feed.binding in names:
        return None
    message, remedy = f"No binding is called {feed.binding}.", "Name a binding of the files, or one that you have."
    return fault(FaultCode.BAD_ADAPTER, message, remedy, field="adapter.options.binding")


def fed_faults(name: str, definition: StreamDefinition, feed: Feed, feeder: tuple[str, Feeder]) -> Iterator[Fault]:
    """Return why the stream `name` could not read the output of `feeder`, a binding with its name.

    `field` is a path in the file of a stream.
    """
    called, will_be = feeder
    outputs = will_be.outputs()
    if feed.output not in outputs:
        message = f"The query of the binding {called} has no output {feed.output} (read by the stream {name})."
        remedy = f"Its outputs are {', '.join(outputs)}."
        yield fault(FaultCode.BAD_ADAPTER, message, remedy, field="adapter.options.output")
        return
    streams = {each.stream.name: each.stream.read_definition() for each in will_be.inputs.values()}
    for each in misfits(
        will_be.graph, will_be.inputs, streams, [ReadOutput(name=name, output=feed.output, definition=definition)]
    ):
        yield each.model_copy(update={"field": (each.field or "").removeprefix("definition.")})


def circle(bindings: Mapping[str, Sequence[Stream]], names: Mapping[str, str]) -> tuple[str, Fault] | None:
    """Return the name of a binding that would read its own results, and the error; None without a circle.

    `bindings` are the streams that each reads, by its name; `names` are the names of bindings by id.
    """
    feeds = {name: [feed_of(each.read_adapter()) for each in streams] for name, streams in bindings.items()}
    reads = {
        name: [names[feed.binding] for feed in found if feed is not None and feed.binding in names]
        for name, found in feeds.items()
    }
    try:
        TopologicalSorter(reads).prepare()
    except CycleError as error:
        called = list(reversed(error.args[1]))  # each reads the next
        return called[0], circle_fault(called)
    return None
