"""Joins as SQL users write them: what a SELECT reads of each of its sources, and what these fields are called in pairs.

In a graph a pair holds all fields of both sides, and no name may stand on both. A SELECT that names the source of each
field says what it needs, so that its sides are narrowed to that, and renamed where two sources have one name.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.problems import ExpressionError
from streaming.definition.expressions.tree import Expression, Field, children
from streaming.definition.sql.building.columns import quoted
from streaming.definition.sql.building.joins import key_pairs
from streaming.definition.sql.reading.aggregates import take_calls
from streaming.definition.sql.reading.reader import Reader, TokenRange, ValueAt
from streaming.definition.sql.reading.slices import VALUE_FACET, after_qualifiers, cut
from streaming.definition.sql.reading.tree import JoinSyntax, SelectSyntax
from streaming.definition.tokens import Extent, TokenKind

_LONGEST = 63
_ONLY_ASKED = ("semi_join", "anti_join")
_BEHIND = -1
"""The place of what stands behind all joins."""


@dataclass(frozen=True)
class FieldMention:
    """One field as the text names it: of which source, where, at which token, and in the ON of which join."""

    source: int
    name: str
    extent: Extent
    token: int
    join: int


@dataclass(frozen=True)
class ReadField:
    """A field that is read of a source, and what it is called in the graph behind that."""

    of: str
    name: str
    extent: Extent


@dataclass
class NarrowedSides:
    """What is read of each source by its number, none where nothing is named; and the keys by their part of ON."""

    columns: dict[int, list[ReadField]] = field(default_factory=dict)
    keys: dict[TokenRange, ValueAt[str]] = field(default_factory=dict)


class _NotSaid(Exception):
    """A field whose source the text does not say."""


def narrow(reader: Reader, select: SelectSyntax) -> NarrowedSides | None:
    """What `select` reads of each source if it names the source of each field; `reader.renamed` then has new names.

    None where it has no joins, takes `*`, or leaves open of which source a field is: sides then keep all of their
    fields. A field of USING may stand alone. Nothing is told here: what is wrong is found by those who build.
    """
    if not select.joins or select.star is not None or not select.items:
        return None
    try:
        found = _Mentions(reader, select).all()
        if not found:
            return None
        names = _Names(reader, select, found)
        names.give()
    except _NotSaid:
        return None
    reader.renamed.update(names.renamed)
    return names.narrowed


class _Mentions:
    """All fields that a SELECT names, with their sources. Raises `_NotSaid`."""

    def __init__(self, reader: Reader, select: SelectSyntax) -> None:
        self.reader = reader
        self.select = select
        self.sources: dict[str, int] = {}
        for number, source in enumerate((select.source, *(join.source for join in select.joins))):
            for name in source.qualifiers if source else ():
                self.sources[name] = -1 if name in self.sources else number
        self.shared = {said.value for join in select.joins for said in join.using or ()}
        self.results = {item.name.value for item in select.items if item.name}

    def all(self) -> list[FieldMention]:
        """In the order of the text, but ON before what stands behind the joins."""
        select = self.select
        found: list[FieldMention] = []
        for number, join in enumerate(select.joins, 1):
            found += self._of(join.on, number) if join.on else ()
        for item in select.items:
            found += self._of(item.of, _BEHIND)
        for name, clause in select.clauses.items():
            found += self._of(clause.part, _BEHIND, results=name == "HAVING") if clause.part else ()
        for part in (*select.groups, *((select.top.by,) if select.top and select.top.by else ())):
            found += self._of(part, _BEHIND)
        return found

    def _of(self, part: TokenRange, join: int, *, results: bool = False) -> Iterator[FieldMention]:
        """The fields of one expression; names of `results` may stand in it where they are no fields."""
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
            raise _NotSaid from None
        tokens = {self.reader.tokens[index].start: index for index in range(part.first, part.last)}
        for each in _fields(tree):
            at = tokens.get(text.place.source(each.at), -1)
            if len(each.path) == 1 and (each.path[0] in self.shared or (results and each.path[0] in self.results)):
                continue
            yield self._mentioned(each, at, part, join)

    def _mentioned(self, named: Field, at: int, part: TokenRange, join: int) -> FieldMention:
        tokens = self.reader.tokens
        source = self.sources.get(named.path[0], -1) if at >= 0 and tokens[at].kind is TokenKind.WORD else -1
        if source < 0 or len(named.path) < 2 or not self._is_there(source, join):
            raise _NotSaid
        index = after_qualifiers(tokens, at, part.last, {named.path[0]})
        name = named.path[2] if named.path[1] == VALUE_FACET and len(named.path) > 2 else named.path[1]
        return FieldMention(source, name, tokens[index].extent, at, join)

    def _is_there(self, source: int, join: int) -> bool:
        """Whether a pair of that join, or a row behind all of them, holds fields of the source."""
        if join != _BEHIND and source > join:
            return False
        asked = source > 0 and self.select.joins[source - 1].kind in _ONLY_ASKED
        return not asked or source == join


def _fields(tree: Expression) -> Iterator[Field]:
    pending = [tree]
    while pending:
        part = pending.pop()
        if isinstance(part, Field):
            yield part
        pending.extend(reversed(children(part)))


class _Names:
    """The names of fields in pairs: the first source with a name keeps it; a key is called as on the left."""

    def __init__(self, reader: Reader, select: SelectSyntax, mentions: list[FieldMention]) -> None:
        self.reader = reader
        self.select = select
        self.sources = [select.source, *(join.source for join in select.joins)]
        self.mentions = mentions
        self.plain = {each.name for each in mentions}
        self.names: dict[tuple[int, str], str] = {}
        self.inside: dict[tuple[int, str], str] = {}
        """Names that hold only in the ON of the join that adds the source: keys of the right side of an outer join."""
        self.taken: set[str] = set()
        self.narrowed = NarrowedSides()
        self.renamed: dict[int, str] = {}

    def give(self) -> None:
        """Name all fields, and note which stand in the text by another name. Raises `_NotSaid`."""
        for each in self._read_of(0, self.select.joins[0]):
            self._name(0, each)
        for number, join in enumerate(self.select.joins, 1):
            self._join(number, join)
        for mention in self.mentions:
            key = (mention.source, mention.name)
            inside = self.inside.get(key, "") if mention.join == mention.source else ""
            self.renamed[mention.token] = quoted(inside or self.names[key])

    def _read_of(self, source: int, join: JoinSyntax) -> list[ValueAt[str]]:
        """The fields of a source in the order of the text; those that USING shares first."""
        found = {said.value: said.extent for said in join.using or ()} if source == 0 or join.using else {}
        for each in sorted(self.mentions, key=lambda each: each.token):
            if each.source == source:
                found.setdefault(each.name, each.extent)
        return [ValueAt(name, extent) for name, extent in found.items()]

    def _join(self, number: int, join: JoinSyntax) -> None:
        keys = self._keys(number, join)
        outer = join.outer and join.kind not in _ONLY_ASKED
        behind = {each.name for each in self.mentions if each.source == number and each.join != number}
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
            if each.value in behind:  # null without a partner, which the key is not
                self._name(number, each)
        if join.kind in _ONLY_ASKED:
            self.taken = before

    def _keys(self, number: int, join: JoinSyntax) -> dict[str, str]:
        """The keys of a join: by the field of the right side the name of the left one."""
        found: dict[str, str] = {}
        for said in join.using or ():
            if said.value not in self.taken:
                raise _NotSaid
            found[said.value] = said.value
        if join.on is None or join.using is not None:
            return found
        numbers = {name: index for index in (*range(number), number) for name in self._qualifiers(index)}
        for part, sides in key_pairs(self.reader, join.on):
            pairs = [(numbers[qualifier], name) for qualifier, name in sides]
            left, right = sorted(pairs, key=lambda pair: pair[0] == number)
            if left[0] == number or right[0] != number:
                continue
            name = self.names[left]
            if name not in found.values() and right[1] not in found:
                found[right[1]] = name
                self.narrowed.keys[part] = ValueAt(name, self.reader.covered(part))
        return found

    def _qualifiers(self, number: int) -> frozenset[str]:
        source = self.sources[number]
        return source.qualifiers if source else frozenset()

    def _name(self, number: int, said: ValueAt[str]) -> None:
        """Give a field a name of its own."""
        name = said.value if said.value not in self.taken else self._other(number, said.value)
        self.names[number, said.value] = name
        self._column(number, said, name)

    def _other(self, number: int, name: str) -> str:
        source = self.sources[number]
        alias = (source.alias or source.name) if source else None
        begin = f"{alias.value if alias else 'right'}_{name}"[: _LONGEST - 4]
        candidates = (begin, *(f"{begin}_{count}" for count in range(2, 1000)))
        return next(each for each in candidates if each not in self.taken and each not in self.plain)

    def _column(self, number: int, said: ValueAt[str], name: str) -> None:
        self.taken.add(name)
        self.narrowed.columns.setdefault(number, []).append(ReadField(quoted(said.value), name, said.extent))
