"""Checks of the definitions in files, with each other and with the organisation's remaining definitions."""

import copy
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID, uuid4

from streaming.definition.checks.check import check
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.sql.rewriting.texts import rewrite_sql
from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.versions.meaning import InputSettings
from streaming.wire.freshness import Freshness
from webapp.bundles.boards import BoardAfter, board_after
from webapp.bundles.bodies import FileFault
from webapp.bundles.effort import Effort
from webapp.bundles.exporting import PresentDefinitions, binding_text
from webapp.bundles.feeds import Feeder, by_id, circle, fed_faults, unknown_feeder
from webapp.bundles.files import BindingFile, BundleFile, DefinitionFiles, StreamFile, bad_file, too_much_work
from webapp.bundles.outputs import outputs_after, written_outputs
from webapp.bundles.yaml_text import Path
from webapp.queries.checking import QueryDraft, examine_text, refuses
from webapp.queries.texts import settings_in, stored_text
from webapp.queries.written_texts import named_text
from webapp.runs.access import bound_inputs
from webapp.runs.bindings.service_levels import FreshnessLevel, stored_level
from webapp.runs.bound_inputs import BoundInput
from webapp.runs.inputs.checking import check_bound
from webapp.runs.inputs.input_resolution import choose
from webapp.runs.outputs.bound_outputs import BoundOutput, outputs_of
from webapp.runs.outputs.composing import feed_of, mark_faults
from webapp.runs.outputs.output_checks import checked_outputs
from webapp.streams.checking import check_stream
from webapp.streams.models import Stream
from webapp.streams.sealing import sealed, settled


@dataclass(frozen=True)
class QueryAfter:
    """A query as in the files: the draft to store, and its canonical text."""

    draft: QueryDraft
    text: str

    @property
    def says(self) -> InputSettings:
        """Return the settings of inputs in the text."""
        return self.draft.settings


@dataclass(frozen=True)
class BindingAfter:
    """A binding as in the files: its query, its own settings, the stream of each input, and its canonical text."""

    query: str
    dedicated: bool
    freshness: Freshness
    completeness: float
    freshness_level: FreshnessLevel | None
    chosen: Mapping[str, BoundInput]
    outputs: list[BoundOutput]
    text: str


@dataclass
class FutureDefinitions:
    """The definitions of the files, by name, as they will be stored; those with errors are left out.

    `streams` are new rows, or changed present ones that are not saved yet. `ids` are the ids of bindings by name, both
    present ones and new ones of the files.
    """

    streams: dict[str, Stream] = field(default_factory=dict)
    queries: dict[str, QueryAfter] = field(default_factory=dict)
    bindings: dict[str, BindingAfter] = field(default_factory=dict)
    boards: dict[str, BoardAfter] = field(default_factory=dict)
    ids: dict[str, UUID] = field(default_factory=dict)
    faults: list[FileFault] = field(default_factory=list)


@dataclass(frozen=True)
class _CheckScope:
    """The meaning of names: the streams of the files and those of the organisation."""

    present: PresentDefinitions
    read: DefinitionFiles
    streams: Mapping[str, Stream]
    definitions: Mapping[str, StreamDefinition]
    prune: bool
    reported: frozenset[tuple[str, str]]
    """Code and message of each error of a stream's file."""

    def source_of(self, stream: str, feeder: str) -> BundleFile | None:
        """Return the file that gets the error if a stream cannot read its feeder; None: neither is in the files."""
        if stream in self.read.streams:
            return self.read.streams[stream][0]
        return self.read.bindings[feeder][0] if feeder in self.read.bindings else None

    def without_echoes(self, faults: Iterable[Fault], graph: QueryGraph | None) -> list[Fault]:
        """Return `faults` without those reported at the file of a stream, or caused by them."""
        broken = {name for kind, name in self.read.broken if kind == "stream"}
        nodes = () if graph is None else graph.nodes
        unread = {node.id for node in nodes if isinstance(node, InputNode) and node.stream in broken}
        return [
            each
            for each in faults
            if (each.code, each.message) not in self.reported
            and not (each.code is FaultCode.UNKNOWN_STREAM and each.node in unread)
        ]


def check_files(
    read: DefinitionFiles, present: PresentDefinitions, effort: Effort, *, prune: bool
) -> FutureDefinitions:
    """Return the definitions of the files, with all errors; with `prune` only definitions of the files may be named."""
    kept_bindings = {} if prune else present.bindings
    ids = {name: each.pk for name, each in present.bindings.items() if name in kept_bindings or name in read.bindings}
    after = FutureDefinitions(ids={**{name: uuid4() for name in read.names("binding")}, **ids})
    for name, (source, stream) in read.streams.items():
        after.streams[name] = _stream(source, stream, present.streams.get(name), after)
    kept = {} if prune else present.streams
    streams = {**kept, **after.streams}
    definitions = {name: each.read_definition() for name, each in streams.items()}
    reported = frozenset((str(each.code), each.message) for each in after.faults)
    _check_behind_streams(_CheckScope(present, read, streams, definitions, prune, reported), after, effort)
    return after


def _check_behind_streams(scope: _CheckScope, after: FutureDefinitions, effort: Effort) -> None:
    """Check queries and bindings; if the work exceeds the limit, an error names the files left out."""
    for name, source in scope.read.queries.items():
        if refused := too_much_work(source.path, after.faults, effort):
            after.faults.append(refused)
            return
        checked = _query(source, scope, after.faults)
        if checked is not None:
            after.queries[name] = checked
    for name, (source, binding) in scope.read.bindings.items():
        if refused := too_much_work(source.path, after.faults, effort):
            after.faults.append(refused)
            return
        bound = _binding(source, binding, scope, after)
        if bound is not None:
            after.bindings[name] = bound
    for name, (source, board) in scope.read.boards.items():
        found, faults = board_after(source, board, after.ids)
        after.faults += faults
        if found is not None:
            after.boards[name] = found
    _check_composed(scope, after)


def _stream(source: BundleFile, file: StreamFile, present: Stream | None, after: FutureDefinitions) -> Stream:
    definition = StreamDefinition(**{name: getattr(file, name) for name in StreamDefinition.model_fields})
    given = by_id(file.adapter, {name: str(each) for name, each in after.ids.items()})
    adapter = settled(given, None if present is None else present.read_adapter())
    unknown = unknown_feeder(adapter, {str(each) for each in after.ids.values()})
    if unknown is not None:
        adapter = by_id(adapter, {file.adapter.options["binding"]: str(uuid4())})  # it has an error of its own
    faults = [*([] if unknown is None else [unknown]), *mark_faults(adapter), *check_stream(definition, adapter)]
    after.faults += [source.located(each, (), ("advance",)) for each in faults]
    stream = Stream(name=source.name) if present is None else copy.copy(present)
    stream.definition = definition.model_dump(mode="json")
    stream.adapter = sealed(adapter).model_dump(mode="json")
    return stream


def _query(source: BundleFile, scope: _CheckScope, faults: list[FileFault]) -> QueryAfter | None:
    if source.path.endswith(".sql"):
        return _query_of_text(source, scope, faults)
    raw = {"version": 1, "name": source.name, **source.document.value}
    checked = check(raw, scope.definitions)
    graph = None if refuses(checked.faults) else QueryGraph.model_validate(raw)
    found = scope.without_echoes(checked.faults, graph)
    faults += [source.located(each, *_below_node(raw.get("nodes"), each.node)) for each in found]
    if graph is None:
        return None
    current = scope.present.versions.get(source.name)
    before = None if current is None else stored_text(current)
    text = print_sql(graph) if before is None else rewrite_sql(before, graph)
    return QueryAfter(QueryDraft(graph, None, before, text, settings_in(text)), text)


def _below_node(nodes: object, node: str | None) -> Sequence[Path]:
    for index, each in enumerate(nodes if isinstance(nodes, list) else ()):
        if node is not None and isinstance(each, dict) and each.get("id") == node:
            return (("nodes", index),)
    return ((),)


def _query_of_text(source: BundleFile, scope: _CheckScope, faults: list[FileFault]) -> QueryAfter | None:
    found = examine_text(source.text, scope.definitions)
    faults += [source.located(each) for each in scope.without_echoes(found.faults, parse_sql(source.text).graph)]
    if found.graph is None or refuses(found.faults):
        return None
    graph = found.graph.model_copy(update={"name": source.name})
    text = named_text(source.text, graph)
    return QueryAfter(QueryDraft(graph, text, settings=InputSettings(found.advance, found.event_times)), text)


def _binding(
    source: BundleFile, file: BindingFile, scope: _CheckScope, after: FutureDefinitions
) -> BindingAfter | None:
    meant = _query_meaning(file.query, scope, after)
    if meant is None:
        if ("query", file.query) not in scope.read.broken and file.query not in scope.read.queries:
            line, column = source.document.place(("query",))
            message = f"No query is called {file.query}" + (" among the files." if scope.prune else ".")
            remedy = "Name a query of the files" + ("." if scope.prune else " or one that you have.")
            after.faults.append(bad_file(source.path, message, remedy, line, column))
        return None
    graph, says = meant
    chosen, found = choose(graph, says, file.choices(), scope.streams)
    found += check_bound(graph, chosen, scope.definitions)
    relevant = scope.without_echoes(found, graph)
    for each in relevant:
        after.faults.append(source.located(each, *_below_input(each.node)))
    if refuses(found):
        return None
    present = scope.present.bindings.get(source.name)
    outputs = outputs_after(file.outputs, present)
    if outputs:
        checked = checked_outputs(graph, chosen, scope.definitions, outputs, "options")
        after.faults += [source.located(_in_list(each)) for each in checked.faults]
        if refuses(checked.faults):
            return None
        outputs = checked.outputs
    before = [] if present is None else outputs_of(present)
    level = file.freshness_level
    levels = {"freshness": file.freshness, "completeness": file.completeness, "freshness_level": stored_level(level)}
    own = {"dedicated": file.dedicated, **levels, "outputs": written_outputs(outputs, before)}
    text = binding_text(file.query, chosen, graph, says, own)
    return BindingAfter(
        query=file.query,
        dedicated=file.dedicated,
        freshness=file.freshness,
        completeness=file.completeness,
        freshness_level=level,
        chosen=chosen,
        outputs=outputs,
        text=text,
    )


def _in_list(found: Fault) -> Fault:
    """Return an error of outputs with its field as a path in a file."""
    return found.model_copy(update={"field": re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", found.field or "")})


def _check_composed(scope: _CheckScope, after: FutureDefinitions) -> None:
    """Check streams that read results of bindings: of bindings in the files, and streams in the files."""
    names = {str(pk): name for name, pk in after.ids.items()}
    for name, stream in scope.streams.items():
        feed = feed_of(stream.read_adapter())
        feeder = None if feed is None else _feeder(names.get(feed.binding, ""), scope, after)
        source = scope.source_of(name, "" if feed is None else names.get(feed.binding, ""))
        if feed is None or feeder is None or source is None:
            continue
        for each in fed_faults(name, stream.read_definition(), feed, (names[feed.binding], feeder)):
            after.faults.append(source.located(each, (), ("query",)))
    found = circle(_reads(scope, after), names)
    if found is not None and found[0] in scope.read.bindings:
        after.faults.append(scope.read.bindings[found[0]][0].located(found[1], ("inputs",), ("query",)))


def _feeder(name: str, scope: _CheckScope, after: FutureDefinitions) -> Feeder | None:
    """Return the binding as it will be; None if unknown."""
    if name in scope.read.names("binding"):
        binding = after.bindings.get(name)
        meant = None if binding is None else _query_meaning(binding.query, scope, after)
        return None if binding is None or meant is None else Feeder(meant[0], binding.chosen)
    present = None if scope.prune else scope.present.bindings.get(name)
    if present is None:
        return None
    inputs = {
        node: replace(each, stream=scope.streams[each.stream.name]) for node, each in bound_inputs(present).items()
    }
    return Feeder(present.query_version.read_graph(), inputs)


def _reads(scope: _CheckScope, after: FutureDefinitions) -> dict[str, list[Stream]]:
    """Return the streams that each binding will read, by its name."""
    kept = {} if scope.prune else scope.present.bindings
    reads = {
        name: [scope.streams[each.stream.name] for each in bound_inputs(binding).values()]
        for name, binding in kept.items()
    }
    return reads | {name: [each.stream for each in binding.chosen.values()] for name, binding in after.bindings.items()}


def _below_input(node: str | None) -> Sequence[Path]:
    inside: Sequence[Path] = () if node is None else (("inputs", node, "advance"), ("inputs", node))
    return (("query",), *inside)


def _query_meaning(query: str, scope: _CheckScope, after: FutureDefinitions) -> tuple[QueryGraph, InputSettings] | None:
    """Return the graph of the query and its settings of inputs; None if it is absent or has errors."""
    if query in scope.read.names("query"):
        found = after.queries.get(query)
        return None if found is None else (found.draft.graph, found.says)
    version = None if scope.prune else scope.present.versions.get(query)
    return None if version is None else scope.present.meaning(version)
