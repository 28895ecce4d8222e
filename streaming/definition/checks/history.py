"""Checks of streams that read history first, and then live rows (T54 to T57)."""

from collections.abc import Iterator

from streaming.definition.checks.findings import expression_fault, expression_type
from streaming.definition.faults import Fault, FaultCode, error, nearest, warning
from streaming.definition.names import DurationText
from streaming.definition.payload.type_text import TypeTextError, parse_fields
from streaming.definition.payload.types import Null, is_ordered
from streaming.definition.streams.stream import Rowtime, Seam, StreamDefinition
from streaming.temporal.ticks import parse_duration


def check_history(stream: StreamDefinition, *, node: str | None = None) -> tuple[Fault, ...]:
    """Return the faults of the history of a stream; none if it has no history."""
    if stream.history is None:
        return ()
    seam = stream.history.seam
    return (
        *_check_rowtime(stream, node),
        *_check_time(seam, node),
        *_check_places(stream, seam, node),
        *_check_id(stream, seam, node),
    )


def _check_rowtime(stream: StreamDefinition, node: str | None) -> Iterator[Fault]:
    if stream.rowtime is Rowtime.IMPLICIT:
        message = "The rows of a history have no arrival time, so it can't be the time of their events."
        remedy = "Take the times from a column (rowtime: explicit), or leave the history out."
        yield error(FaultCode.CONFLICTING_ARGUMENTS, message, remedy, node=node, field="stream.rowtime")


def _check_time(seam: Seam, node: str | None) -> Iterator[Fault]:
    if seam.time is not None:
        message = (
            "A seam by time is exact only if the history is whole before it: a late event that only live has is lost."
        )
        remedy = "Use a seam by position or by id if late events may be missing in the history."
        yield warning(FaultCode.SEAM_BY_TIME, message, remedy, node=node, field="stream.history.seam.time")


def _check_places(stream: StreamDefinition, seam: Seam, node: str | None) -> Iterator[Fault]:
    lanes = stream.lanes
    if not isinstance(seam.position, dict) or lanes is None:
        return
    for lane in seam.position:
        if lane not in lanes:
            message = f"The stream lists no lane {lane!r}."
            remedy = nearest(lane, lanes, "Name lanes that the stream lists.")
            field = "stream.history.seam.position"
            yield error(FaultCode.CONFLICTING_ARGUMENTS, message, remedy, node=node, field=field)


def _check_id(stream: StreamDefinition, seam: Seam, node: str | None) -> Iterator[Fault]:
    if seam.id is None:
        return
    field = "stream.history.seam.id"
    try:
        fields = parse_fields(stream.fields)
    except TypeTextError:  # the check of the schema reports this
        return
    of = expression_type(seam.id, fields)
    if isinstance(of, tuple):
        yield from (expression_fault(fault, node, field) for fault in of)
    elif of is not None and (isinstance(of, Null) or not is_ordered(of)):
        message = f"An id must be a value that can be compared; this expression is of type {of}."
        remedy = "Write a field or an expression that is a number, a text, a boolean or a timestamp."
        yield error(FaultCode.TYPE_MISMATCH, message, remedy, node=node, field=field)
    yield from _check_over(seam.over, node)


def _check_over(over: DurationText | None, node: str | None) -> Iterator[Fault]:
    field = "stream.history.seam.over"
    if over is None:
        message = "Without 'over', the id of every row of the history is kept in memory."
        remedy = "Set 'over', such as '1d', to the time before the end of the history in which live may repeat rows."
        yield warning(FaultCode.UNBOUNDED_STATE, message, remedy, node=node, field=field)
    elif parse_duration(over) <= 0:
        message = f"'over' is {over}, which keeps no ids."
        yield error(FaultCode.BAD_DURATION, message, "Write a duration above zero.", node=node, field=field)
