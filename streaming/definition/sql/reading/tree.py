"""The syntax tree of a text, before names are resolved: the output of the readers and input of the builders."""

from dataclasses import dataclass, field
from typing import Literal

from streaming.definition.sql.grammar.rows import JoinKind
from streaming.definition.sql.places import TextPlace
from streaming.definition.sql.reading.reader import TokenRange, ValueAt
from streaming.definition.tokens import Extent

SourceKind = Literal["name", "node", "stream", "body"]


@dataclass
class WrittenFields:
    """Fields of a node or of settings as JSON, and their places by path; each path starts with `prefix`."""

    values: dict[str, object] = field(default_factory=dict)
    places: dict[str, Extent] = field(default_factory=dict)
    prefix: str = ""

    def put(self, name: str, value: object, extent: Extent) -> None:
        """Set one field."""
        self.values[name] = value
        self.places[self.prefix + name] = extent


@dataclass(frozen=True)
class EventTimeSyntax:
    """EVENTTIME BY of one source; `values` is None if it cannot be read."""

    values: dict[str, str] | None
    places: dict[str, Extent]
    extent: Extent


@dataclass
class MatchSyntax:
    """MATCH_RECOGNIZE after a source, with the alias of its rows; `places` of expressions by their path in `fields`."""

    extent: Extent
    alias: ValueAt[str] | None = None
    fields: WrittenFields = field(default_factory=WrittenFields)
    places: dict[str, TextPlace] = field(default_factory=dict)


@dataclass(frozen=True)
class SourceSyntax:
    """A source after FROM, JOIN, CLIP ...: a name, NODE name, STREAM name, or a body in parentheses."""

    kind: SourceKind
    name: ValueAt[str] | None
    alias: ValueAt[str] | None
    body: "BodySyntax | None"
    event_time: EventTimeSyntax | None
    extent: Extent
    match: MatchSyntax | None = None

    @property
    def qualifiers(self) -> frozenset[str]:
        """Return the names that may qualify its fields."""
        if self.match is not None:
            return frozenset((self.match.alias.value,)) if self.match.alias else frozenset()
        return frozenset(each.value for each in (self.name, self.alias) if each)


@dataclass(frozen=True)
class JoinSyntax:
    """One join of a chain; `using` and `on` as written."""

    kind: JoinKind
    outer: bool
    source: SourceSyntax | None
    using: tuple[ValueAt[str], ...] | None
    on: TokenRange | None
    extent: Extent
    on_extent: Extent | None


@dataclass(frozen=True)
class ItemSyntax:
    """One item of a SELECT list."""

    of: TokenRange
    name: ValueAt[str] | None
    extent: Extent


@dataclass(frozen=True)
class TopSyntax:
    """TOP k BY expression."""

    k: ValueAt[int] | None
    by: TokenRange
    extent: Extent


@dataclass
class ClauseSyntax:
    """A clause, from its first word to its last, with its expression or its fields."""

    extent: Extent
    part: TokenRange | None = None
    fields: WrittenFields = field(default_factory=WrittenFields)


@dataclass
class SelectSyntax:
    """One SELECT: `clauses` by their first word; WHERE and HAVING hold a part, the others fields."""

    extent: Extent
    star: Extent | None = None
    items: list[ItemSyntax] = field(default_factory=list)
    source: SourceSyntax | None = None
    joins: list[JoinSyntax] = field(default_factory=list)
    clauses: dict[str, ClauseSyntax] = field(default_factory=dict)
    groups: list[TokenRange] = field(default_factory=list)
    top: TopSyntax | None = None
    event_time: EventTimeSyntax | None = None


@dataclass
class OperatorSyntax:
    """A branch that is one operator: CLIP, SHIFT, EXTEND, SET DURATION, POINT AT END, TO INTERVALS, ORDER EDGES."""

    kind: str
    role: str
    source: SourceSyntax | None
    extent: Extent
    fields: WrittenFields = field(default_factory=WrittenFields)
    by: SourceSyntax | None = None
    keys: list[ValueAt[str]] | None = None
    on: TokenRange | None = None
    expression: TokenRange | None = None


@dataclass(frozen=True)
class StreamSyntax:
    """A branch `STREAM name`: an input."""

    source: SourceSyntax
    extent: Extent


@dataclass(frozen=True)
class BodySyntax:
    """Branches joined by UNION ALL; None for one that cannot be read."""

    branches: tuple["SelectSyntax | OperatorSyntax | StreamSyntax | None", ...]
    extent: Extent


@dataclass(frozen=True)
class StepSyntax:
    """name AS (body)."""

    name: ValueAt[str] | None
    body: BodySyntax | None
    extent: Extent


@dataclass(frozen=True)
class InsertSyntax:
    """[INSERT INTO target [TIMESTAMP BY ...]] body."""

    target: ValueAt[str] | None
    fields: WrittenFields
    body: BodySyntax
    extent: Extent


@dataclass
class AdvanceSyntax:
    """ADVANCE TIME input with its settings."""

    input: ValueAt[str] | None
    fields: WrittenFields
    extent: Extent
    over: TokenRange | None = None


@dataclass
class StatementSyntax:
    """One statement: its tokens `[first, last)`, and its content."""

    first: int
    last: int
    query: ValueAt[str] | None = None
    steps: list[StepSyntax] = field(default_factory=list)
    insert: InsertSyntax | None = None
    advance: AdvanceSyntax | None = None
    function: "FunctionSyntax | None" = None


@dataclass(frozen=True)
class FunctionSyntax:
    """FUNCTION: its fields, and the place of its expression; None without one that can be read."""

    fields: WrittenFields
    body: TextPlace | None
