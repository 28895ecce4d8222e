"""Checking streams and inputs: schema, advance-time settings, adapter options, each with all its faults."""

from typing import Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.registry import sends_ctis
from streaming.definition.check import check_advance, check_fields
from streaming.definition.counts import counted
from streaming.definition.faults import Fault, FaultCode, Severity
from streaming.definition.streams import AdapterChoice, AdvanceTimeSettings, StreamDefinition
from webapp.core.errors import fault
from webapp.core.limited.jobs import TYPING, limited
from webapp.streams.adapters import try_options

MOST_LANES: Final = 1_000
"""Each lane has a clock of its own, in every batch."""


def check_stream(definition: StreamDefinition, adapter: AdapterChoice) -> list[Fault]:
    """Return the faults of a stream; an absent clock is no fault here, for a binding may bring one."""
    faults = check_input(definition, adapter, None, node=None)
    return [each for each in faults if each.severity is Severity.ERROR]


@limited("The check of this stream", "Give it fewer or simpler fields.", TYPING, opens_secrets=True)
def stream_faults(definition: StreamDefinition, adapter: AdapterChoice) -> list[Fault]:
    """Return what `check_stream` finds."""
    return check_stream(definition, adapter)


def in_body(found: Fault) -> Fault:
    """Return a fault of `check_stream` with the path that its field has in the body of a stream, as a form knows it."""
    field = found.field or ""
    if field.startswith("stream.fields."):
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
    """Return the faults of an input whose `advance` replaces the stream's settings; with `connect`, try the adapter."""

    if len(definition.lanes or ()) > MOST_LANES:
        message = f"The stream has {counted(len(definition.lanes or ()), 'lane')}; at most {MOST_LANES:,} are read."
        remedy = "List fewer: what is only another key needs no lane."
        return [fault(FaultCode.BAD_SCHEMA, message, remedy, node=node, field="lanes")]
    faults = list(check_fields(definition.fields, node=node))
    if not faults:
        faults = try_options(definition, adapter, node=node, connect=connect)
    try:
        own_ctis = sends_ctis(adapter.kind)
    except AdapterError:
        own_ctis = True  # the unknown kind is a fault already, and says nothing about the clock
    settings = advance if advance is not None else definition.advance
    for each in check_advance(settings, definition, own_ctis):
        faults.append(each if each.node or node is None else each.model_copy(update={"node": node}))
    return faults
