"""Whether a definition may be planned: `check` finds no error in it."""

from collections.abc import Mapping

from streaming.definition.check import check
from streaming.definition.faults import Fault
from streaming.definition.graph import QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.planning.checked import CheckedGraph
from streaming.temporal.settings import AdvanceTime


class Unsound(ValueError):
    """The definition has errors, all of them in `faults`; what is in error has no meaning that could be run or told."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(f"{fault.node}: {fault.message} {fault.remedy}" for fault in faults))
        self.faults = faults


def checked_graph(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], advance: Mapping[str, AdvanceTime]
) -> CheckedGraph:
    """`graph` over `streams` (by stream name), with the settings that count (by input node).

    Raises `Unsound` when `check` finds an error.
    """
    checked = check(graph, streams)
    if checked.errors:
        raise Unsound(checked.errors)
    return CheckedGraph(graph, streams, checked.schemas, advance)
