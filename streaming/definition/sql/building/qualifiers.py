"""Qualifiers of fields: checks them after joins, and records the source and field of each."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from streaming.definition.sql.building.drafts import FieldUse, NodeDraft, NodeDrafts, Ref
from streaming.definition.sql.problems import over
from streaming.definition.sql.reading.reader import Reader, TokenRange
from streaming.definition.sql.reading.slices import after_qualifiers
from streaming.definition.sql.reading.tree import JoinSyntax, SelectSyntax, SourceSyntax
from streaming.definition.tokens import TokenKind

_FILTERING: Final = ("semi_join", "anti_join")


@dataclass
class _QualifierScope:
    """The meaning of source names at one place of a SELECT; sources are numbered from 0."""

    sources: dict[str, int] = field(default_factory=dict)
    gone: dict[int, JoinSyntax] = field(default_factory=dict)
    """Right sides of semi and anti joins, which have no fields in the result."""
    optional: dict[int, frozenset[object]] = field(default_factory=dict)
    """Right sides of outer joins with their keys, which have the values of the left after the join."""

    def add(self, source: SourceSyntax | None, number: int) -> None:
        """Add the names of a source; a name that several sources share is ambiguous (-1)."""
        for name in source.qualifiers if source else ():
            self.sources[name] = -1 if name in self.sources else number


def read_qualifiers(
    reader: Reader, drafts: NodeDrafts, select: SelectSyntax, refs: list[Ref | None], joins: list[NodeDraft] | None
) -> None:
    """Report qualified fields that do not exist after a join, and record the others for `check_sql`.

    `refs` are the sources of `select`, `joins` the nodes of its joins; None if their sides are narrowed: then
    the right key of an outer join has its own column. Expressions lose their qualifiers in the graph:
    without this check, `b.x` could silently be `x` of another source.
    """
    scope = _QualifierScope()
    scope.add(select.source, 0)
    for number, join in enumerate(select.joins, 1):
        scope.add(join.source, number)
        if join.on is not None:
            _read(reader, drafts, join.on, scope, refs)
        if join.kind in _FILTERING:
            scope.gone[number] = join
        elif join.outer and joins is not None:
            keys = joins[number - 1].fields.get("keys")
            scope.optional[number] = frozenset(keys if isinstance(keys, list) else ())
    for part in _parts(select):
        _read(reader, drafts, part, scope, refs)


def _parts(select: SelectSyntax) -> Iterator[TokenRange]:
    """Yield the expressions after the joins."""
    yield from (item.of for item in select.items)
    yield from (clause.part for clause in select.clauses.values() if clause.part)
    yield from select.groups
    if select.top is not None:
        yield select.top.by


def _read(reader: Reader, drafts: NodeDrafts, part: TokenRange, scope: _QualifierScope, refs: list[Ref | None]) -> None:
    tokens = reader.tokens
    index = part.first
    while index < part.last - 2:
        first, number = index, scope.sources.get(tokens[index].value, -1)
        index = after_qualifiers(tokens, first, part.last, {tokens[first].value} if number >= 0 else frozenset())
        if index == first or number < 0:
            index += 1
            continue
        name, source = tokens[index], tokens[first].value
        extent = over(tokens[first].extent, name.extent)
        if number in scope.gone:
            kind = "ANTI" if scope.gone[number].kind == "anti_join" else "SEMI"
            message = f"The fields of `{source}` are not available after {kind} JOIN, which only filters events."
            remedy = "Move the condition into ON, or into a step that the join reads. To use the fields, write JOIN."
            reader.problem(extent, message, remedy)
        elif name.value in scope.optional.get(number, ()):
            message = f"After a LEFT join, the key `{name.value}` always has the value of the left side."
            remedy = (
                f"Write {name.value} alone. To find events without a partner, use ANTI JOIN or another field of "
                f"`{source}`."
            )
            reader.problem(extent, message, remedy)
        elif (ref := refs[number]) is not None and name.kind in (TokenKind.WORD, TokenKind.QUOTED):
            drafts.used.append(FieldUse(ref, source, name.value, name.extent))
        index += 1
