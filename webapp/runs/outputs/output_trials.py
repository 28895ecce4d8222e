"""The test of outputs before they are stored: whether each could take results now."""

from collections.abc import Sequence

from streaming.definition.faults import Fault
from webapp.accounts.limits.previews import previewing
from webapp.runs.access import bound_inputs
from webapp.runs.inputs.checking import bound_faults, refuses
from webapp.runs.models import Binding
from webapp.runs.outputs.bound_outputs import OutputSettings, settled_outputs
from webapp.runs.outputs.output_checks import checked_outputs
from webapp.streams.access import stream_definitions


def tried_outputs(binding: Binding, requested: Sequence[OutputSettings]) -> list[Fault]:
    """Return the errors of each output and store nothing; an existing output of `binding` uses its stored secrets.

    Raises `OverQuota`, `Busy`.
    """
    outputs, faults = settled_outputs(binding, requested)
    if refuses(faults) or not outputs:
        return faults
    graph, inputs, streams = binding.query_version.read_graph(), bound_inputs(binding), stream_definitions()
    faults += bound_faults(graph, inputs, streams)
    if refuses(faults):
        return faults
    with previewing():
        tried = checked_outputs(graph, inputs, streams, outputs, "reached")
    return [*faults, *tried.faults]
