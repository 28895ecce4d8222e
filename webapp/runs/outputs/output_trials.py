"""Trying the outputs that a person types before they are stored: whether each could take results now."""

from collections.abc import Sequence

from streaming.definition.faults import Fault
from webapp.accounts.previews import previewing
from webapp.runs.access import bound_inputs
from webapp.runs.inputs.checking import bound_faults, refuses
from webapp.runs.models import Binding
from webapp.runs.outputs.bound_outputs import OutputSaid, settled_outputs
from webapp.runs.outputs.output_checks import checked_outputs
from webapp.streams.access import stream_definitions


def tried_outputs(binding: Binding, said: Sequence[OutputSaid]) -> list[Fault]:
    """Return what is wrong with each output, which may be one of `binding` with its stored secrets; nothing is stored.

    Raises `OverQuota`, `Busy`.
    """
    outputs, faults = settled_outputs(binding, said)
    if refuses(faults) or not outputs:
        return faults
    graph, inputs, streams = binding.query_version.read_graph(), bound_inputs(binding), stream_definitions()
    faults += bound_faults(graph, inputs, streams)
    if refuses(faults):
        return faults
    with previewing():
        tried = checked_outputs(graph, inputs, streams, outputs, "reached")
    return [*faults, *tried.faults]
