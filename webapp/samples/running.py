"""Samples of a binding's input: its position, and its adapters."""

from streaming.definition.faults import FaultCode
from streaming.definition.graph import InputNode
from webapp.accounts.limits.previews import previewing
from webapp.core.errors import Faulty, fault
from webapp.runs.access import bound_inputs, latest_run
from webapp.runs.inputs.checking import definitions
from webapp.runs.inputs.input_journals import NOTHING_READ, WAIT, journals_folder
from webapp.runs.models import Binding
from webapp.runs.starts.next_start import restart_points
from webapp.samples.bodies import SampleTaken
from webapp.samples.reading_again import ReadInput, read_again
from webapp.samples.taking import unwrap


def last_read(binding: Binding, rows: int) -> SampleTaken:
    """Return the last `rows` rows of each lane that `binding` has read; of a running one up to ten seconds ago.

    Raises `Faulty` if it has read none, or its adapters no longer have them; `OverQuota`, `Busy`.
    """
    graph, inputs = binding.query_version.read_graph(), bound_inputs(binding)
    points = restart_points(binding)
    if not points:
        raise Faulty([fault(FaultCode.EMPTY_SAMPLE, NOTHING_READ.format(name=binding.name), WAIT)])
    read = definitions(graph, inputs)
    named = {node.id: node.stream for node in graph.nodes if isinstance(node, InputNode)}
    positions = points[0].positions
    run = latest_run(binding)
    journals = None if run is None else journals_folder(run.read_spec())
    wanted: dict[str, ReadInput] = {
        node: (named[node], read[node], bound.stream.read_adapter(), positions.get(node, {}), journals)
        for node, bound in inputs.items()
        if node in named
    }
    with previewing():
        return unwrap(read_again(wanted, rows))
