"""Sentences on the outcome of each row of the sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from streaming.reference.explain import Absence, absence
from streaming.reference.flow import ElementId
from streaming.simulator.model import SampleKind, SimulatedRow
from streaming.simulator.picture.attempts import AttemptFormatter
from streaming.simulator.picture.cti_words import CtiWords, absence_sentences
from streaming.simulator.picture.outcome_words import MetWords, outcome_sentences, shift_sentence, smallest_delay
from streaming.simulator.recorded.missing import MissedRows
from streaming.simulator.recorded.record import MetCti, RecordedRun
from streaming.simulator.recorded.recording import RecordedRow
from streaming.simulator.samples.sample import SampledElement
from streaming.simulator.words import MOST_LISTED, finite
from streaming.temporal.clock import JudgedElement
from streaming.temporal.events import Cti, EdgeKind, Event
from streaming.temporal.settings import AdvanceTime
from streaming.wire.rows.payload_json import payload_to_json

NO_SETTINGS: Final = AdvanceTime()


@dataclass
class RowFormatter:
    """Formats the rows of one recorded run; `results` are the current rows of outputs, by the number of a row."""

    recorded: RecordedRun
    words: CtiWords
    missed: MissedRows
    attempts: AttemptFormatter
    results: Mapping[int, Sequence[RecordedRow]] = field(init=False)

    def __post_init__(self) -> None:
        found: dict[int, list[RecordedRow]] = {}
        for output in self.recorded.outputs:
            for row in self.recorded.flows.by_node.get(output, ()):
                if row.gone_after is None and not row.deleted:
                    for element in row.flow.sources:
                        found.setdefault(self.recorded.number_of[element], []).append(row)
        self.results = found

    def format(self, each: SampledElement) -> SimulatedRow:
        """Return the row for the picture."""
        if each.identity is None or isinstance(each.element, Cti):
            return self._without_outcome(each)
        judged = self.recorded.run.judged[each.identity]
        return self._format_judged(each, each.identity, judged)

    def _format_judged(self, each: SampledElement, identity: ElementId, judged: JudgedElement) -> SimulatedRow:
        met = self.recorded.met[each.number]
        missing = None if each.number in self.results else self._absence(identity)
        delay = smallest_delay(judged, self._settings(identity))
        if delay is None and missing is not None:
            delay = missing.smallest_delay
        original, kept = judged.original, judged.event
        return SimulatedRow(
            number=each.number,
            sample_row=each.sample_row,
            stream=each.row.stream,
            input=each.input,
            lane=each.lane,
            position=identity.position,
            kind=_kind(each),
            start=None if original is None else original.start,
            end=None if original is None else finite(original.end),
            payload=self._payload(each),
            outcome=str(judged.outcome),
            reason=None if judged.reason is None else str(judged.reason),
            lateness=judged.lateness,
            moved_by=judged.moved_by,
            kept=kept is not None,
            kept_start=None if kept is None else kept.start,
            kept_end=None if kept is None else finite(kept.end),
            cti_met=finite(judged.cti_met),
            set_by=None if met.set_by is None else met.set_by.row,
            substream=self.recorded.substream(met.unit),
            absent=None if missing is None else str(missing.decision),
            smallest_delay=delay,
            why=[
                *outcome_sentences(judged, self._met(each, met), delay),
                *self._describe_missed(each.number),
                *shift_sentence(judged, self._settings(identity), self.words.times),
                *self._fate(each.number, missing),
                *self.attempts.of_row(each.number),
            ],
        )

    def _met(self, each: SampledElement, met: MetCti) -> MetWords:
        assert each.input is not None  # nosec B101 # what no input reads has no outcome
        cti = None if met.set_by is None else self.words.set_by(each.input, met.set_by)
        return MetWords(cti, self.words.times, self.recorded.settings[each.input].late)

    def _without_outcome(self, each: SampledElement) -> SimulatedRow:
        """Return a CTI, a heartbeat, or a row that no input reads."""
        at = each.at if each.at is not None else each.element.at if isinstance(each.element, Cti) else None
        event = each.element if isinstance(each.element, Event) else None
        start = at if event is None else event.start
        return SimulatedRow(
            number=each.number,
            sample_row=each.sample_row,
            stream=each.row.stream,
            input=each.input,
            lane=each.lane,
            position=None if each.identity is None else each.identity.position,
            kind=_kind(each),
            start=None if start is None else finite(start),
            end=None if event is None else finite(event.end),
            payload=self._payload(each),
            outcome=None,
            reason=None,
            lateness=None,
            moved_by=None,
            kept=False,
            kept_start=None,
            kept_end=None,
            cti_met=None,
            set_by=None,
            substream=None,
            absent=None,
            smallest_delay=None,
            why=self.words.of_clock_row(each),
        )

    def _payload(self, each: SampledElement) -> dict[str, Any] | None:
        if isinstance(each.element, Event):
            return payload_to_json(each.element.payload, self.recorded.fields_of_stream(each.row.stream))
        payload = each.row.fields.get("payload")
        return dict(payload) if isinstance(payload, Mapping) else None

    def _absence(self, identity: ElementId) -> Absence:
        return absence(identity, self.recorded.run.trace, self._settings(identity))

    def _settings(self, identity: ElementId) -> AdvanceTime:
        return self.recorded.settings.get(identity.input, NO_SETTINGS)

    def _describe_missed(self, number: int) -> list[str]:
        """Name the panes in which the row would have counted as received."""
        all_missed = self.missed.by_row.get(number, ())
        found = []
        for alone, had in ((True, "As received,"), (False, "Had the other late rows come in time too,")):
            missed = [each for each in all_missed if each.alone is alone]
            shown = [
                f"{self.words.times.span(each.pane.pane.start, each.pane.pane.end)} of {each.panes.node!r}"
                for each in missed[:MOST_LISTED]
            ]
            more = f" and {len(missed) - MOST_LISTED} more" if len(missed) > MOST_LISTED else ""
            found += [f"{had} it would have counted in {', '.join(shown)}{more}."] if shown else []
        return found

    def _fate(self, number: int, missing: Absence | None) -> list[str]:
        """Name the results that contain the row, or explain its absence."""
        if missing is not None:
            return absence_sentences(missing)
        rows = self.results[number]
        return [self.words.of_results(rows)]


def _kind(each: SampledElement) -> SampleKind:
    if each.at is not None:
        return "heartbeat"
    if isinstance(each.element, Cti):
        return "cti"
    if not isinstance(each.element, Event):
        return "malformed"
    if each.element.edge is None:
        return "event"
    return "edge_start" if each.element.edge is EdgeKind.START else "edge_end"
