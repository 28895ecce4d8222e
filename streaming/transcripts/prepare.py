"""Conversion of a transcript to the cases that executors run: one for each cut of the input into micro-batches."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import ValidationError

from streaming.definition.checks.advance import check_advance, in_force
from streaming.definition.checks.bindings import check_binding
from streaming.definition.checks.check import CheckedDefinition, check
from streaming.definition.faults import Fault, FaultCode, Severity, nearest
from streaming.definition.faults import error as fault
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.own_functions.modules import find_module
from streaming.definition.shape_errors import shape_errors
from streaming.definition.sql.check import check_sql
from streaming.definition.sql.parse import parse_sql
from streaming.definition.streams.event_time import with_event_times
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy, StreamDefinition
from streaming.transcripts.format import Transcript
from streaming.transcripts.load import TranscriptError
from streaming.transcripts.modules import TranscriptModules, read_modules
from streaming.transcripts.rows import inputs_by_stream, sourced_rows, unlike_event_times
from streaming.transcripts.seam import joined_rows
from streaming.wire.execution.case import Case

Cuts = Literal["all", "none"]


@dataclass(frozen=True)
class TranscriptDefinition:
    """The definition of a transcript with all of its errors; `graph` is None if it has no shape.

    `advance` holds the binding's settings by input node, `event_times` the EVENTTIME BY of a text.
    """

    graph: QueryGraph | None
    streams: Mapping[str, StreamDefinition]
    advance: Mapping[str, AdvanceTimeSettings]
    checked: CheckedDefinition
    faults: tuple[Fault, ...]
    event_times: Mapping[str, EventTimeBy] = field(default_factory=dict)

    @property
    def errors(self) -> tuple[Fault, ...]:
        """Return the errors that refuse the definition."""
        return tuple(fault for fault in self.faults if fault.severity is Severity.ERROR)


def define(transcript: Transcript) -> TranscriptDefinition:
    """Read and check the definition of `transcript`; errors are collected, never raised."""
    faults: list[Fault] = []
    streams: dict[str, StreamDefinition] = {}
    for name, raw in transcript.streams.items():
        try:
            streams[name] = StreamDefinition.model_validate(raw)
        except ValidationError as error:
            faults.append(_misshapen(f"streams.{name}", f"Stream {name!r}", error, raw))
        else:
            faults += check_advance(streams[name].advance, streams[name], adapter_sends_ctis=True)
    modules = read_modules(transcript.modules)
    faults += modules.faults
    if transcript.sql is not None:
        return _of_text(transcript.sql, transcript.advance, streams, faults, modules)
    raw_graph = modules.in_graph({"version": 1, "name": "transcript"} | (transcript.query or {}))
    checked = check(raw_graph, streams, modules=find_module)
    faults += checked.faults
    try:
        graph = QueryGraph.model_validate(raw_graph)
    except ValidationError:
        graph = None
    advance, wrong = _binding(transcript.advance, graph, streams)
    return TranscriptDefinition(graph, streams, advance, checked, (*faults, *wrong))


def _of_text(
    sql: str,
    written: Mapping[str, Mapping[str, Any]],
    streams: Mapping[str, StreamDefinition],
    faults: list[Fault],
    modules: TranscriptModules,
) -> TranscriptDefinition:
    """Read the definition from a text: its ADVANCE TIME is the binding's, unless `written` sets the input."""
    sql = modules.in_text(sql)
    script = parse_sql(sql)
    advance, wrong = _binding(written, script.graph, streams)
    text = check_sql(sql, streams, advance=advance, modules=find_module)
    checked = CheckedDefinition(text.faults, text.schemas)
    every = (*faults, *wrong, *text.faults)
    return TranscriptDefinition(
        script.graph, streams, {**script.advance, **advance}, checked, every, script.event_times
    )


def _binding(
    written: Mapping[str, Mapping[str, Any]], graph: QueryGraph | None, streams: Mapping[str, StreamDefinition]
) -> tuple[dict[str, AdvanceTimeSettings], list[Fault]]:
    """Return the binding's settings by input node, and their errors.

    The errors include those that only a whole binding can have.
    """
    if graph is None:
        return {}, []
    inputs = {node.id: node.stream for node in graph.nodes if isinstance(node, InputNode)}
    settings: dict[str, AdvanceTimeSettings] = {}
    faults: list[Fault] = []
    for name, raw in written.items():
        if name not in inputs:
            remedy = nearest(name, inputs, "Name an input node of the query.")
            faults.append(fault(FaultCode.UNKNOWN_INPUT, f"There is no input {name!r}.", remedy, field="advance"))
            continue
        try:
            settings[name] = AdvanceTimeSettings.model_validate(raw)
        except ValidationError as error:
            faults.append(_misshapen(f"advance.{name}", f"The settings of {name!r}", error, raw))
            continue
        if inputs[name] in streams:
            faults += check_advance(settings[name], streams[inputs[name]], adapter_sends_ctis=True)
    return settings, faults + list(check_binding(graph, streams, in_force(graph, streams, settings)))


def _misshapen(place: str, what: str, error: ValidationError, raw: object) -> Fault:
    first = shape_errors(error, raw)[0]
    field = first.path
    code = FaultCode.BAD_SCHEMA if field.startswith("fields") else FaultCode.BAD_SHAPE
    remedy = "Write the stream as DEFINITION.md section 4 shows."
    return fault(code, f"{what}: {first.message}.", remedy, field=f"{place}.{field}")


def prepare(transcript: Transcript, definition: TranscriptDefinition) -> Case:
    """Return the case without extra cuts.

    Raises `TranscriptError` for a definition with errors; for a stream that no input node reads, or several do by
    different event times; and for rows that name no stream or, if there are several, no lane.
    """
    if definition.graph is None or definition.errors:
        raise TranscriptError("; ".join(f"{fault.code}: {fault.message} {fault.remedy}" for fault in definition.errors))
    graph = definition.graph
    readers = inputs_by_stream(graph)
    for stream in definition.streams:
        if stream not in readers:
            raise TranscriptError(f"no input node reads the stream {stream!r}; let one read it, or leave it out")
    unlike = unlike_event_times(graph, definition.event_times)
    if unlike is not None:
        raise TranscriptError(unlike)
    timed = with_event_times(graph, definition.streams, definition.event_times)
    streams = {name: timed[readers[name][0]] for name in definition.streams}
    return Case(
        id=transcript.name,
        graph=graph,
        streams={name: stream.model_copy(update={"event_time": None}) for name, stream in streams.items()},
        rows=tuple(joined_rows(sourced_rows(transcript.input, streams), streams)),
        end=transcript.end,
        advance=definition.advance,
    )


def variants(case: Case, cuts: Cuts, *, restarts: bool) -> list[Case]:
    """Return `case` as written; with cuts `all` also with other cuts.

    The other cuts are one boundary at each position, and one at every position. With `restarts` each case with a
    boundary comes a second time, killed and restarted at its boundaries. A case with imported CTIs gets no other cuts:
    the CTIs take effect at its boundaries (T26).
    """
    settings = in_force(case.graph, case.streams, case.advance)
    if cuts == "none" or any(each.import_from is not None for each in settings.values()):
        return [case]
    positions = range(1, len(case.rows))
    cut = [case]
    cut += [_cut(case, f"cut before row {position}", [position]) for position in positions]
    if len(positions) > 1:
        cut.append(_cut(case, "cut before every row", list(positions)))
    if not restarts:
        return cut
    killed = [replace(each, id=f"{each.id}, killed there", restart=True) for each in cut if _boundaries(each)]
    return cut + killed


def _boundaries(case: Case) -> int:
    return case.rows[-1].batch if case.rows else 0


def _cut(case: Case, how: str, positions: list[int]) -> Case:
    rows = (
        replace(row, batch=sum(position <= number for position in positions)) for number, row in enumerate(case.rows)
    )
    return replace(case, id=f"{case.id}, {how}", rows=tuple(rows))
