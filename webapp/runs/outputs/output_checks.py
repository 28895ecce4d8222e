"""Checking the outputs of a binding: that their nodes are there, their options fit, and their targets take results."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from django.conf import settings

from streaming.adapters.contract import AdapterError, CheckedTarget, OutputDelivery
from streaming.adapters.registry import OptionsRefused, delivering_adapter
from streaming.definition.check import check
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.graph import OutputNode, QueryGraph
from streaming.definition.streams import StreamDefinition
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

_REMEDY: Final = "Look at the outputs of this binding, or check them one by one."


Trial = Literal["options", "mendable", "reached"]
"""How far outputs are tried: their options alone; what somebody has to mend at their targets; whether it is there now.

For `mendable` a target that cannot be reached now is no fault: what is committed waits for it.
"""


class OutputsChecked(Strict):
    """The outputs with the fields that they get now, and what is wrong with them."""

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
    """Return what is wrong with `outputs` of a sound binding, tried as far as `trial` says."""
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
        remedy = "Mend the output's options, or what they point at."
        return [fault(FaultCode.BAD_ADAPTER, message, remedy, node=output.node, field=path)]
    return []


def built_output(output: BoundOutput) -> OutputDelivery:
    """Return what delivers to `output`, with its secrets opened; for a limited process. Raises `AdapterError`."""
    choice = opened(output.adapter, OUTPUTS)
    return delivering_adapter(
        choice.kind, choice.options, output.identity, output.fields, adapter_root(), outgoing=settings.OUTGOING
    )
