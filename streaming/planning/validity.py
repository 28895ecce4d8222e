"""The requirement for a plan: `check` reports no error."""

from collections.abc import Mapping

from streaming.definition.checks.check import check
from streaming.definition.expanding import expanded
from streaming.definition.faults import Fault
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.checked import CheckedGraph
from streaming.temporal.settings import AdvanceTime


class InvalidDefinition(ValueError):
    """The definition has errors, all of them in `faults`, so it cannot be run or explained."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(f"{fault.node}: {fault.message} {fault.remedy}" for fault in faults))
        self.faults = faults


def checked_graph(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], advance: Mapping[str, AdvanceTime]
) -> CheckedGraph:
    """Check `graph` over `streams` (by stream name), with the settings in force (by input node).

    Raises `InvalidDefinition` if `check` reports an error.
    """
    checked = check(graph, streams)
    if checked.errors:
        raise InvalidDefinition(checked.errors)
    return CheckedGraph(expanded(graph), streams, checked.schemas, advance)
