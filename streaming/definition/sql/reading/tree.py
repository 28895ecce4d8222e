"""A text as it is written, before names are looked up: what the readers hand to the builders."""

from dataclasses import dataclass, field
from typing import Literal

from streaming.definition.sql.grammar.rows import JoinKind
from streaming.definition.sql.reading.reader import Part, Said
from streaming.definition.tokens import Extent

SourceKind = Literal["name", "node", "stream", "body"]


@dataclass
class Fields:
    """Fields of a node or of settings in the form of JSON, and where each stands by its path, which `prefix` begins."""

    values: dict[str, object] = field(default_factory=dict)
    places: dict[str, Extent] = field(default_factory=dict)
    prefix: str = ""

    def put(self, name: str, value: object, extent: Extent) -> None:
        """Set one field."""
        self.values[name] = value
        self.places[self.prefix + name] = extent


@dataclass(frozen=True)
class EventTime:
    """EVENTTIME BY of one source; None where it cannot be read."""

    values: dict[str, str] | None
    places: dict[str, Extent]
    extent: Extent


@dataclass(frozen=True)
class Source:
    """What stands behind FROM, JOIN, CLIP ...: a name, NODE name, STREAM name, or a body in parentheses."""

    kind: SourceKind
    name: Said[str] | None
    alias: Said[str] | None
    body: "Body | None"
    event_time: EventTime | None
    extent: Extent

    @property
    def qualifiers(self) -> frozenset[str]:
        """The names that stand before its fields."""
        return frozenset(said.value for said in (self.name, self.alias) if said)


@dataclass(frozen=True)
class Join:
    """One join of a chain; `using` and `on` as they are written."""

    kind: JoinKind
    outer: bool
    source: Source | None
    using: tuple[Said[str], ...] | None
    on: Part | None
    extent: Extent
    on_extent: Extent | None


@dataclass(frozen=True)
class Item:
    """One item of a SELECT list."""

    of: Part
    name: Said[str] | None
    extent: Extent


@dataclass(frozen=True)
class Top:
    """TOP k BY expression."""

    k: Said[int] | None
    by: Part
    extent: Extent


@dataclass
class Clause:
    """A clause that is there, from its first word to its last, with its expression or its fields."""

    extent: Extent
    part: Part | None = None
    fields: Fields = field(default_factory=Fields)


@dataclass
class Select:
    """One SELECT: `clauses` by their first word; WHERE and HAVING hold a part, the others fields."""

    extent: Extent
    star: Extent | None = None
    items: list[Item] = field(default_factory=list)
    source: Source | None = None
    joins: list[Join] = field(default_factory=list)
    clauses: dict[str, Clause] = field(default_factory=dict)
    groups: list[Part] = field(default_factory=list)
    top: Top | None = None
    event_time: EventTime | None = None


@dataclass
class Operator:
    """A branch that is one operator: CLIP, SHIFT, EXTEND, SET DURATION, POINT AT END, TO INTERVALS, ORDER EDGES."""

    kind: str
    role: str
    source: Source | None
    extent: Extent
    fields: Fields = field(default_factory=Fields)
    by: Source | None = None
    keys: list[Said[str]] | None = None
    on: Part | None = None
    expression: Part | None = None


@dataclass(frozen=True)
class StreamBranch:
    """A branch `STREAM name`: an input."""

    source: Source
    extent: Extent


@dataclass(frozen=True)
class Body:
    """Branches with UNION ALL between them; None for one that cannot be read."""

    branches: tuple["Select | Operator | StreamBranch | None", ...]
    extent: Extent


@dataclass(frozen=True)
class Step:
    """name AS (body)."""

    name: Said[str] | None
    body: Body | None
    extent: Extent


@dataclass(frozen=True)
class Insert:
    """[INSERT INTO target [TIMESTAMP BY ...]] body."""

    target: Said[str] | None
    fields: Fields
    body: Body
    extent: Extent


@dataclass
class Advance:
    """ADVANCE TIME input with its settings."""

    input: Said[str] | None
    fields: Fields
    extent: Extent
    over: Part | None = None


@dataclass
class Sentence:
    """One statement as it is written: its tokens `[first, last)`, and what it says."""

    first: int
    last: int
    query: Said[str] | None = None
    steps: list[Step] = field(default_factory=list)
    insert: Insert | None = None
    advance: Advance | None = None
