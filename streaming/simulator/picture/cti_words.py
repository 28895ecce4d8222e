"""Sentences on CTIs, waiting and results."""

from collections.abc import Sequence
from dataclasses import dataclass

from streaming.definition.counts import counted
from streaming.reference.explain import Absence, Decision
from streaming.simulator.recorded.clocks import ClockStep
from streaming.simulator.recorded.record import RecordedRun
from streaming.simulator.recorded.recording import RecordedRow
from streaming.simulator.samples.sample import SampledElement
from streaming.simulator.words import MOST_LISTED, TimeWords, generated_by
from streaming.temporal.events import Cti, Event
from streaming.temporal.ticks import INFINITY, Tick


@dataclass(frozen=True)
class CtiWords:
    """Sentences on the CTIs of one recorded run."""

    recorded: RecordedRun
    times: TimeWords

    def set_by(self, node: str, step: ClockStep | None) -> str:
        """Return `the CTI 10:00:05 set by row 41 (10:00:10 minus 5 s)`."""
        if step is None:
            return "no CTI"
        return f"the CTI {self.times.at(step.at)} {self.cause(node, step)}"

    def cause(self, node: str, step: ClockStep) -> str:
        """Describe which row or event set the clock, and the rule."""
        settings = self.recorded.settings[node]
        match step.cause:
            case "generated" if settings.generate is not None and step.row is not None:
                delay = settings.generate.delay
                row = self.recorded.elements[step.row - 1].element
                own = isinstance(row, Event) and row.start == step.at + delay
                return generated_by(f"row {step.row}", step.at, delay, self.times, own=own)
            case "imported":
                return f"imported from {settings.import_from!r} after row {step.after}"
            case "idle":
                return f"set at the heartbeat in row {step.row}"
            case "arrival":
                return f"set by the arrival of row {step.row}"
            case "end":
                return "set by the end of the sample"
            case _:
                return f"sent in row {step.row}"

    def of_clock_row(self, each: SampledElement) -> list[str]:
        """Describe the effect of a CTI, a heartbeat, or a row that no input reads."""
        if each.input is None:
            return [f"No input of the query reads the stream {each.row.stream!r}, so this row has no effect."]
        if each.at is not None:
            return [f"The wall clock of {each.input!r} reached {self.times.at(each.at)}.", self._describe_move(each)]
        assert isinstance(each.element, Cti)  # nosec B101 # all others have an outcome
        if each.element.at == INFINITY:
            return ["It ends its lane: no more rows may follow.", self._describe_move(each)]
        return [f"It promises that no row before {self.times.at(each.element.at)} follows.", self._describe_move(each)]

    def _describe_move(self, each: SampledElement) -> str:
        assert each.input is not None  # nosec B101 # asked before
        steps = self.recorded.clocks.steps.get((each.input, None), ())
        moved = next((step for step in steps if step.row == each.number), None)
        if moved is None:
            return f"The CTI of {each.input!r} did not move."
        return f"The CTI of {each.input!r} is {self.times.at(moved.at)} from here on."

    def of_results(self, rows: Sequence[RecordedRow]) -> str:
        """List the rows of outputs that contain the row."""
        spans = [f"{self.times.span(row.flow.start, self.end_of(row))} of {row.node!r}" for row in rows]
        more = f" and {len(spans) - MOST_LISTED} more" if len(spans) > MOST_LISTED else ""
        return f"It is in {counted(len(rows), 'result')}: {'; '.join(spans[:MOST_LISTED])}{more}."

    def end_of(self, row: RecordedRow) -> Tick:
        """Return the end of the row as it is known at the end of the sample."""
        return row.flow.end if row.closed_end is None else row.closed_end


def absence_sentences(missing: Absence) -> list[str]:
    """Explain why a row is in no result, unless its outcome already says so."""
    if missing.decision in (Decision.REMOVED, Decision.WINDOW_CLOSED, Decision.TOO_MANY_WINDOWS, Decision.WAITING):
        explanation = missing.sentence.partition(": ")[2]
        when = " yet" if missing.decision is Decision.WAITING else ""
        return [f"It is in no result{when}: {explanation}"]
    return []
