"""Rows and panes that still wait at the end of a sample, for which CTI, and what would bring that CTI."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from streaming.definition.counts import counted
from streaming.definition.streams.stream import Rowtime
from streaming.reference.operators.lifetimes.shift import ShiftOperator
from streaming.reference.operators.per_event import PerEvent
from streaming.simulator.picture.cti_words import CtiWords
from streaming.simulator.recorded.record import RecordedRun
from streaming.simulator.recorded.windowing import NodePanes, RecordedPane
from streaming.simulator.words import closes_at, never_moves, stands_at, would_bring
from streaming.temporal.events import Cti
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick


@dataclass(frozen=True)
class WaitingWords:
    """Sentences on the rows and panes that a recorded run has not released."""

    recorded: RecordedRun
    words: CtiWords

    def holding(self) -> list[str]:
        """Return a sentence for each node that waits, and one for each input that never brings a CTI."""
        found = [sentence for panes in self.recorded.panes.values() for sentence in self._panes(panes)]
        waiting: Counter[str] = Counter()
        for element in self.recorded.run.judged:
            nodes = self.recorded.run.trace.waits_in(element)
            waiting.update(node for node in nodes if node not in self.recorded.panes)
        for node, count in waiting.items():
            if self.open_inputs(node):
                rows = counted(count, "row")
                found.append(f"{node!r} keeps {rows} that may still come into a result. {self.standing(node)}")
        return found

    def pane_waits(self, panes: NodePanes, pane: RecordedPane) -> str:
        """Explain which CTI a pane waits for, and what would bring it."""
        until = Tick(pane.pane.end + panes.grace)
        return f"{closes_at(self.words.times.at(until))}{self.needs(panes.node, until)}"

    def standing(self, node: str) -> str:
        """Report the CTIs of the inputs of a node."""
        return " ".join(self._input(name) for name in self.open_inputs(node))

    def open_inputs(self, node: str) -> list[str]:
        """Return the inputs whose rows reach `node` that have not ended."""
        return [each for each in self.recorded.inputs_of(node) if self.recorded.run.feeds[each].cti != INFINITY]

    def has_clock(self, name: str) -> bool:
        """Return true if something brings CTIs on an input: its settings, its rowtimes, or CTI rows of the sample."""
        settings = self.recorded.settings[name]
        stream = self.recorded.stream_of(name)
        if settings.generate is not None or settings.import_from is not None or stream.rowtime is Rowtime.IMPLICIT:
            return True
        return any(each.input == name and isinstance(each.element, Cti) for each in self.recorded.elements)

    def _panes(self, panes: NodePanes) -> Iterator[str]:
        still = sorted((pane for each in panes.open.values() for pane in each), key=lambda pane: pane.pane.end)
        if still and self.open_inputs(panes.node):
            what = counted(len(still), "pane")
            until = Tick(still[0].pane.end + panes.grace)
            first = "it closes" if len(still) == 1 else "the first closes"
            at = self.words.times.at(until)
            needs = self.needs(panes.node, until)
            yield f"{panes.node!r} still holds {what}: {first} when the CTI reaches {at}{needs}"

    def _input(self, name: str) -> str:
        if not self.has_clock(name):
            return never_moves(name)
        cti = self.recorded.run.feeds[name].cti
        return stands_at(name, None if cti == NO_CTI else self.words.times.at(cti))

    def needs(self, node: str, until: Tick) -> str:
        """Describe what would bring the CTI `until` to a node, as the end of a sentence."""
        inputs = self.open_inputs(node)
        lacking = [each for each in inputs if not self.has_clock(each)]
        if lacking:
            return f". {' '.join(self._input(each) for each in lacking)}"
        if len(inputs) != 1 or self._moves_time(node):
            return f". {self.standing(node)}"
        settings = self.recorded.settings[inputs[0]]
        now = self.recorded.run.feeds[inputs[0]].cti
        at = "there is no CTI" if now == NO_CTI else f"it is {self.words.times.at(now)}"
        if settings.generate is None:
            source = f", imported from {settings.import_from!r}" if settings.import_from else ""
            return f"; now {at}{source}."
        start = self.words.times.at(until + settings.generate.delay)
        often = settings.generate.every_count == 1
        which = "A row" if often else "A row that brings a CTI"
        lanes = " in each of its lanes" if len(self.recorded.stream_of(inputs[0]).lanes or []) > 1 else ""
        return f"; now {at}. {would_bring(which, inputs[0], start, lanes)}"

    def _moves_time(self, node: str) -> bool:
        """Return true if an upstream node changes CTIs on their way."""
        for each in self.recorded.before(node):
            operator = self.recorded.run.operators.get(each)
            if operator is not None and not (
                isinstance(operator, PerEvent) and not isinstance(operator.rule, ShiftOperator)
            ):
                return True
        return False
