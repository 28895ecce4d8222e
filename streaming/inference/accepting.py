"""An accepted proposal: its stream, and the outcomes of its first rows in a run."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from streaming.adapters.preview import SampleRow
from streaming.definition.counts import counted
from streaming.definition.streams.stream import EventTime, StreamDefinition
from streaming.inference.propose import StreamProposal, TimeCandidate
from streaming.preflight.measure import MeasuredElement, late_rows
from streaming.temporal.outcomes import Reason
from streaming.temporal.settings import AdvanceTime, Basis, Generate, Late
from streaming.temporal.ticks import Ticks, parse_duration
from streaming.wire.rows.row_json import MalformedRow

CHECKED: Final = 1_000
"""So many rows are read once more."""
_SHOWN: Final = 80
_WORDS: Final[Mapping[Reason, str]] = {
    Reason.BAD_ROW: "cannot be read as a row",
    Reason.BAD_TIME: "has no readable time",
    Reason.BAD_LIFETIME: "ends before or at its start",
    Reason.BAD_PAYLOAD: "has a value that does not fit its field",
}
ReadRows = Callable[[StreamDefinition, Mapping[str, Any]], Sequence[SampleRow]]
"""Reads the first rows of the input with a stream and additional options of the adapter."""


def accepted_stream(proposal: StreamProposal, candidate: TimeCandidate) -> StreamDefinition:
    """Return the stream of the proposal with all of its values, and `candidate` as the time."""
    taken = {each.column for each in (candidate.end,) if each is not None} | {candidate.edge}
    fields = {each.name: each.type for each in proposal.fields if each.column not in taken}
    event_time = EventTime(start=candidate.start, end=candidate.end, edge=candidate.edge)
    return StreamDefinition(shape=candidate.shape, fields=fields, event_time=event_time)


def checked(proposal: StreamProposal, read: ReadRows) -> StreamProposal:
    """Return the proposal with the outcomes of its first rows in a run. Raises `AdapterError`."""
    if not proposal.times:
        return proposal
    candidate = proposal.times[0]
    stream = accepted_stream(proposal, candidate)
    rows = read(stream, proposal.options)
    wrong = [(number, row) for number, row in enumerate(rows, 1) if isinstance(row.element, MalformedRow)]
    counts = {"checked": len(rows), "malformed": len(wrong)}
    notes = [*proposal.notes, *_late_notes(candidate, stream, rows)]
    proposal = proposal.model_copy(update={**counts, "notes": notes})
    if not wrong:
        return proposal
    reasons = Counter(row.element.reason for _, row in wrong if isinstance(row.element, MalformedRow))
    number, first = wrong[0]
    assert isinstance(first.element, MalformedRow)  # nosec B101 # for the type checker
    why = _WORDS.get(first.element.reason, str(first.element.reason))
    shown = first.raw if len(first.raw) <= _SHOWN else f"{first.raw[:_SHOWN]}…"
    kinds = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
    note = (
        f"{len(wrong):,} of the first {counted(len(rows), 'row')} would be malformed in a run and go to quarantine "
        f"({kinds}). The first is row {number:,}, which {why}: {shown!r}."
    )
    return proposal.model_copy(update={"notes": [*proposal.notes, note]})


def _late_notes(candidate: TimeCandidate, stream: StreamDefinition, rows: Sequence[SampleRow]) -> Iterator[str]:
    """Yield a sentence if more rows would be late than with the proposed delay, for example after a clock far ahead."""
    choices = [] if candidate.lateness is None else candidate.lateness.choices
    for choice in choices:
        if not choice.proposed:
            continue
        delay = Ticks(parse_duration(choice.delay))
        generate = Generate(delay=delay, every_count=1, basis=Basis.MAX)
        settings = AdvanceTime(generate=generate, late=Late.KEEP, over=candidate.over)
        late = late_rows(stream, settings, [MeasuredElement(row.lane, row.element, row.arrival) for row in rows])
        if late > choice.late:
            yield (
                f"{late:,} of the first {counted(len(rows), 'row')} would be late in a run with the delay of "
                f"{choice.delay}, because their arrival is unknown: a time that is far ahead moves the clock, and "
                "much older rows are then late."
            )
