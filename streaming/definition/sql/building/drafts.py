"""Drafts of nodes: the names that they read are resolved after the whole text is read."""

from dataclasses import dataclass, field

from streaming.definition.sql.places import TextPlace
from streaming.definition.sql.problems import span
from streaming.definition.sql.reading.reader import ValueAt
from streaming.definition.sql.reading.slices import ExpressionSlice
from streaming.definition.sql.reading.tree import EventTimeSyntax, SourceSyntax, WrittenFields
from streaming.definition.tokens import RESERVED, Extent

_LONGEST = 62


def derived(owner: str, role: str) -> str:
    """Return the id of a node that has no name in the text; part of a text's meaning, so this rule never changes."""
    return f"{owner[: _LONGEST - len(role)]}_{role}"


@dataclass
class NodeDraft:
    """One node: its `fields` as JSON, `reads` by field, and the places of fields. Unreadable fields are left out."""

    id: str
    kind: str | None
    fields: dict[str, object] = field(default_factory=dict)
    reads: dict[str, "Ref | list[Ref | None] | None"] = field(default_factory=dict)
    places: dict[str, TextPlace] = field(default_factory=dict)

    def mark(self, path: str, extent: Extent) -> None:
        """Set the place of a field."""
        self.places[path] = TextPlace(span(extent))

    def put(self, name: str, value: object, extent: Extent) -> None:
        """Set a field with its place."""
        self.fields[name] = value
        self.mark(name, extent)

    def express(self, name: str, expression: ExpressionSlice) -> None:
        """Set a field that is an expression."""
        self.fields[name] = expression.text
        self.places[name] = expression.place

    def take(self, written: WrittenFields) -> None:
        """Set fields together with their places."""
        self.fields.update(written.values)
        for path, extent in written.places.items():
            self.mark(path, extent)

    def read(self, name: str, ref: "Ref | None", source: SourceSyntax | None = None) -> None:
        """Set the source that the field `name` reads."""
        self.reads[name] = ref
        if source is not None:
            self.mark(name, source.extent)


@dataclass(frozen=True, eq=False)
class SourceMention:
    """A name after FROM or a similar word: a node, or a stream that becomes an input."""

    source: SourceSyntax
    name: ValueAt[str]

    @property
    def input_id(self) -> str:
        """Return the id of the input that this mention creates if it names a stream."""
        return self.source.alias.value if self.source.alias else self.name.value


Ref = NodeDraft | SourceMention


@dataclass(frozen=True)
class TimedSource:
    """An EVENTTIME BY and its source."""

    ref: Ref
    event_time: EventTimeSyntax


@dataclass(frozen=True)
class FieldUse:
    """A field of `ref`; `source` is the qualifier before it, or empty; `extent` is that of the field."""

    ref: Ref
    source: str
    name: str
    extent: Extent


@dataclass
class NodeDrafts:
    """The nodes of a text, in order; a mention is at the place of its input."""

    order: list[Ref] = field(default_factory=list)
    timed: list[TimedSource] = field(default_factory=list)
    used: list[FieldUse] = field(default_factory=list)

    def add(self, draft: NodeDraft) -> NodeDraft:
        """Append a node."""
        self.order.append(draft)
        return draft


def quoted(name: str) -> str:
    """Return a name as an expression."""
    return f"`{name}`" if name.lower() in RESERVED else name
