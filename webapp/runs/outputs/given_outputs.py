"""The results of a binding's outputs, and whether streams that read them can take them."""

from collections.abc import Iterator, Mapping

from streaming.definition.checks.check import check
from streaming.definition.checks.shapes import edge_carriers, provisional_rows
from streaming.definition.checks.wiring import order
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.graph import OutputNode, QueryGraph
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.strict import Strict
from webapp.core.errors import fault
from webapp.core.limited.jobs import READING, limited
from webapp.runs.bound_inputs import BoundInput
from webapp.runs.inputs.checking import bind

_TITLE = "The check of the streams that read these results"
_REMEDY = "Make the query that emits them smaller."


class ReadOutput(Strict):
    """The stream `name` reads the output `output`."""

    name: str
    output: str
    definition: StreamDefinition


@limited(_TITLE, _REMEDY, READING)
def misfits(
    graph: QueryGraph,
    inputs: Mapping[str, BoundInput],
    streams: Mapping[str, StreamDefinition],
    read: list[ReadOutput],
) -> list[Fault]:
    """Return why the streams of `read` can't take the results of a valid binding that has their outputs.

    `field` is a path in the body of a stream.
    """
    bound = bind(graph, inputs)
    schemas = check(bound, streams).schemas
    by_id = {node.id: node for node in bound.nodes}
    placed, _ = order(by_id)
    edges = edge_carriers(by_id, placed, streams)
    provisional = provisional_rows(by_id, placed)
    faults: list[Fault] = []
    for each in read:
        node = by_id.get(each.output)
        if not isinstance(node, OutputNode):
            continue
        if node.id in provisional:
            message = f"The output {node.id} may replace rows by later ones, and an input can't retract rows."
            remedy = f"Set 'emit: final' in the window {provisional[node.id]}, or read another output."
            faults.append(_of(each, message, remedy, "adapter.options.output"))
        if node.id in edges and node.timestamp == "lifetime" and each.definition.shape.value != "edge":
            message = f"The output {node.id} may emit starts and ends of edges, but the stream has another shape."
            faults.append(_of(each, message, "Set the stream's shape to 'edge'.", "definition.shape"))
        faults += _other_fields(each, {name: str(of) for name, of in schemas.get(node.id, {}).items()})
    return faults


def _other_fields(each: ReadOutput, given: Mapping[str, str]) -> Iterator[Fault]:
    remedy = f"Its fields are {', '.join(f'{name} {of}' for name, of in given.items())}."
    for name, of in parse_fields(dict(each.definition.fields)).items():
        if given.get(name) != str(of):
            message = f"The output {each.output} has no field {name}."
            if name in given:
                message = f"The output {each.output} emits the field {name} as {given[name]}, not as {of}."
            yield _of(each, message, remedy, f"definition.fields.{name}")


def _of(each: ReadOutput, message: str, remedy: str, field: str) -> Fault:
    text = f"{message[:-1]} (read by the stream {each.name})." if each.name else message
    return fault(FaultCode.BAD_ADAPTER, text, remedy, field=field)
