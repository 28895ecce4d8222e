"""The lines of a picture: the bars of each row, and the text on their left and right."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from streaming.guide.story import ReceivedRow, ReleasedRow, Story
from streaming.reference.flow import Timing
from streaming.temporal.clock import JudgedElement
from streaming.temporal.events import Event
from streaming.temporal.outcomes import IN_TIME, Outcome, Reason
from streaming.temporal.ticks import INFINITY, NO_CTI, NO_TICKS, Tick, Ticks, format_duration, spell_instant


@dataclass(frozen=True)
class Bar:
    """A lifetime: `look` is a class of the style sheet, `capped` the ends that show an edge."""

    start: int
    end: int
    look: str
    capped: str = ""


@dataclass(frozen=True)
class Line:
    """One row; `number` is that of an event.

    `cti` and `cti_after` are None on lines of results, which do not meet a CTI. `ends_batch`: the next row of the
    stream is in another micro-batch.
    """

    number: int | None
    label: str
    bars: tuple[Bar, ...]
    note: str
    tail: str
    cti: int | None = None
    cti_after: int | None = None
    ends_batch: bool = False


@dataclass(frozen=True)
class PictureSection:
    """One stream or one output; `marks` are its CTIs, for an output."""

    title: str
    lines: tuple[Line, ...]
    marks: tuple[int, ...] = ()


_DATED: Final = 10**12
"""Moments at least this many ticks from 1970-01-01, about 12 days, are written as dates."""
_LOOKS: Final = {
    Outcome.ADJUSTED: "moved",
    Outcome.SHIFTED: "moved",
    Outcome.LATE_KEPT: "moved",
    Outcome.DROPPED_WINDOW_CLOSED: "lost",
}
"""The look of an event that was not in time; the look of others depends on being in a result."""


def sections_of(story: Story, titles: Mapping[str, str]) -> list[PictureSection]:
    """Return streams first, then outputs, each in the order in which things happened."""
    several = len(story.received) > 1
    streams = [PictureSection(titles[name], tuple(_stream_lines(rows))) for name, rows in story.received.items()]
    outputs = [
        PictureSection(
            titles[name], tuple(_released_line(each, several) for each in rows), story.output_ctis.get(name, ())
        )
        for name, rows in story.released.items()
    ]
    return [*streams, *outputs]


def _stream_lines(rows: Sequence[ReceivedRow]) -> Iterator[Line]:
    lanes = {each.row.lane for each in rows if "heartbeat" not in each.row.fields}
    following = [each.row.batch for each in rows[1:]] + [rows[-1].row.batch if rows else 0]
    for row, batch in zip(rows, following, strict=True):
        line = replace(_received_line(row), ends_batch=batch > row.row.batch)
        yield replace(line, label=f"{row.row.lane}: {line.label}") if row.number and len(lanes) > 1 else line


def _received_line(row: ReceivedRow) -> Line:
    moved = row.cti_after != row.cti
    tail = f"CTI {moment(row.cti_after)}" if moved else ""
    fields, judged = row.row.fields, row.judged
    if judged is None:
        label = f"clock at {fields['heartbeat']}" if "heartbeat" in fields else "CTI"
        note = "" if moved or "heartbeat" in fields else "does not move"
        return Line(None, label, (), note, tail, row.cti, row.cti_after)
    label = payload(judged.original.payload) if judged.original else _raw(fields)
    bars, fate = tuple(_bars(judged, used=row.used)), _fate(judged, used=row.used)
    return Line(row.number, label, bars, fate, tail, row.cti, row.cti_after)


def _raw(fields: Mapping[str, Any]) -> str:
    payload_fields = fields.get("payload")
    return payload(payload_fields) if isinstance(payload_fields, Mapping) else str(fields.get("bad", ""))


def _bars(judged: JudgedElement, *, used: bool) -> Iterator[Bar]:
    """Yield the event's current bar, and before it its previous one: a dropped event, or the part that was cut."""
    before, after = judged.original, judged.event
    if after is None or after.end <= after.start:
        if before is not None:
            yield _bar(before, "lost")
        return
    if before is not None and before.start < after.start:
        yield Bar(before.start, min(before.end, after.start), "before")
    yield _bar(after, _LOOKS.get(judged.outcome, "in" if used else "unused"))


def _bar(event: Event, look: str) -> Bar:
    return Bar(event.start, event.end, look, "" if event.edge is None else str(event.edge))


def _fate(judged: JudgedElement, *, used: bool) -> str:
    if judged.outcome in IN_TIME:
        return f"{judged.outcome.replace('_', ' ')}{'' if used else ', not in results'}"
    if judged.reason is Reason.START_DROPPED:
        return "dropped with its start"
    late = "" if judged.lateness is None else f", {length(judged.lateness)} late"
    moved = ", vanished" if judged.reason is Reason.VANISHED else f" by {length(judged.moved_by or NO_TICKS)}"
    words = {
        Outcome.ADJUSTED: f"adjusted{moved}",
        Outcome.SHIFTED: f"shifted{moved}",
        Outcome.LATE_KEPT: f"kept{late}",
        Outcome.DROPPED_LATE: f"dropped{late}",
        Outcome.DROPPED_EARLY: "dropped, too early",
        Outcome.DROPPED_WINDOW_CLOSED: "window closed",
        Outcome.MALFORMED: f"malformed: {judged.reason}",
    }
    return words[judged.outcome]


def _released_line(released: ReleasedRow, several: bool) -> Line:
    flow, cause = released.row.flow, released.row.released_by
    gone = flow.gone or flow.vanishes
    look = "gone" if gone else "replaced" if released.replaced else "out"
    capped = released.row.edge or ""
    pane = flow.pane
    timing = [str(pane.timing)] if pane is not None and (pane.index > 0 or pane.timing is Timing.EARLY) else []
    made_by = [f"from {', '.join(released.made_by)}"] if released.made_by else ["from nothing"]
    notes = ["deleted"] if gone else [*timing, *made_by]
    if cause is None:
        tail = "at once" if pane is None else "at batch end"
    elif cause.cti == INFINITY:
        tail = "at the end"
    else:
        tail = f"at {cause.input} CTI {moment(cause.cti)}" if several else f"at CTI {moment(cause.cti)}"
    return Line(None, payload(flow.payload), (Bar(flow.start, flow.end, look, capped),), ", ".join(notes), tail)


def describe(section: PictureSection) -> str:
    """Describe the section in sentences, for readers who cannot see it."""
    sentences = []
    for line in section.lines:
        words = [f"{line.number}:" if line.number is not None else "", line.label]
        words += [f"from {moment(bar.start)} to {moment(bar.end)}" for bar in line.bars[-1:]]
        sentences.append(", ".join(filter(None, (" ".join(filter(None, words)), line.note, line.tail))))
    ctis = [f"CTIs {', '.join(map(moment, section.marks))}"] if section.marks else []
    return f"{section.title}. {'; '.join([*sentences, *ctis]) or 'nothing'}."


def payload(fields: Mapping[str, Any]) -> str:
    """The fields of a payload on one line."""
    return " ".join(f"{name}={_value(value)}" for name, value in fields.items())


def _value(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{{payload(value)}}}"
    return str(value)


def moment(at: int) -> str:
    """Format a moment for a picture: a count of ticks, or a date if it is far from 1970-01-01."""
    if at in (NO_CTI, INFINITY):
        return "none" if at == NO_CTI else "infinity"
    return f"{at:,}" if abs(at) < _DATED else spell_instant(Tick(at))[5:16]


def length(ticks: Ticks) -> str:
    """Format a length of time: small ones as a bare count, as on the axis."""
    return str(ticks) if abs(ticks) < 1_000 else format_duration(ticks)
