"""Sources of samples, each in a limited process, because the data come from strangers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from streaming.adapters import preview
from streaming.adapters.contract import AdapterError
from streaming.definition.checks.nodes import check_fields
from streaming.definition.faults import Fault, FaultCode, nearest
from streaming.definition.graph import InputNode
from streaming.definition.streams.stream import AdapterChoice, StreamDefinition, TimeUnit
from streaming.simulator.samples.capturing import RowNote, TakenSample, of_adapter, of_quarantine
from streaming.simulator.samples.generating import generated
from streaming.simulator.samples.pasting import read_pasted
from streaming.storage.results import committed_rows
from streaming.wire.messages import LateEvent
from streaming.wire.quarantine_choice import QuarantineChoice
from webapp.accounts.limits.previews import previewing
from webapp.core.errors import Faulty, fault
from webapp.core.limited.jobs import MIB, READING, Limits, limited
from webapp.queries.simulation.bodies import MOST_ROWS
from webapp.runs.models import Binding
from webapp.runs.storage.rows_at_hand import rows_at_hand
from webapp.samples.bodies import (
    GeneratedSampleBody,
    NamedStreamBody,
    QuarantineSampleBody,
    SampleTaken,
    StreamSampleBody,
    TextSampleBody,
)
from webapp.streams.access import streams_by_name
from webapp.streams.adapters import adapter_fault, build, now_ticks
from webapp.streams.checking import in_body
from webapp.streams.models import Stream

LIMITS: Final = Limits(cpu_s=10, wall_s=15, memory_bytes=512 * MIB, output_bytes=32 * MIB, file_bytes=0, at_once=2)
NEWEST_ALONE: Final = RowNote(
    row=None, message="This quarantine is long, so older rows were not searched: choose them on its page."
)
FEWER: Final = "Use fewer rows, or a shorter text."
Streams = Mapping[str, tuple[str, StreamDefinition]]


@dataclass(frozen=True)
class SampleOutcome:
    """A sample, or the errors that prevent it."""

    taken: SampleTaken | None = None
    faults: list[Fault] = field(default_factory=list)


def of_stream(body: StreamSampleBody) -> SampleTaken:
    """Return the first rows that the adapter of a stream reads. Raises `Faulty`, `OverQuota`, `Busy`."""
    stream = _stream(body.stream)
    with previewing():
        return unwrap(read_stream(stream.name, stream.read_definition(), stream.read_adapter(), body.rows))


def of_text(body: TextSampleBody) -> SampleTaken:
    """Return the rows of a text. Raises `Faulty`."""
    return unwrap(read_text(body.text, body.stream, _definition(body), body.columns, body.unit))


def of_generator(body: GeneratedSampleBody) -> SampleTaken:
    """Return generated rows. Raises `Faulty`."""
    dials = body.model_dump(exclude={"stream", "definition", "rows"})
    return unwrap(generate(body.stream, _definition(body), dials, body.rows))


def of_binding(binding: Binding, body: QuarantineSampleBody) -> SampleTaken:
    """Return rows of the quarantine of `binding`."""
    bound = {each.node: each.stream for each in binding.inputs.select_related("stream")}
    streams = {
        node.id: (node.stream, bound[node.id].read_definition())
        for node in binding.query_version.read_graph().nodes
        if isinstance(node, InputNode) and node.id in bound
    }
    with rows_at_hand(binding.pk) as at_hand:
        taken = read_quarantine(at_hand.folder, streams, body.rows, body)
    if at_hand.complete_from < 0 or len(taken.rows) >= body.rows:
        return taken
    return taken.model_copy(update={"notes": [*taken.notes, NEWEST_ALONE]})


@limited("Reading these rows", FEWER, READING, opens_secrets=True)
def read_stream(name: str, definition: StreamDefinition, choice: AdapterChoice, rows: int) -> SampleOutcome:
    """Return the first rows that the adapter reads."""
    try:
        found = preview.sample(build(definition, choice), rows, now=now_ticks())
    except AdapterError as error:
        return SampleOutcome(None, [adapter_fault(str(error))])
    return SampleOutcome(plain(of_adapter(name, definition, found)))


@limited("Reading this text", FEWER, LIMITS)
def read_text(
    text: str, name: str, stream: StreamDefinition, columns: Mapping[str, str], unit: TimeUnit | None
) -> SampleOutcome:
    """Return the records of a text as rows."""
    if faults := _faults_of_fields(stream):
        return SampleOutcome(None, faults)
    read = read_pasted(text, name, stream, columns, unit, MOST_ROWS)
    return SampleOutcome(SampleTaken(rows=read.rows, columns=read.columns, notes=read.notes))


@limited("Generating these rows", FEWER, LIMITS)
def generate(name: str, stream: StreamDefinition, dials: Mapping[str, Any], rows: int) -> SampleOutcome:
    """Return generated rows."""
    if faults := _faults_of_fields(stream):
        return SampleOutcome(None, faults)
    try:
        return SampleOutcome(plain(generated(name, stream, dials, rows)))
    except AdapterError as error:
        return SampleOutcome(None, [fault(FaultCode.BAD_ADAPTER, str(error), "Change the stream or the settings.")])


@limited("Reading this quarantine", FEWER, LIMITS)
def read_quarantine(folder: str, streams: Streams, rows: int, chosen: QuarantineChoice) -> SampleTaken:
    """Return the newest rows of a quarantine that match `chosen`, oldest first."""
    found: list[LateEvent] = []
    before: str | None = None
    while len(found) < rows:
        page = committed_rows(Path(folder), "late", rows - len(found), before, matching=chosen.fits)
        found += [LateEvent.model_validate(_own(row)) for row in page.rows]
        before = page.next
        if before is None:
            break
    return plain(of_quarantine(streams, found[::-1]))


def _faults_of_fields(stream: StreamDefinition) -> list[Fault]:
    return [in_body(each) for each in check_fields(stream.fields)]


def _own(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not name.startswith("_")}


def plain(taken: TakenSample) -> SampleTaken:
    """Return rows that were read as the API sends them."""
    return SampleTaken(rows=taken.rows, columns=[], notes=taken.notes)


def unwrap(outcome: SampleOutcome) -> SampleTaken:
    """Return the sample. Raises `Faulty` without one."""
    if outcome.taken is None:
        raise Faulty(outcome.faults)
    return outcome.taken


def _definition(body: NamedStreamBody) -> StreamDefinition:
    return body.definition if body.definition is not None else _stream(body.stream).read_definition()


def _stream(name: str) -> Stream:
    streams = streams_by_name()
    if name in streams:
        return streams[name]
    remedy = nearest(name, streams, "Name a stream of the organisation.")
    raise Faulty([fault(FaultCode.UNKNOWN_STREAM, f"No stream is called {name!r}.", remedy, field="stream")])
