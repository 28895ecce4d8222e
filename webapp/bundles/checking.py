"""Checking the definitions of files with each other and with what the organisation keeps beside them."""

import copy
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID, uuid4

from streaming.definition.check import check
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.sql.rewriting.texts import rewrite_sql
from streaming.definition.streams import StreamDefinition
from streaming.definition.versions.meaning import InputSettings
from streaming.wire.freshness import Freshness
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
    """A query as the files say it: what is to be stored, and its canonical text."""

    draft: QueryDraft
    text: str

    @property
    def says(self) -> InputSettings:
        """What the text says of inputs."""
        return self.draft.settings


@dataclass(frozen=True)
class BindingAfter:
    """A binding as the files say it: its query, what it says of itself, what each input reads; its canonical text."""

    query: str
    dedicated: bool
    freshness: Freshness
    chosen: Mapping[str, BoundInput]
    outputs: list[BoundOutput]
    text: str


@dataclass
class FutureDefinitions:
    """What the files define, by name, as it will be stored; what has errors is left out.

    `streams` are new rows, or the present ones changed, not saved yet. `ids` are those of bindings, by name: of those
    that are there, and for those that the files bring.
    """

    streams: dict[str, Stream] = field(default_factory=dict)
    queries: dict[str, QueryAfter] = field(default_factory=dict)
    bindings: dict[str, BindingAfter] = field(default_factory=dict)
    ids: dict[str, UUID] = field(default_factory=dict)
    faults: list[FileFault] = field(default_factory=list)


@dataclass(frozen=True)
class _CheckScope:
    """What names may mean: the streams of the files, and those that the organisation keeps."""

    present: PresentDefinitions
    read: DefinitionFiles
    streams: Mapping[str, Stream]
    definitions: Mapping[str, StreamDefinition]
    prune: bool
    said: frozenset[tuple[str, str]]
    """Code and message of each fault of a stream's file."""

    def source_of(self, stream: str, feeder: str) -> BundleFile | None:
        """Return the file at which is told what a stream cannot read of its feeder; None: neither is in the files."""
        if stream in self.read.streams:
            return self.read.streams[stream][0]
        return self.read.bindings[feeder][0] if feeder in self.read.bindings else None

    def without_echoes(self, faults: Iterable[Fault], graph: QueryGraph | None) -> list[Fault]:
        """Return `faults` without those that stand at the file of a stream already, or follow from its having any."""
        broken = {name for kind, name in self.read.broken if kind == "stream"}
        nodes = () if graph is None else graph.nodes
        unread = {node.id for node in nodes if isinstance(node, InputNode) and node.stream in broken}
        return [
            each
            for each in faults
            if (each.code, each.message) not in self.said
            and not (each.code is FaultCode.UNKNOWN_STREAM and each.node in unread)
        ]


def check_files(
    read: DefinitionFiles, present: PresentDefinitions, effort: Effort, *, prune: bool
) -> FutureDefinitions:
    """Return what the files define, with all faults; with `prune` nothing else may be named."""
    kept_bindings = {} if prune else present.bindings
    ids = {name: each.pk for name, each in present.bindings.items() if name in kept_bindings or name in read.bindings}
    after = FutureDefinitions(ids={**{name: uuid4() for name in read.names("binding")}, **ids})
    for name, (source, stream) in read.streams.items():
        after.streams[name] = _stream(source, stream, present.streams.get(name), after)
    kept = {} if prune else present.streams
    streams = {**kept, **after.streams}
    definitions = {name: each.read_definition() for name, each in streams.items()}
    said = frozenset((str(each.code), each.message) for each in after.faults)
    _check_behind_streams(_CheckScope(present, read, streams, definitions, prune, said), after, effort)
    return after


def _check_behind_streams(scope: _CheckScope, after: FutureDefinitions, effort: Effort) -> None:
    """Check queries and bindings; what is left out when there is too much to do is told as a fault."""
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
    _check_composed(scope, after)


def _stream(source: BundleFile, said: StreamFile, present: Stream | None, after: FutureDefinitions) -> Stream:
    definition = StreamDefinition(**{name: getattr(said, name) for name in StreamDefinition.model_fields})
    given = by_id(said.adapter, {name: str(each) for name, each in after.ids.items()})
    adapter = settled(given, None if present is None else present.read_adapter())
    unknown = unknown_feeder(adapter, {str(each) for each in after.ids.values()})
    if unknown is not None:
        adapter = by_id(adapter, {said.adapter.options["binding"]: str(uuid4())})  # nothing more is said of it
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
    source: BundleFile, said: BindingFile, scope: _CheckScope, after: FutureDefinitions
) -> BindingAfter | None:
    meant = _meant(said.query, scope, after)
    if meant is None:
        if ("query", said.query) not in scope.read.broken and said.query not in scope.read.queries:
            line, column = source.document.place(("query",))
            message = f"There is no query {said.query}" + (" among the files." if scope.prune else ".")
            remedy = "Name a query of the files" + ("." if scope.prune else " or one that you have.")
            after.faults.append(bad_file(source.path, message, remedy, line, column))
        return None
    graph, says = meant
    chosen, found = choose(graph, says, said.choices(), scope.streams)
    found += check_bound(graph, chosen, scope.definitions)
    told = scope.without_echoes(found, graph)
    for each in told:
        after.faults.append(source.located(each, *_below_input(each.node)))
    if refuses(found):
        return None
    present = scope.present.bindings.get(source.name)
    outputs = outputs_after(said.outputs, present)
    if outputs:
        checked = checked_outputs(graph, chosen, scope.definitions, outputs, "options")
        after.faults += [source.located(_in_list(each)) for each in checked.faults]
        if refuses(checked.faults):
            return None
        outputs = checked.outputs
    before = [] if present is None else outputs_of(present)
    own = {"dedicated": said.dedicated, "freshness": said.freshness, "outputs": written_outputs(outputs, before)}
    text = binding_text(said.query, chosen, graph, says, own)
    return BindingAfter(said.query, said.dedicated, said.freshness, chosen, outputs, text)


def _in_list(found: Fault) -> Fault:
    """Return a fault of outputs with its field as a path in a file."""
    return found.model_copy(update={"field": re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", found.field or "")})


def _check_composed(scope: _CheckScope, after: FutureDefinitions) -> None:
    """Check what is read of bindings that the files bring, and by streams of the files."""
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
    """Return the binding as it will be; None where that is not known."""
    if name in scope.read.names("binding"):
        said = after.bindings.get(name)
        meant = None if said is None else _meant(said.query, scope, after)
        return None if said is None or meant is None else Feeder(meant[0], said.chosen)
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
    return reads | {name: [each.stream for each in said.chosen.values()] for name, said in after.bindings.items()}


def _below_input(node: str | None) -> Sequence[Path]:
    inside: Sequence[Path] = () if node is None else (("inputs", node, "advance"), ("inputs", node))
    return (("query",), *inside)


def _meant(query: str, scope: _CheckScope, after: FutureDefinitions) -> tuple[QueryGraph, InputSettings] | None:
    """Return the graph of the query and what its text says of inputs; None where there is none, or one with errors."""
    if query in scope.read.names("query"):
        found = after.queries.get(query)
        return None if found is None else (found.draft.graph, found.says)
    version = None if scope.prune else scope.present.versions.get(query)
    return None if version is None else scope.present.meaning(version)
