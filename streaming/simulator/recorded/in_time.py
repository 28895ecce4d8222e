"""Contents of windows if every row of the sample were in time: for windows after joins and other windows."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from streaming.planning.validity import checked_graph
from streaming.reference.flow import Flow
from streaming.reference.windows.panes import Key, PaneId
from streaming.simulator.recorded.record import RecordedRun
from streaming.simulator.recorded.windowing import NodePanes
from streaming.simulator.samples.sample import elements_of
from streaming.temporal.events import Event
from streaming.temporal.settings import AdvanceTime
from streaming.wire.execution.case import EndMode

Numbers = frozenset[int]


@dataclass(frozen=True)
class InTimeRun:
    """The panes by node and group when the sample's events run with no CTI before their end, so that none is late.

    Each member of a pane is identified by the numbers of the sample rows that made it.
    """

    panes: Mapping[str, Mapping[Key, Sequence[tuple[PaneId, Sequence[Numbers]]]]]

    def members(self, node: NodePanes, pane: PaneId) -> list[Numbers]:
        """Return the members that `pane` would have had.

        Windows at fixed times are compared with themselves. Windows that depend on the rows may be elsewhere, so they
        are compared with all that they overlap.
        """
        return [
            numbers
            for other, members in self.panes[node.node].get(pane.key, ())
            if (other.start, other.end) == (pane.start, pane.end)
            or (node.fixed is None and other.start < pane.end and pane.start < other.end)
            for numbers in members
        ]


def in_time_run(recorded: RecordedRun) -> InTimeRun:
    """Run the same query on the same events, as they were received, with no clock but the end of the sample."""
    graph, streams = recorded.checked.graph, recorded.checked.streams
    events = [each for each in recorded.elements if each.input is not None and isinstance(each.element, Event)]
    settings = {each.input: AdvanceTime() for each in events if each.input is not None}
    run = RecordedRun(checked_graph(graph, streams, settings), settings)
    for element in elements_of(graph, streams, [each.row for each in events]):
        run.take(element)
    run.end(EndMode.FLUSH)

    def numbers(flow: Flow) -> Numbers:
        return frozenset(events[run.number_of[source] - 1].number for source in flow.sources)

    found = {}
    for node, panes in run.panes.items():
        by_group = defaultdict(list)
        for pane in panes.all:
            if pane.gone is None and pane.steps:
                by_group[pane.pane.key].append((pane.pane, [numbers(flow) for flow in pane.steps[-1].members]))
        found[node] = by_group
    return InTimeRun(found)
