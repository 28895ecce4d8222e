"""Checks of a binding's outputs: their nodes exist, their options are valid, and their targets take results."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from django.conf import settings

from streaming.adapters.contract import AdapterError, CheckedTarget, OutputDelivery
from streaming.adapters.registry import OptionsRefused, delivering_adapter
from streaming.definition.checks.check import check
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.graph import OutputNode, QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.strict import Strict
from webapp.core.context import current_organisation
from webapp.core.errors import fault
from webapp.core.limited.jobs import READING, limited
from webapp.core.server_paths import without_server_paths
from webapp.runs.bound_inputs import BoundInput
from webapp.runs.inputs.checking import bind
from webapp.runs.outputs.bound_outputs import BoundOutput
from webapp.streams.adapters import adapter_root
from webapp.streams.sealing import OUTPUTS, opened

_REMEDY: Final = "Test the outputs of this binding one by one."


Trial = Literal["options", "mendable", "reached"]
"""The extent of a check: only options; also errors at the target that a person has to fix; or also its availability.

For `mendable`, a target that is unavailable now isn't an error: committed results wait for it.
"""


class OutputsChecked(Strict):
    """The outputs with their present fields, and their errors."""

    outputs: list[BoundOutput]
    faults: list[Fault]


@limited("The check of the outputs", _REMEDY, READING, opens_secrets=True)
def checked_outputs(
    graph: QueryGraph,
    inputs: Mapping[str, BoundInput],
    streams: Mapping[str, StreamDefinition],
    outputs: Sequence[BoundOutput],
    trial: Trial,
) -> OutputsChecked:
    """Return the errors of `outputs` of a valid binding, checked to the extent of `trial`."""
    schemas = check(bind(graph, inputs), streams).schemas
    nodes = [node.id for node in graph.nodes if isinstance(node, OutputNode)]
    found, faults = [], []
    for place, each in enumerate(outputs):
        if each.node not in nodes:
            message = f"The query has no output node {each.node}."
            remedy = f"Its output nodes are {', '.join(nodes)}."
            faults.append(fault(FaultCode.UNKNOWN_NODE, message, remedy, field=f"outputs.{place}.node"))
            continue
        fields = {name: str(of) for name, of in schemas.get(each.node, {}).items()}
        found.append(each.model_copy(update={"fields": fields}))
        faults += _tried(found[-1], place, trial)
    return OutputsChecked(outputs=found, faults=faults)


def _tried(output: BoundOutput, place: int, trial: Trial) -> list[Fault]:
    path = f"outputs.{place}.adapter"
    try:
        adapter = built_output(output)
        try:
            if trial != "options" and isinstance(adapter, CheckedTarget):
                adapter.check()
        finally:
            adapter.close()
    except OptionsRefused as error:
        return [
            fault(
                FaultCode.BAD_ADAPTER,
                f"{each.message}.",
                each.remedy,
                node=output.node,
                field=".".join((path, "options", *map(str, each.location))),
            )
            for each in error.errors
        ]
    except AdapterError as error:
        if error.domain == "external" and trial == "mendable":
            return []
        message = without_server_paths(str(error), current_organisation())
        remedy = "Fix the output's options, or the target that they name."
        return [fault(FaultCode.BAD_ADAPTER, message, remedy, node=output.node, field=path)]
    return []


def built_output(output: BoundOutput) -> OutputDelivery:
    """Return the adapter of `output`, with secrets opened; for a limited process. Raises `AdapterError`."""
    choice = opened(output.adapter, OUTPUTS)
    return delivering_adapter(
        choice.kind, choice.options, output.identity, output.fields, adapter_root(), outgoing=settings.OUTGOING
    )
