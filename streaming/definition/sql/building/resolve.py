"""Resolution of drafts into nodes: decides which names are nodes and which are streams that become inputs."""

from dataclasses import dataclass, field

from streaming.definition.sql.building.drafts import FieldUse, NodeDraft, NodeDrafts, Ref, SourceMention
from streaming.definition.sql.places import TextPlace
from streaming.definition.sql.problems import over
from streaming.definition.sql.reading.tree import EventTimeSyntax

Key = tuple[str, str]
"""The id and the stream of an input."""


@dataclass
class ResolvedNodes:
    """The nodes as decoded JSON, in order, and the places of each."""

    nodes: list[dict[str, object]] = field(default_factory=list)
    places: dict[str, dict[str, TextPlace]] = field(default_factory=dict)
    inputs: list[Key] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """The number of nodes before each draft."""
    timed: list[tuple[str, EventTimeSyntax]] = field(default_factory=list)
    """Each EVENTTIME BY with the id of its source."""
    used: list[tuple[str, FieldUse]] = field(default_factory=list)
    """Each qualified field with the id of its source."""

    def made(self, first: int, last: int) -> tuple[str, ...]:
        """Return the ids of the nodes of the drafts `[first, last)`."""
        end = self.starts[last] if last < len(self.starts) else len(self.nodes)
        start = self.starts[first] if first < len(self.starts) else len(self.nodes)
        return tuple(str(node["id"]) for node in self.nodes[start:end])

    def input_of(self, name: str) -> str | None:
        """Return the input with that id, else the only one that reads that stream."""
        if any(each == name for each, _ in self.inputs):
            return name
        readers = dict.fromkeys(each for each, stream in self.inputs if stream == name)
        return next(iter(readers)) if len(readers) == 1 else None


class _Resolver:
    def __init__(self, drafts: NodeDrafts) -> None:
        self.drafts = drafts
        self.ids = {each.id for each in drafts.order if isinstance(each, NodeDraft)}
        self.explicit = {
            (each.id, str(each.fields.get("stream")))
            for each in drafts.order
            if isinstance(each, NodeDraft) and each.kind == "input"
        }
        self.seen: set[Key] = set()
        self.resolved = ResolvedNodes()

    def run(self) -> ResolvedNodes:
        for each in self.drafts.order:
            self.resolved.starts.append(len(self.resolved.nodes))
            if isinstance(each, NodeDraft):
                self._emit(each)
            elif self._is_stream(each):
                self._mention(each)
        return self.resolved

    def _is_stream(self, mention: SourceMention) -> bool:
        kind = mention.source.kind
        return kind == "stream" or (kind == "name" and mention.name.value not in self.ids)

    def id_of(self, ref: Ref) -> str:
        if isinstance(ref, NodeDraft):
            return ref.id
        return ref.input_id if self._is_stream(ref) else ref.name.value

    def _mention(self, mention: SourceMention) -> None:
        key = (mention.input_id, mention.name.value)
        if key in self.seen or key in self.explicit:
            return
        self.seen.add(key)
        alias = mention.source.alias
        whole = over(mention.name.extent, alias.extent) if alias else mention.name.extent
        draft = NodeDraft(mention.input_id, "input")
        draft.mark("", whole)
        draft.mark("id", alias.extent if alias else mention.name.extent)
        draft.put("stream", mention.name.value, mention.name.extent)
        self._emit(draft)

    def _emit(self, draft: NodeDraft) -> None:
        node: dict[str, object] = {"id": draft.id}
        if draft.kind is not None:
            node["kind"] = draft.kind
        node.update(draft.fields)
        for name, ref in draft.reads.items():
            if isinstance(ref, list):
                if all(each is not None for each in ref):
                    node[name] = [self.id_of(each) for each in ref if each is not None]
            elif ref is not None:
                node[name] = self.id_of(ref)
        self.resolved.nodes.append(node)
        if draft.kind == "input" and "stream" in draft.fields:
            self.resolved.inputs.append((draft.id, str(draft.fields["stream"])))
        places = self.resolved.places.setdefault(draft.id, {})
        again = places.get("id") and draft.places.get("id")
        for path, place in draft.places.items():
            places.setdefault(path, place)
        if again:  # if two nodes have one id, the user should rename the second
            places["id"] = draft.places["id"]


def resolve(drafts: NodeDrafts) -> ResolvedNodes:
    """Resolve every name: to a node of this text with that id, else to a stream."""
    resolver = _Resolver(drafts)
    resolved = resolver.run()
    resolved.timed = [(resolver.id_of(each.ref), each.event_time) for each in drafts.timed]
    resolved.used = [(resolver.id_of(each.ref), each) for each in drafts.used]
    return resolved
