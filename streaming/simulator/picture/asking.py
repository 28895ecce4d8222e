"""Explanations for an empty place of the picture: why a node has no row at a time."""

from collections.abc import Iterator
from dataclasses import dataclass

from streaming.definition.counts import counted
from streaming.simulator.picture.attempts import AttemptFormatter
from streaming.simulator.picture.cti_words import CtiWords
from streaming.simulator.picture.waiting import WaitingWords
from streaming.simulator.recorded.record import RecordedRun
from streaming.simulator.words import rows_named
from streaming.temporal.clock import JudgedElement
from streaming.temporal.ticks import Tick


@dataclass(frozen=True)
class MissingRowExplainer:
    """Explains missing rows of one recorded run."""

    recorded: RecordedRun
    words: CtiWords
    waiting: WaitingWords
    attempts: AttemptFormatter

    def why_nothing(self, node: str, at: Tick) -> list[str]:
        """Explain why `node` has no row at the time `at`. Raises KeyError for an unknown node."""
        if node not in self.recorded.run.order:
            raise KeyError(node)
        when = self.words.times.at(at)
        standing = [
            row
            for row in self.recorded.flows.by_node.get(node, ())
            if row.gone_after is None and not row.deleted and row.flow.start <= at < self.words.end_of(row)
        ]
        found = [f"At {when} {node!r} has {counted(len(standing), 'row')}."] if standing else []
        found += self._inputs(node, at, when, standing=bool(standing))
        found += self._panes(node, at)
        for name in (node, *self.recorded.before(node)):
            found += self.attempts.at(name, at)
        found += [
            f"Nothing brings CTIs on {name!r}, so rows of {node!r} that depend on it come only when that input ends."
            for name in self.waiting.open_inputs(node)
            if not self.waiting.has_clock(name)
        ]
        return found or [f"No row that lives at {when} has reached {node!r}."]

    def _inputs(self, node: str, at: Tick, when: str, *, standing: bool) -> Iterator[str]:
        """Explain what happened to the input rows that live at `at`."""
        inputs = set(self.recorded.inputs_of(node)) | ({node} & set(self.recorded.run.feeds))
        living = [
            (number, judged)
            for number, judged in self.recorded.judged_by_number()
            if self.recorded.elements[number - 1].input in inputs and _lived_at(judged, at)
        ]
        if not living and not standing:
            yield f"No row of the sample lives at {when}."
        lost = [number for number, judged in living if judged.event is None]
        moved = [number for number, judged in living if judged.event is not None and not _lives_at(judged, at)]
        if lost:
            yield f"Rejected by the input: {rows_named(lost)}, which lived there."
        if moved:
            yield f"Moved to another time by the late policy: {rows_named(moved)}."
        by_sentence: dict[str, list[int]] = {}
        for number, judged in living:
            if _lives_at(judged, at):
                for why in self._removals(number, node):
                    by_sentence.setdefault(why, []).append(number)
        for why, numbers in by_sentence.items():
            yield f"For {rows_named(numbers)}: {why}."

    def _removals(self, number: int, node: str) -> list[str]:
        """Return the reasons why the row was removed at this node, or before it."""
        identity = self.recorded.elements[number - 1].identity
        assert identity is not None  # nosec B101 # it was judged
        near = {node, *self.recorded.before(node)}
        return list(dict.fromkeys(e.why for e in self.recorded.run.trace.removals(identity) if e.node in near))

    def _panes(self, node: str, at: Tick) -> Iterator[str]:
        """Explain the panes at `at` that still wait, in the node or in windows before it."""
        for name in (node, *self.recorded.before(node)):
            panes = self.recorded.panes.get(name)
            if panes is None:
                continue
            still = [pane for of in panes.open.values() for pane in of if pane.pane.start <= at < pane.pane.end]
            by_span: dict[tuple[Tick, Tick], int] = {}
            for pane in still:
                by_span[pane.pane.start, pane.pane.end] = by_span.get((pane.pane.start, pane.pane.end), 0) + 1
            for pane in still:
                span = (pane.pane.start, pane.pane.end)
                if span in by_span:
                    groups = by_span.pop(span)
                    of = f" of {counted(groups, 'group')}" if groups > 1 else ""
                    shown = self.words.times.span(*span)
                    yield f"The pane {shown}{of} of {name!r} has not closed. {self.waiting.pane_waits(panes, pane)}"


def _lived_at(judged: JudgedElement, at: Tick) -> bool:
    return judged.original is not None and judged.original.start <= at < judged.original.end


def _lives_at(judged: JudgedElement, at: Tick) -> bool:
    return judged.event is not None and judged.event.start <= at < judged.event.end
