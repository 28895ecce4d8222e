"""Nodes on their way into a graph: what they read is not looked up before the whole text was read."""

from dataclasses import dataclass, field

from streaming.definition.sql.places import TextPlace
from streaming.definition.sql.problems import span
from streaming.definition.sql.reading.reader import ValueAt
from streaming.definition.sql.reading.slices import ExpressionSlice
from streaming.definition.sql.reading.tree import EventTimeSyntax, SourceSyntax, WrittenFields
from streaming.definition.tokens import Extent

_LONGEST = 62


def derived(owner: str, role: str) -> str:
    """The id of a node without a name of its own; part of the meaning of a text, so it never changes."""
    return f"{owner[: _LONGEST - len(role)]}_{role}"


@dataclass
class NodeDraft:
    """One node: its `fields` as JSON, `reads` by field, and the places of its fields. Holes are left out."""

    id: str
    kind: str | None
    fields: dict[str, object] = field(default_factory=dict)
    reads: dict[str, "Ref | list[Ref | None] | None"] = field(default_factory=dict)
    places: dict[str, TextPlace] = field(default_factory=dict)

    def mark(self, path: str, extent: Extent) -> None:
        """Say where a field stands."""
        self.places[path] = TextPlace(span(extent))

    def put(self, name: str, value: object, extent: Extent) -> None:
        """Set a field with its place."""
        self.fields[name] = value
        self.mark(name, extent)

    def express(self, name: str, found: ExpressionSlice) -> None:
        """Set a field that is an expression."""
        self.fields[name] = found.text
        self.places[name] = found.place

    def take(self, given: WrittenFields) -> None:
        """Set fields that were read with their places."""
        self.fields.update(given.values)
        for path, extent in given.places.items():
            self.mark(path, extent)

    def read(self, name: str, ref: "Ref | None", source: SourceSyntax | None = None) -> None:
        """Say what is read by the field `name`."""
        self.reads[name] = ref
        if source is not None:
            self.mark(name, source.extent)


@dataclass(frozen=True, eq=False)
class SourceMention:
    """A name behind FROM or its like: a node, or a stream that becomes an input."""

    source: SourceSyntax
    name: ValueAt[str]

    @property
    def input_id(self) -> str:
        """The id of the input that this mention makes if it is of a stream."""
        return self.source.alias.value if self.source.alias else self.name.value


Ref = NodeDraft | SourceMention


@dataclass(frozen=True)
class TimedSource:
    """An EVENTTIME BY and the source that it is about."""

    ref: Ref
    event_time: EventTimeSyntax


@dataclass(frozen=True)
class FieldUse:
    """A field of `ref`, with the name of its source before it if that is not empty; `extent` is that of the field."""

    ref: Ref
    source: str
    name: str
    extent: Extent


@dataclass
class NodeDrafts:
    """What a text makes, in order; a mention stands where its input would stand."""

    order: list[Ref] = field(default_factory=list)
    timed: list[TimedSource] = field(default_factory=list)
    used: list[FieldUse] = field(default_factory=list)

    def add(self, draft: NodeDraft) -> NodeDraft:
        """Append a node."""
        self.order.append(draft)
        return draft
