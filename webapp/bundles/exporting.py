"""An organisation's definitions, and their one canonical form as files."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams.stream import AdapterChoice, StreamDefinition
from streaming.definition.strict import Strict
from streaming.definition.versions.meaning import InputSettings
from streaming.wire.freshness import USUAL
from webapp.boards.boards import current_board_versions
from webapp.boards.models import BoardVersion
from webapp.bundles.boards import present_board
from webapp.bundles.feeds import by_name
from webapp.bundles.modules import module_files
from webapp.bundles.outputs import written_outputs
from webapp.bundles.yaml_text import in_order, write_yaml
from webapp.queries.access import current_versions
from webapp.queries.models import QueryVersion
from webapp.queries.texts import settings_of, stored_text, text_of
from webapp.runs.access import bound_inputs, listed_bindings
from webapp.runs.bindings.service_levels import USUAL_COMPLETENESS, read_level, stored_level
from webapp.runs.bound_inputs import BoundInput
from webapp.runs.models import Binding
from webapp.runs.outputs.bound_outputs import outputs_of
from webapp.streams.access import streams_by_name
from webapp.streams.models import Stream
from webapp.streams.sealing import concealed, replaced_secrets


@dataclass(frozen=True)
class PresentDefinitions:
    """The definitions of the organisation in context, by name; of each query the current version."""

    streams: Mapping[str, Stream]
    versions: Mapping[str, QueryVersion]
    bindings: Mapping[str, Binding]
    boards: Mapping[str, BoardVersion]
    _meanings: dict[UUID, tuple[QueryGraph, InputSettings]] = field(default_factory=dict)

    def meaning(self, version: QueryVersion) -> tuple[QueryGraph, InputSettings]:
        """Return the graph of `version` and its settings of inputs; read once for all its bindings."""
        if version.pk not in self._meanings:
            self._meanings[version.pk] = (version.read_graph(), settings_of(version))
        return self._meanings[version.pk]

    def names(self) -> dict[str, str]:
        """Return the name of each binding by its id."""
        return {str(each.pk): name for name, each in self.bindings.items()}

    def files(self) -> dict[str, str]:
        """Return the canonical text of each, by the path of its file, and the modules that the queries name."""
        names = self.names()
        texts = {f"streams/{name}.yaml": present_stream(each, names) for name, each in self.streams.items()}
        texts |= {f"queries/{name}.sql": text_of(each) for name, each in self.versions.items()}
        texts |= {f"bindings/{name}.yaml": self.binding_text(each) for name, each in self.bindings.items()}
        texts |= {f"boards/{name}.yaml": present_board(each, names) for name, each in self.boards.items()}
        return texts | module_files(self.versions.values())

    def fingerprint(self) -> str:
        """Return a hash that changes whenever a definition does; only reads the stored texts."""
        seen = [
            sorted([name, str(each.pk), each.definition, each.adapter] for name, each in self.streams.items()),
            sorted([name, str(each.pk), stored_text(each)] for name, each in self.versions.items()),
            sorted([name, _seen(each)] for name, each in self.bindings.items()),
            sorted([name, str(each.board_id), each.number] for name, each in self.boards.items()),
        ]
        return hashlib.sha256(json.dumps(seen).encode()).hexdigest()

    def binding_text(self, binding: Binding) -> str:
        """Return the canonical text of a binding, against the current version of its query."""
        name = binding.query_version.query.name
        meaning = self.meaning(self.versions[name])
        outputs = written_outputs(outputs_of(binding))
        levels = {"freshness": binding.freshness, "completeness": binding.completeness}
        levels["freshness_level"] = stored_level(read_level(binding.freshness_level))
        own = {"dedicated": binding.dedicated, **levels, "outputs": outputs}
        return binding_text(name, bound_inputs(binding), *meaning, own)


def read_present() -> PresentDefinitions:
    """Return the present definitions of the organisation in context."""
    return PresentDefinitions(
        streams=streams_by_name(),
        versions={version.query.name: version for version in current_versions(with_authors=False)},
        bindings={binding.name: binding for binding in listed_bindings()},
        boards={version.board.name: version for version in current_board_versions()},
    )


def _seen(binding: Binding) -> list[Any]:
    inputs = sorted((each.node, str(each.stream_id), each.advance, each.event_time) for each in binding.inputs.all())
    own = [binding.dedicated, binding.freshness, binding.outputs, binding.completeness, binding.freshness_level]
    return [str(binding.pk), str(binding.query_version_id), own, inputs]


def export() -> dict[str, str]:
    """Return every definition of the organisation in context as a file."""
    return read_present().files()


def present_stream(stream: Stream, names: Mapping[str, str]) -> str:
    """Return the canonical text of a stored stream; `names` are those of bindings by id."""
    return stream_text(stream.read_definition(), by_name(stream.read_adapter(), names))


def changed_stream(before: Stream | None, after: Stream, names: Mapping[str, str]) -> str:
    """Return the canonical text of `after`; a replaced secret shows "secret changed" instead of its placeholder."""
    adapter = after.read_adapter()
    replaced = frozenset() if before is None else replaced_secrets(before.read_adapter(), adapter)
    return stream_text(after.read_definition(), by_name(adapter, names), replaced)


def stream_text(definition: StreamDefinition, adapter: AdapterChoice, replaced: Collection[str] = ()) -> str:
    """Return the canonical text of a stream: default values are left out, except the shape, and so are secrets."""
    settings = definition.model_dump(mode="json", exclude_defaults=True)
    options = in_order(concealed(adapter).options) | {name: {"sealed": "secret changed"} for name in sorted(replaced)}
    return write_yaml(
        {"shape": definition.shape.value, **settings, "adapter": {"kind": adapter.kind, "options": options}}
    )


def binding_text(
    query: str, inputs: Mapping[str, BoundInput], graph: QueryGraph, says: InputSettings, own: Mapping[str, Any]
) -> str:
    """Return the canonical text of a binding: settings that equal the query's are left out.

    `own` are the binding's own settings, by the keys of the file; default values are left out.
    """
    named = {node.id: node.stream for node in graph.nodes if isinstance(node, InputNode)}
    chosen: dict[str, dict[str, Any]] = {}
    for node in sorted(inputs):
        each = inputs[node]
        choices: dict[str, Any] = {}
        if each.stream.name != named.get(node):
            choices["stream"] = each.stream.name
        if each.advance != says.advance.get(node):
            choices["advance"] = _dump(each.advance)
        if each.event_time != says.event_times.get(node):
            choices["event_time"] = _dump(each.event_time)
        if choices:
            chosen[node] = choices
    freshness = str(own.get("freshness", USUAL))
    completeness = own.get("completeness", USUAL_COMPLETENESS)
    text = {
        "query": query,
        "dedicated": own.get("dedicated"),
        "freshness": None if freshness == USUAL else freshness,
        "completeness": None if completeness == USUAL_COMPLETENESS else completeness,
        "freshness_level": own.get("freshness_level"),
        "inputs": chosen,
        "outputs": own.get("outputs"),
    }
    return write_yaml({word: value for word, value in text.items() if value})


def _dump(settings: Strict | None) -> dict[str, Any] | None:
    return None if settings is None else settings.model_dump(mode="json", exclude_defaults=True)
