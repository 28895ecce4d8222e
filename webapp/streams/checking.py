"""Checks of streams and inputs: schema, advance-time settings, adapter options, each with all its errors."""

from typing import Final

from streaming.adapters import preview
from streaming.adapters.contract import AdapterError
from streaming.adapters.history.choices import one_source
from streaming.adapters.registry import sends_ctis
from streaming.adapters.times.selections import MissingColumn
from streaming.definition.checks.check import check_advance, check_fields
from streaming.definition.checks.tables import check_table
from streaming.definition.counts import counted
from streaming.definition.faults import Fault, FaultCode, Severity, warning
from streaming.definition.streams.stream import AdapterChoice, AdvanceTimeSettings, Rowtime, StreamDefinition
from webapp.core.errors import Busy, TooMuchWork, fault
from webapp.core.limited.jobs import READING, TYPING, limited
from webapp.streams.adapters import build, history_faults, now_ticks, try_options

MOST_FIELDS: Final = 1_000
"""Every field is checked, listed and drawn wherever the stream is used."""
LOOKED_AT: Final = 100
WARNED: Final = frozenset({"file"})
"""Kinds of adapters whose first rows are read when a stream is written."""
MOST_LANES: Final = 1_000
"""Each lane has a clock of its own, in every batch."""


def check_stream(definition: StreamDefinition, adapter: AdapterChoice) -> list[Fault]:
    """Return the errors of a stream; a missing clock is no error here, because a binding may add one."""
    faults = check_input(definition, adapter, None, node=None)
    return [each for each in faults if each.severity is Severity.ERROR]


@limited("The check of this stream", "Give it fewer or simpler fields.", TYPING, opens_secrets=True)
def stream_faults(definition: StreamDefinition, adapter: AdapterChoice) -> list[Fault]:
    """Return the errors of `check_stream`."""
    return check_stream(definition, adapter)


def warnings_of(definition: StreamDefinition, adapter: AdapterChoice) -> list[Fault]:
    """Return warnings about a valid stream; empty if no row can be read yet."""
    if adapter.kind not in WARNED or definition.rowtime is Rowtime.IMPLICIT:
        return []
    try:
        return time_warnings(definition, adapter)
    except (TooMuchWork, Busy):
        return []


@limited("Reading the first rows", "Check that the input contains rows.", READING, opens_secrets=True)
def time_warnings(definition: StreamDefinition, adapter: AdapterChoice) -> list[Fault]:
    """Return a warning if none of the first rows has a readable time."""
    start = "start" if definition.event_time is None else definition.event_time.start.column
    try:
        rows = preview.sample(build(definition, adapter), LOOKED_AT, now=now_ticks())
    except MissingColumn as missing:
        return [_no_time(f"{missing}")] if missing.name == start else []
    except AdapterError:
        return []  # the file may come later
    if not preview.lack_times(rows):
        return []
    return [_no_time(f"None of the first {counted(len(rows), 'row')} has a readable time in {start!r}.")]


def _no_time(message: str) -> Fault:
    remedy = "Every row will be malformed: choose the column, unit, pattern and zone of the event time."
    return warning(FaultCode.NO_READABLE_TIME, message, remedy, field="definition.event_time")


def in_body(found: Fault) -> Fault:
    """Return an error of `check_stream` with the path of its field in the body of a stream, as forms know it."""
    field = found.field or ""
    if field.startswith("stream."):
        path = field.replace("stream", "definition", 1)
    elif field.partition(".")[0] in ("adapter", "event_time", "rowtime", "lanes"):
        path = field if field.startswith("adapter") else f"definition.{field}"
    else:
        path = f"definition.advance.{field}" if field else "definition"
    return found.model_copy(update={"field": path})


def check_input(
    definition: StreamDefinition,
    adapter: AdapterChoice,
    advance: AdvanceTimeSettings | None,
    *,
    node: str | None,
    connect: bool = False,
) -> list[Fault]:
    """Return the errors of an input whose `advance` replaces the stream's settings; with `connect`, try the adapter."""

    if len(definition.fields) > MOST_FIELDS:
        message = f"The stream has {counted(len(definition.fields), 'field')}; at most {MOST_FIELDS:,} are allowed."
        remedy = "Leave out fields that no query uses, or split the stream."
        return [fault(FaultCode.BAD_SCHEMA, message, remedy, node=node, field="stream.fields")]
    if len(definition.lanes or ()) > MOST_LANES:
        message = f"The stream has {counted(len(definition.lanes or ()), 'lane')}; at most {MOST_LANES:,} are read."
        remedy = "List fewer: not every key needs a lane."
        return [fault(FaultCode.BAD_SCHEMA, message, remedy, node=node, field="lanes")]
    faults = [*check_fields(definition.fields, node=node), *check_table(definition, node=node)]
    if not faults:
        faults = try_options(one_source(definition), adapter, node=node, connect=connect)
        faults += history_faults(definition, adapter, node=node, connect=connect and not faults)
    try:
        own_ctis = sends_ctis(adapter.kind)
    except AdapterError:
        own_ctis = True  # the unknown kind is already an error; its clock is unknown
    settings = advance if advance is not None else definition.advance
    for each in check_advance(settings, definition, own_ctis):
        faults.append(each if each.node or node is None else each.model_copy(update={"node": node}))
    return faults
