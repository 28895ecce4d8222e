"""From a command line to a definition without errors: query, streams, settings and files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from streaming.definition.checks.advance import check_advance, in_force, temporal_settings
from streaming.definition.checks.bindings import check_binding
from streaming.definition.checks.check import check
from streaming.definition.checks.clocks import drop_repeated_no_clock, find_held_nodes
from streaming.definition.faults import Fault, FaultCode, Severity, error
from streaming.definition.graph import InputNode, OutputNode, QueryGraph
from streaming.definition.own_functions.modules import find_module
from streaming.definition.payload.types import Fields
from streaming.definition.sql.check import check_sql
from streaming.definition.streams.event_time import with_event_times
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.run.errors import DefinitionRefused, UsageError
from streaming.run.inputs.files import InputFiles, input_files
from streaming.run.inputs.infer import infer
from streaming.run.modules import declare_modules
from streaming.run.options import RunOptions
from streaming.run.query import QueryFile, load_query
from streaming.run.shown import shown_faults
from streaming.run.streams import StreamSpec, load_advance, load_streams
from streaming.temporal.settings import AdvanceTime


@dataclass(frozen=True)
class RunDefinition:
    """A definition without errors. Each input node reads a separate stream with the node's name.

    `streams`, `files`, `columns` and `readings` are by input node, `advance` and `temporal` are the settings in force,
    `outputs` the fields of each output. `asked` and `named` are the graph and the streams (by name) with the user's
    names. `messages` are lines for the user: inferences and warnings.
    """

    graph: QueryGraph
    asked: QueryGraph
    named: Mapping[str, StreamDefinition]
    streams: Mapping[str, StreamDefinition]
    advance: Mapping[str, AdvanceTimeSettings]
    temporal: Mapping[str, AdvanceTime]
    outputs: Mapping[str, Fields]
    stream_names: Mapping[str, str]
    files: Mapping[str, InputFiles]
    columns: Mapping[str, Mapping[str, str]]
    readings: Mapping[str, Mapping[str, Any]]
    messages: tuple[str, ...]


@dataclass(frozen=True)
class _KnownStreams:
    """The known streams of the query by name, and the messages about them."""

    specs: Mapping[str, StreamSpec]
    faults: tuple[Fault, ...]
    lines: tuple[str, ...]

    def explains(self, fault: Fault) -> bool:
        """Return true if `fault` only follows from a stream that exists and cannot be read."""
        names = {each.field.split(".")[1] for each in self.faults if each.field}
        return fault.code is FaultCode.UNKNOWN_STREAM and any(f"stream {name!r}." in fault.message for name in names)

    @property
    def definitions(self) -> dict[str, StreamDefinition]:
        return {name: each.definition for name, each in self.specs.items()}


def define(options: RunOptions) -> RunDefinition:
    """Read and check everything that the command line names.

    Raises `DefinitionRefused` with every error, `UsageError` for inputs without a file or files without an input, and
    `InputUnreadable`.
    """
    if options.modules is not None:
        declare_modules(options.modules)
    query = load_query(options.query)
    files = _files(query, options)
    streams = _streams(query, options, files)
    advance, wrong = load_advance(options.advance, query.graph)
    own_ctis = _own_ctis(query, files, streams)
    of_query = [
        fault for fault in _faults(query, streams.definitions, advance, own_ctis) if not streams.explains(fault)
    ]
    faults = [*streams.faults, *wrong, *of_query]
    graph = query.graph
    errors = any(fault.severity is Severity.ERROR for fault in faults)
    temporal: Mapping[str, AdvanceTime] = {}
    if graph is not None and not errors:
        temporal = temporal_settings(graph, streams.definitions, {**query.advance, **advance})
    text = None if query.script is None else query.script.text
    lines = shown_faults(options.streams or query.path, None, streams.faults)
    lines += shown_faults(query.path, text, faults[len(streams.faults) :])
    if graph is None or errors:
        raise DefinitionRefused(faults, [*streams.lines, *lines], text)
    settings = in_force(graph, streams.definitions, {**query.advance, **advance})
    schemas = check(graph, streams.definitions).schemas
    return RunDefinition(
        graph=_own_streams(graph),
        asked=graph,
        named=streams.definitions,
        streams=with_event_times(graph, streams.definitions, query.event_times),
        advance=settings,
        temporal=temporal,
        outputs={node.id: schemas[node.id] for node in graph.nodes if isinstance(node, OutputNode)},
        stream_names=query.inputs,
        files=files,
        columns={node: streams.specs[stream].columns for node, stream in query.inputs.items()},
        readings={node: streams.specs[stream].reading for node, stream in query.inputs.items()},
        messages=(*streams.lines, *lines),
    )


def _files(query: QueryFile, options: RunOptions) -> dict[str, InputFiles]:
    """Return the files of each input node; an explanation needs none."""
    inputs = query.inputs
    found: dict[str, InputFiles] = {}
    for name, path in options.inputs.items():
        nodes = [name] if name in inputs else [node for node, stream in inputs.items() if stream == name]
        if not nodes and query.graph is None:
            continue  # the errors of the query come first; its inputs are not certain
        if not nodes:
            known = ", ".join(dict.fromkeys([*inputs, *inputs.values()])) or "none"
            raise UsageError(f"--input {name}: the query has no such input; it has {known}.")
        files = input_files(name, path)
        found |= {node: files for node in nodes if node == name or node not in options.inputs}
    missing = [node for node in inputs if node not in found]
    if missing and not options.explain and query.graph is not None:
        raise UsageError(f"The query reads {', '.join(missing)}. Add --input {missing[0]}=PATH.")
    return found


def _streams(query: QueryFile, options: RunOptions, files: Mapping[str, InputFiles]) -> _KnownStreams:
    """Return the given streams, and those inferred from files. A query with errors of form causes no refusal here."""
    read = load_streams(options.streams)
    unreadable = {fault.field.split(".")[1] for fault in read.faults if fault.field}
    specs, lines = dict(read.streams), list[str]()
    for node, stream in query.inputs.items():
        if stream in specs or stream in unreadable or node not in files:
            continue
        try:
            inferred = infer(stream, files[node], query.event_times.get(node))
        except UsageError:
            if query.graph is None:
                continue
            raise
        specs[stream] = StreamSpec(inferred.stream, reading=inferred.reading)
        lines.append(inferred.message)
    unread = [name for name in read.streams if name not in query.inputs.values()]
    if unread and query.graph is not None:
        reads = ", ".join(dict.fromkeys(query.inputs.values())) or "no stream"
        lines.append(f"{options.streams}: not read by the query: {', '.join(unread)}; it reads {reads}.")
    return _KnownStreams(specs, read.faults, tuple(lines))


def _own_ctis(query: QueryFile, files: Mapping[str, InputFiles], streams: _KnownStreams) -> set[str]:
    """Return the streams whose rows may be CTIs: those of transcripts; without a file any stream."""
    return {
        stream
        for node, stream in query.inputs.items()
        if node not in files
        or (files[node].form == "json_lines" and stream in streams.specs and not streams.specs[stream].columns)
    }


def _faults(
    query: QueryFile,
    streams: Mapping[str, StreamDefinition],
    advance: Mapping[str, AdvanceTimeSettings],
    own_ctis: set[str],
) -> Iterator[Fault]:
    """Yield all errors, in the order of the text if there is one."""
    if query.script is not None:
        yield from check_sql(query.script.text, streams, advance=advance, own_ctis=own_ctis, modules=find_module).faults
        return
    raw = query.raw
    yield from (_without_history(name) for name, stream in streams.items() if stream.history is not None)
    yield from check(raw if isinstance(raw, dict) else {}, streams, modules=find_module).faults
    graph = query.graph
    if graph is None:
        return
    settings = in_force(graph, streams, advance)
    alone = [
        fault.model_copy(update={"node": node})
        for node, stream in query.inputs.items()
        if node in settings
        for fault in check_advance(settings[node], streams[stream], stream in own_ctis)
    ]
    yield from drop_repeated_no_clock(alone, find_held_nodes(graph, streams, settings, own_ctis))
    yield from check_binding(graph, streams, settings, own_ctis)


def _without_history(stream: str) -> Fault:
    message = f"The stream {stream!r} has a history, but each input of this command is one source."
    remedy = "Leave 'history' out, and write the rows of history before those of live in the file."
    return error(FaultCode.CONFLICTING_ARGUMENTS, message, remedy, field=f"streams.{stream}.history")


def _own_streams(graph: QueryGraph) -> QueryGraph:
    """Return the graph with a separate stream for each input: EVENTTIME BY belongs to an input, not to a stream."""
    nodes = [
        node.model_copy(update={"stream": node.id}) if isinstance(node, InputNode) else node for node in graph.nodes
    ]
    return graph.model_copy(update={"nodes": nodes})
