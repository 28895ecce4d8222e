"""Narrowing of joins: the fields that a SELECT reads from each of its sources, and their names in joined pairs.

In a graph, a pair holds all fields of both sides, and both sides must not share a name. If a SELECT names the source
of each field, its sides are narrowed to the fields that it reads; a field is renamed if two sources share its name.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.problems import ExpressionError
from streaming.definition.expressions.tree import Expression, Field, children
from streaming.definition.sql.building.drafts import quoted
from streaming.definition.sql.building.joins import key_pairs
from streaming.definition.sql.reading.aggregates import take_calls
from streaming.definition.sql.reading.reader import Reader, TokenRange, ValueAt
from streaming.definition.sql.reading.slices import VALUE_FACET, after_qualifiers, cut
from streaming.definition.sql.reading.tree import JoinSyntax, SelectSyntax
from streaming.definition.tokens import Extent, TokenKind

_LONGEST = 63
_FILTERING = ("semi_join", "anti_join")
_AFTER_JOINS = -1
"""The number for fields that are mentioned after all joins."""


@dataclass(frozen=True)
class FieldMention:
    """One field in the text: its source, name, place and token, and the join in whose ON it is."""

    source: int
    name: str
    extent: Extent
    token: int
    join: int


@dataclass(frozen=True)
class ReadField:
    """A field that is read from a source, and its name in the graph after that source."""

    of: str
    name: str
    extent: Extent


@dataclass
class NarrowedSides:
    """The fields read from each source by its number, if any are named, and the keys by their part of ON."""

    columns: dict[int, list[ReadField]] = field(default_factory=dict)
    keys: dict[TokenRange, ValueAt[str]] = field(default_factory=dict)


class _UnnamedSource(Exception):
    """A field whose source is not named in the text."""


def narrow(reader: Reader, select: SelectSyntax) -> NarrowedSides | None:
    """Return the fields that `select` reads from each source, if it names the source of each; fill `reader.renamed`.

    None if it has no joins, selects `*`, or has a field without its source: sides then keep all of their
    fields. A field of USING needs no source. Nothing is reported here; the builders report problems.
    """
    if not select.joins or select.star is not None or not select.items:
        return None
    try:
        mentions = _Mentions(reader, select).all()
        if not mentions:
            return None
        names = _Names(reader, select, mentions)
        names.give()
    except _UnnamedSource:
        return None
    reader.renamed.update(names.renamed)
    return names.narrowed


class _Mentions:
    """Collects all fields that a SELECT names, with their sources. Raises `_UnnamedSource`."""

    def __init__(self, reader: Reader, select: SelectSyntax) -> None:
        self.reader = reader
        self.select = select
        self.sources: dict[str, int] = {}
        for number, source in enumerate((select.source, *(join.source for join in select.joins))):
            for name in source.qualifiers if source else ():
                self.sources[name] = -1 if name in self.sources else number
        self.shared = {name.value for join in select.joins for name in join.using or ()}
        self.results = {item.name.value for item in select.items if item.name}

    def all(self) -> list[FieldMention]:
        """Return the mentions in the order of the text, but ON before everything after the joins."""
        select = self.select
        mentions: list[FieldMention] = []
        for number, join in enumerate(select.joins, 1):
            mentions += self._of(join.on, number) if join.on else ()
        for item in select.items:
            mentions += self._of(item.of, _AFTER_JOINS)
        for name, clause in select.clauses.items():
            mentions += self._of(clause.part, _AFTER_JOINS, results=name == "HAVING") if clause.part else ()
        for part in (*select.groups, *((select.top.by,) if select.top and select.top.by else ())):
            mentions += self._of(part, _AFTER_JOINS)
        return mentions

    def _of(self, part: TokenRange, join: int, *, results: bool = False) -> Iterator[FieldMention]:
        """Yield the fields of one expression; with `results`, names of result columns are not fields."""
        calls = take_calls(self.reader, part)
        for call in calls:
            for inner in (call.of, call.filter):
                if inner:
                    yield from self._plain(inner, join, [], results=False)
        edits = [(*self.reader.covered(call.part), "null") for call in calls]
        if len(calls) != 1 or calls[0].part != part:
            yield from self._plain(part, join, edits, results=results)

    def _plain(
        self, part: TokenRange, join: int, edits: list[tuple[int, int, str]], *, results: bool
    ) -> Iterator[FieldMention]:
        text = cut(self.reader, part, frozenset(), edits)
        try:
            tree = parse(text.text)
        except ExpressionError:
            raise _UnnamedSource from None
        tokens = {self.reader.tokens[index].start: index for index in range(part.first, part.last)}
        for each in _fields(tree):
            at = tokens.get(text.place.source(each.at), -1)
            if len(each.path) == 1 and (each.path[0] in self.shared or (results and each.path[0] in self.results)):
                continue
            yield self._mention(each, at, part, join)

    def _mention(self, named: Field, at: int, part: TokenRange, join: int) -> FieldMention:
        tokens = self.reader.tokens
        source = self.sources.get(named.path[0], -1) if at >= 0 and tokens[at].kind is TokenKind.WORD else -1
        if source < 0 or len(named.path) < 2 or not self._has_fields(source, join):
            raise _UnnamedSource
        index = after_qualifiers(tokens, at, part.last, {named.path[0]})
        name = named.path[2] if named.path[1] == VALUE_FACET and len(named.path) > 2 else named.path[1]
        return FieldMention(source, name, tokens[index].extent, at, join)

    def _has_fields(self, source: int, join: int) -> bool:
        """Return whether a pair of that join, or a row after all joins, holds fields of the source."""
        if join != _AFTER_JOINS and source > join:
            return False
        filters = source > 0 and self.select.joins[source - 1].kind in _FILTERING
        return not filters or source == join


def _fields(tree: Expression) -> Iterator[Field]:
    pending = [tree]
    while pending:
        part = pending.pop()
        if isinstance(part, Field):
            yield part
        pending.extend(reversed(children(part)))


class _Names:
    """Assigns the names of fields in pairs: the first source with a name keeps it; a key has the name of the left."""

    def __init__(self, reader: Reader, select: SelectSyntax, mentions: list[FieldMention]) -> None:
        self.reader = reader
        self.select = select
        self.sources = [select.source, *(join.source for join in select.joins)]
        self.mentions = mentions
        self.plain = {each.name for each in mentions}
        self.names: dict[tuple[int, str], str] = {}
        self.inside: dict[tuple[int, str], str] = {}
        """Names that are valid only in the ON of the join that adds the source: right keys of an outer join."""
        self.taken: set[str] = set()
        self.narrowed = NarrowedSides()
        self.renamed: dict[int, str] = {}

    def give(self) -> None:
        """Name all fields, and record those whose name differs from the text. Raises `_UnnamedSource`."""
        for each in self._read_of(0, self.select.joins[0]):
            self._name(0, each)
        for number, join in enumerate(self.select.joins, 1):
            self._join(number, join)
        for mention in self.mentions:
            key = (mention.source, mention.name)
            inside = self.inside.get(key, "") if mention.join == mention.source else ""
            self.renamed[mention.token] = quoted(inside or self.names[key])

    def _read_of(self, source: int, join: JoinSyntax) -> list[ValueAt[str]]:
        """Return the fields of a source in the order of the text; those of USING first."""
        fields = {name.value: name.extent for name in join.using or ()} if source == 0 or join.using else {}
        for each in sorted(self.mentions, key=lambda each: each.token):
            if each.source == source:
                fields.setdefault(each.name, each.extent)
        return [ValueAt(name, extent) for name, extent in fields.items()]

    def _join(self, number: int, join: JoinSyntax) -> None:
        keys = self._keys(number, join)
        outer = join.outer and join.kind not in _FILTERING
        used_after = {each.name for each in self.mentions if each.source == number and each.join != number}
        before = set(self.taken)
        for each in self._read_of(number, join):
            key = keys.get(each.value)
            if key is None:
                self._name(number, each)
                continue
            self._column(number, each, key)
            if not outer:
                self.names[number, each.value] = key
                continue
            self.inside[number, each.value] = key
            if each.value in used_after:  # it is null without a partner, but the key is not
                self._name(number, each)
        if join.kind in _FILTERING:
            self.taken = before

    def _keys(self, number: int, join: JoinSyntax) -> dict[str, str]:
        """Return the keys of a join: the name of the left field, by the field of the right side."""
        keys: dict[str, str] = {}
        for key in join.using or ():
            if key.value not in self.taken:
                raise _UnnamedSource
            keys[key.value] = key.value
        if join.on is None or join.using is not None:
            return keys
        numbers = {name: index for index in (*range(number), number) for name in self._qualifiers(index)}
        for part, sides in key_pairs(self.reader, join.on):
            pairs = [(numbers[qualifier], name) for qualifier, name in sides]
            left, right = sorted(pairs, key=lambda pair: pair[0] == number)
            if left[0] == number or right[0] != number:
                continue
            name = self.names[left]
            if name not in keys.values() and right[1] not in keys:
                keys[right[1]] = name
                self.narrowed.keys[part] = ValueAt(name, self.reader.covered(part))
        return keys

    def _qualifiers(self, number: int) -> frozenset[str]:
        source = self.sources[number]
        return source.qualifiers if source else frozenset()

    def _name(self, number: int, written: ValueAt[str]) -> None:
        """Give a field a unique name."""
        name = written.value if written.value not in self.taken else self._other(number, written.value)
        self.names[number, written.value] = name
        self._column(number, written, name)

    def _other(self, number: int, name: str) -> str:
        source = self.sources[number]
        alias = (source.alias or source.name) if source else None
        begin = f"{alias.value if alias else 'right'}_{name}"[: _LONGEST - 4]
        candidates = (begin, *(f"{begin}_{count}" for count in range(2, 1000)))
        return next(each for each in candidates if each not in self.taken and each not in self.plain)

    def _column(self, number: int, written: ValueAt[str], name: str) -> None:
        self.taken.add(name)
        self.narrowed.columns.setdefault(number, []).append(ReadField(quoted(written.value), name, written.extent))
