"""Rows that a pane missed: they were dropped, moved, or came after their window closed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from streaming.reference.executor import ReferenceRun
from streaming.reference.flow import ElementId, Flow
from streaming.reference.operators.per_event import PerEvent
from streaming.reference.windows.fixed_windows import FixedWindows
from streaming.reference.windows.panes import group_key
from streaming.simulator.recorded.in_time import InTimeRun, in_time_run
from streaming.simulator.recorded.record import RecordedRun
from streaming.simulator.recorded.silence import SILENT
from streaming.simulator.recorded.windowing import NodePanes, RecordedPane
from streaming.temporal.clock import JudgedElement
from streaming.temporal.events import Event
from streaming.temporal.outcomes import IN_TIME
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT


@dataclass(frozen=True)
class MissedPane:
    """A pane that a row missed; `alone`: it would have counted there whatever happened to the other late rows."""

    panes: NodePanes
    pane: RecordedPane
    alone: bool = True


@dataclass
class MissedRows:
    """The panes that each row missed, and the rows that each pane missed.

    If the nodes in between process events one by one, each row is followed alone. After joins and other windows, the
    sample runs once more with every row in time.
    """

    recorded: RecordedRun
    by_row: dict[int, list[MissedPane]] = field(default_factory=dict)
    by_pane: dict[tuple[str, int], list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        late = {
            number: judged
            for number, judged in self.recorded.judged_by_number()
            if judged.original is not None and judged.original.edge is None and judged.outcome not in IN_TIME
        }
        ways = (
            {node: way_to(self.recorded.lineage.sources, self.recorded.run, node) for node in self.recorded.panes}
            if late
            else {}
        )
        for node, way in ways.items():
            for number, judged in late.items() if way is not None else ():
                if way is not None and self.recorded.elements[number - 1].input == way[0]:
                    self._look(number, judged, self.recorded.panes[node], way[1])
        if None in ways.values():
            supposed = in_time_run(self.recorded)
            for node, way in ways.items():
                if way is None:
                    self._compare(self.recorded.panes[node], supposed, frozenset(late))

    def _look(self, number: int, judged: JudgedElement, panes: NodePanes, way: Sequence[PerEvent]) -> None:
        assert judged.original is not None  # nosec B101 # asked before
        flow = as_it_came(judged.original, way)
        if flow is None:
            return
        key = group_key(flow, panes.operator.group_by)
        for pane in _of_panes(panes, flow):
            if pane.pane.key == key and pane.gone is None and number not in self._ever(pane):
                self._note(number, MissedPane(panes, pane))

    def _note(self, number: int, missed: MissedPane) -> None:
        self.by_row.setdefault(number, []).append(missed)
        self.by_pane.setdefault((missed.panes.node, missed.pane.id), []).append(number)

    def _compare(self, panes: NodePanes, supposed: InTimeRun, late: frozenset[int]) -> None:
        """Record the late rows that would have been in a pane if all of them had been in time."""
        for pane in panes.all:
            members = supposed.members(panes, pane.pane) if pane.gone is None else []
            for number in sorted(frozenset().union(*members) & late - self._ever(pane)):
                alone = any(each & late == {number} for each in members)
                self._note(number, MissedPane(panes, pane, alone))

    def _ever(self, pane: RecordedPane) -> set[int]:
        last = pane.steps[-1].members if pane.steps else ()
        return {self.recorded.number_of[element] for flow in last for element in flow.sources}


def way_to(sources: Mapping[str, Sequence[str]], run: ReferenceRun, node: str) -> tuple[str, Sequence[PerEvent]] | None:
    """Return the input that a node reads, and the operators between the two; None if one does not read single rows."""
    operators: list[PerEvent] = []
    [name] = sources[node]
    while name not in run.feeds:
        operator = run.operators[name]
        if not isinstance(operator, PerEvent):
            return None
        operators.insert(0, operator)
        [name] = sources[name]
    return name, operators


def as_it_came(event: Event, way: Sequence[PerEvent], sources: frozenset[ElementId] = frozenset()) -> Flow | None:
    """Return the row that would have reached the node from the event as received."""
    flow: Flow | None = Flow("missed", event.start, event.end, event.payload, sources, event.start)
    for operator in way:
        flow = None if flow is None else operator.rule.one(flow, SILENT)
    return flow


def _of_panes(panes: NodePanes, flow: Flow) -> Iterator[RecordedPane]:
    fixed = panes.fixed
    if isinstance(fixed, FixedWindows) and len(fixed.windows.indices(flow.start, flow.end)) > MAX_WINDOWS_PER_EVENT:
        return
    for pane in panes.all:
        if flow.start < pane.pane.end and pane.pane.start < flow.end:
            yield pane
