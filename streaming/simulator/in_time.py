"""What windows would hold had every row of the sample come in time: for windows behind joins and other windows."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from streaming.planning.soundness import checked_graph
from streaming.reference.flow import Flow
from streaming.reference.panes import Key, PaneId
from streaming.simulator.record import RecordedRun
from streaming.simulator.sample import elements_of
from streaming.simulator.windowing import NodePanes
from streaming.temporal.events import Event
from streaming.temporal.settings import AdvanceTime
from streaming.wire.case import EndMode

Numbers = frozenset[int]


@dataclass(frozen=True)
class InTimeRun:
    """The sample's events without any CTI before their end, so that none is late: by node and group what panes held.

    Of each pane the rows that made each of its members, by their numbers in the sample.
    """

    panes: Mapping[str, Mapping[Key, Sequence[tuple[PaneId, Sequence[Numbers]]]]]

    def members(self, node: NodePanes, pane: PaneId) -> list[Numbers]:
        """The members that `pane` would have had.

        Windows that stand where the definition says are compared with themselves; those that stand where their rows
        are may stand elsewhere, and are compared with all that they overlap.
        """
        return [
            numbers
            for other, members in self.panes[node.node].get(pane.key, ())
            if (other.start, other.end) == (pane.start, pane.end)
            or (node.fixed is None and other.start < pane.end and pane.start < other.end)
            for numbers in members
        ]


def in_time_run(recorded: RecordedRun) -> InTimeRun:
    """The run of the same query on the same events, as they came, with no clock but the end of the sample."""
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
