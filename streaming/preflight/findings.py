"""Warnings about a sample before a start, each with its figures and a remedy."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.faults import Fault, FaultCode, warning
from streaming.definition.streams.time_columns import plausible
from streaming.planning.explain.words import spoken
from streaming.preflight.measure import MeasuredInput, share_late
from streaming.preflight.state import StateEstimate
from streaming.temporal.outcomes import Reason
from streaming.temporal.settings import AdvanceTime, Future
from streaming.temporal.ticks import Tick, Ticks, format_instant

MOST_ROWS: Final = 1_000_000
"""A node that keeps more rows at a time gets a warning."""
MOST_WINDOWS: Final = 1_000
"""A row in more windows at the same time gets a warning."""
MIB: Final = 1 << 20
_UNITS: Final = ((1_000_000, "s", "us"), (1_000, "ms", "us"), (1_000, "s", "ms"))
"""The factor: how many times too small a time is when it is written in the first unit and read in the second."""
_MALFORMED: Final[Mapping[Reason, str]] = {
    Reason.BAD_ROW: "that cannot be read at all",
    Reason.BAD_TIME: "without a time that can be read (null, missing, or text of another form)",
    Reason.BAD_LIFETIME: "that would end before the start",
    Reason.BAD_PAYLOAD: "with values that do not fit the fields of the stream",
    Reason.BAD_CTI: "with a CTI without a readable time",
}
_TO_MEND: Final[Mapping[Reason, str]] = {
    Reason.BAD_TIME: "Check the event time of the stream: its column, unit and time zone.",
    Reason.BAD_LIFETIME: "Check if start and end of the stream's event time are swapped.",
    Reason.BAD_PAYLOAD: "Correct the types of the stream's fields.",
}
_LENGTHS: Final = (3_600_000_000, 60_000_000, 1_000_000, 1_000)
_OTHERWISE: Final = "Open the sample of the stream to see them; in a run they go to quarantine."
_EARLY: Final[Mapping[Future, str]] = {
    Future.ACCEPT: "are accepted, and move time ahead for all later rows",
    Future.HOLD: "are accepted, but move no CTI",
    Future.DROP: "are dropped",
}


def input_findings(measured: MeasuredInput, settings: AdvanceTime) -> Iterator[Fault]:
    """Yield the findings on the sample of one input, the most serious first."""
    if not measured.rows and not measured.ctis:
        message = f"No rows of {measured.stream} were read, so nothing could be measured."
        remedy = "Add data to its source, or paste a sample, and validate again."
        yield warning(FaultCode.EMPTY_SAMPLE, message, remedy, node=measured.input)
        return
    wrong_unit = list(_wrong_unit(measured))
    yield from wrong_unit or _ahead(measured, settings)
    yield from _malformed(measured)
    yield from _delay(measured)


def state_findings(estimates: Sequence[StateEstimate]) -> Iterator[Fault]:
    """Yield warnings on state that would fill memory at the rate of the sample."""
    for each in estimates:
        if each.rows <= MOST_ROWS and each.windows <= MOST_WINDOWS:
            continue
        message = f"{each.node} would keep about {each.text}, {each.bytes // MIB:,} MiB of rows as text."
        remedy = "Use shorter windows, a longer hop, less grace or delay, or filter before it."
        yield warning(FaultCode.LARGE_STATE, message, remedy, node=each.node)


def _of_rows(count: int, measured: MeasuredInput) -> str:
    return f"{count:,} of {counted(measured.rows, 'row')} of {measured.stream}"


def _malformed(measured: MeasuredInput) -> Iterator[Fault]:
    """Yield one warning for all of them; the remedy is that of the most frequent reason."""
    if not measured.malformed:
        return
    found = sorted(measured.malformed.items(), key=lambda each: (-each[1], each[0]))
    reasons = "; ".join(f"{count:,} {_MALFORMED.get(reason, str(reason))}" for reason, count in found)
    message = f"{_of_rows(sum(measured.malformed.values()), measured)} are malformed: {reasons}."
    yield warning(FaultCode.ROWS_MALFORMED, message, _TO_MEND.get(found[0][0], _OTHERWISE), node=measured.input)


def _ahead(measured: MeasuredInput, settings: AdvanceTime) -> Iterator[Fault]:
    if measured.ahead:
        message = (
            f"{_of_rows(measured.ahead, measured)} are in the future, by up to {spoken(measured.furthest_ahead)} more "
            f"than the {spoken(settings.max_ahead)} allowed; such rows {_EARLY[settings.future]}."
        )
        remedy = "Check the unit and zone of the event time, and the clocks of the systems that write the rows."
        yield warning(FaultCode.TIMES_AHEAD, message, remedy, node=measured.input)


def _wrong_unit(measured: MeasuredInput) -> Iterator[Fault]:
    """Yield a warning on times that are implausible as read, and plausible in another unit."""
    if measured.first is None or measured.last is None or plausible(measured.last, measured.first):
        return
    for times, written, read in _UNITS:
        if plausible(Tick(measured.first * times), Tick(measured.last * times)):
            yield _unit_fault(measured, written, read, Tick(measured.first * times))
            return
    for times, read, written in _UNITS:
        if plausible(Tick(measured.first // times), Tick(measured.last // times)):
            yield _unit_fault(measured, written, read, Tick(measured.first // times))
            return


def _unit_fault(measured: MeasuredInput, written: str, read: str, would_be: Tick) -> Fault:
    first = format_instant(Tick(measured.first or 0))
    message = (
        f"The times of {measured.stream} start at {first}. They look like {written} but are read as {read}. "
        f"In the right unit, they would start at {format_instant(would_be)}."
    )
    remedy = f"Choose the unit {written} for the event time of the stream."
    return warning(FaultCode.WRONG_TIME_UNIT, message, remedy, node=measured.input)


def _delay(measured: MeasuredInput) -> Iterator[Fault]:
    """Yield a warning if one row in a hundred is later than the delay covers."""
    late, delay = measured.lateness, measured.delay
    if late is None or delay is None or late.p99 <= delay:
        return
    message = (
        f"One row in a hundred of {measured.stream} is {spoken(_rounded(late.p99))} or more older than the newest "
        f"(p99); the delay is {spoken(delay)}. In the sample {share_late(measured):.1%} of the rows are late."
    )
    remedy = (
        f"A delay of {spoken(_rounded_up(late.p99))} covers 99 % of them, one of {spoken(_rounded_up(late.largest))} "
        "all; results then wait that much longer. Keep the delay if late rows may be cut or dropped."
    )
    yield warning(FaultCode.DELAY_TOO_SHORT, message, remedy, node=measured.input)


def _step(ticks: Ticks) -> int:
    """Return the value of the second digit of `ticks` in its largest unit: nobody sets a delay of 11s346ms491us."""
    unit = next((length for length in _LENGTHS if ticks >= length), 1)
    return max(1, unit if ticks >= 10 * unit else unit // 10)


def _rounded(ticks: Ticks) -> int:
    step = _step(ticks)
    return round(ticks / step) * step


def _rounded_up(ticks: Ticks) -> int:
    step = _step(ticks)
    return -(-ticks // step) * step
