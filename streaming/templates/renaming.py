"""A template's text on the user's streams: their names replace the template's, all else stays the same."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, count, takewhile
from typing import Final

from streaming.definition.analytic import AnalyticNode
from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.tree import Expression, Field, children
from streaming.definition.graph import (
    AntiJoinNode,
    AsofJoinNode,
    ClipNode,
    FilterNode,
    InputNode,
    JoinNode,
    Node,
    OutputNode,
    ProjectNode,
    SemiJoinNode,
    SetDurationNode,
    TopKNode,
    WindowNode,
    sources,
)
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.words import name as written_name
from streaming.definition.sql.script import Script
from streaming.definition.tokens import Extent, TokenKind, lex

_NAMES: Final = (TokenKind.WORD, TokenKind.QUOTED)
FieldNames = Mapping[str, str]
"""The new name of each field, by its name in the template."""


@dataclass(frozen=True)
class OwnStream:
    """A stream that replaces one of a template's: its name, and its field for each field that the template reads."""

    name: str
    fields: FieldNames


@dataclass(frozen=True)
class RenamedText:
    """A text on other streams. By the outputs of the template: their new names, and the names of their columns."""

    text: str
    outputs: Mapping[str, str]
    columns: Mapping[str, FieldNames]


def renamed(sql: str, name: str, streams: Mapping[str, OwnStream]) -> RenamedText:
    """Return the text `sql`, a valid query, with the name `name` and reading `streams`, which are by the replaced ones.

    Only the names of fields and streams are changed, so that comments and layout stay. A column without AS gets its
    field's name; a name of the text that conflicts with one of the streams gets a number.
    """
    return _Renaming(parse_sql(sql), streams).written(name)


@dataclass
class _Renaming:
    """The renaming of one text.

    `edits` are by extent, `claimed` are names of fields or columns, not of streams or steps.
    """

    script: Script
    streams: Mapping[str, OwnStream]
    edits: dict[Extent, str] = field(default_factory=dict)
    claimed: set[Extent] = field(default_factory=set)
    leaving: dict[str, dict[str, str]] = field(default_factory=dict)

    def written(self, name: str) -> RenamedText:
        graph = self.script.graph
        assert graph is not None  # nosec B101 # the test of the templates reads each
        for node in graph.nodes:
            self._leave(node)
        for input_, settings in self.script.advance.items():
            self._expression(input_, "advance.over", settings.over, self.leaving[input_])
        for each in self.script.qualified:
            self._field((each.span.start, each.span.end), each.name, self.leaving[each.node])
        relations = self._relations()
        self._mentions(relations, name)
        outputs = [node for node in graph.nodes if isinstance(node, OutputNode)]
        return RenamedText(
            self._edited(),
            {node.id: relations.get(node.id, node.id) for node in outputs},
            {node.id: self.leaving[node.id] for node in outputs},
        )

    def _leave(self, node: Node) -> None:
        """Record the names of the fields that leave `node`, and rename those that its expressions read."""
        given = [self.leaving[each] for each in sources(node)]
        scope = {name: of for each in reversed(given) for name, of in each.items()}  # the left of a join comes first
        leaves = scope if isinstance(node, JoinNode | AsofJoinNode) else dict(given[0]) if given else {}
        match node:
            case InputNode():
                leaves = dict(self.streams[node.stream].fields)
            case FilterNode() | JoinNode() | AntiJoinNode() | SemiJoinNode():
                self._expression(node.id, "where", node.where, scope)
            case TopKNode():
                self._expression(node.id, "by", node.by, scope)
                self._grouped(node, scope)
            case SetDurationNode():
                self._expression(node.id, "expression", node.expression, scope)
            case ProjectNode():
                leaves = self._projected(node, scope)
            case WindowNode():
                leaves = self._aggregated(node, scope)
            case AnalyticNode():
                leaves = self._with_columns(node, scope)
            case ClipNode():
                self._listed(node.id, "keys", node.keys, scope)
            case _:
                pass
        self.leaving[node.id] = leaves

    def _grouped(self, node: WindowNode | TopKNode, scope: FieldNames) -> dict[str, str]:
        self._listed(node.id, "group_by", node.group_by, scope)
        return {each: scope.get(each, each) for each in node.group_by}

    def _listed(self, node: str, path: str, names: Iterable[str], scope: FieldNames) -> None:
        """Rename the fields of a list of names."""
        for index, each in enumerate(names):
            if extent := self._extent(node, f"{path}[{index}]"):
                self._field(extent, each, scope)

    def _with_columns(self, node: AnalyticNode, scope: FieldNames) -> dict[str, str]:
        """Rename the fields that an analytic node reads, and return its fields: those of its input, and its columns."""
        leaves = dict(scope)
        self._listed(node.id, "group_by", node.group_by, scope)
        for index, order in enumerate(node.order_by):
            self._expression(node.id, f"order_by[{index}].of", order.of, scope)
        for index, each in enumerate(node.columns):
            path = f"columns[{index}]"
            for part in ("of", "filter", "default"):
                self._expression(node.id, f"{path}.{part}", getattr(each, part), scope)
            leaves[each.name] = self._alias(node.id, f"{path}.name", each.name, leaves)
        return leaves

    def _aggregated(self, node: WindowNode, scope: FieldNames) -> dict[str, str]:
        leaves = self._grouped(node, scope)
        self._selected(node, scope)
        for index, each in enumerate(node.aggregates):
            path = f"aggregates[{index}]"
            self._expression(node.id, f"{path}.of", each.of, scope)
            self._expression(node.id, f"{path}.filter", each.filter, scope)
            leaves[each.name] = self._alias(node.id, f"{path}.name", each.name, leaves)
        return leaves

    def _selected(self, node: WindowNode, scope: FieldNames) -> None:
        """Rename the groups that the SELECT of a window names: they are not separate columns in the graph."""
        aggregates = self._extent(node.id, "aggregates")
        tokens = lex(self.script.text).tokens
        selects = [index for index, each in enumerate(tokens) if each.word == "SELECT"]
        first = max(index for index in selects if aggregates is not None and tokens[index].start < aggregates[0])
        for token in takewhile(lambda each: each.word != "FROM", tokens[first:]):
            if token.kind in _NAMES and token.value in node.group_by:
                self._field(token.extent, token.value, scope)

    def _projected(self, node: ProjectNode, scope: FieldNames) -> dict[str, str]:
        leaves: dict[str, str] = {}
        for index, each in enumerate(node.columns):
            path = f"columns[{index}]"
            of, called = self._extent(node.id, f"{path}.of"), self._extent(node.id, f"{path}.name")
            self._expression(node.id, f"{path}.of", each.of, scope)
            if called is not None and called != of:
                leaves[each.name] = self._alias(node.id, f"{path}.name", each.name, leaves)
                continue
            own = scope.get(each.name, each.name)
            if of is not None and own in leaves.values():  # two streams call a field the same
                own = _free(each.name, leaves.values())
                self.edits[of[1], of[1]] = f" AS {written_name(own)}"
            leaves[each.name] = own
        return leaves

    def _alias(self, node: str, path: str, alias: str, taken: FieldNames) -> str:
        """Return the name of a column with AS; it differs from the previous ones."""
        extent = self._extent(node, path)
        if extent is None:
            return alias
        extent = (max(extent[0], extent[1] - len(written_name(alias))), extent[1])  # of `LAG(v) OVER (...) AS before`
        self.claimed.add(extent)
        own = _free(alias, taken.values())
        if own != alias:
            self.edits[extent] = written_name(own)
        return own

    def _expression(self, node: str, path: str, text: str | None, scope: FieldNames) -> None:
        place = self.script.places.nodes.get(node, {}).get(path)
        if text is None or place is None or not place.runs:
            return
        for each in _fields(parse(text)):
            word = self.script.places.span_of(node, path, each.at)
            if word is not None:  # with the name of its source before it, and fields of structs after it
                inside = sum(len(f".{step}") for step in each.path[1:])
                self._field((word.start, word.end - inside), each.path[0], scope)

    def _field(self, extent: Extent, name: str, scope: FieldNames) -> None:
        """Rename the field `name` at the end of the text at `extent`."""
        extent = (extent[1] - len(name), extent[1])
        self.claimed.add(extent)
        if (own := scope.get(name, name)) != name:
            self.edits[extent] = written_name(own)

    def _relations(self) -> dict[str, str]:
        """Return the new names of streams, and of steps and outputs with the same name."""
        graph = self.script.graph
        assert graph is not None  # nosec B101 # see above
        own = {name: stream.name for name, stream in self.streams.items()}
        ids = [node.id for node in graph.nodes if node.id not in own and self._extent(node.id, "id")]
        for each in ids:
            own[each] = _free(each, own.values())
        return own

    def _mentions(self, relations: Mapping[str, str], name: str) -> None:
        """Rename streams, steps and outputs everywhere in the text, except after a point."""
        if extent := self._extent(None, "name"):
            self.claimed.add(extent)
            self.edits[extent] = written_name(name)
        before = ""
        for token in lex(self.script.text).tokens:
            own = relations.get(token.value, token.value)
            if token.kind in _NAMES and before != "." and token.extent not in self.claimed and own != token.value:
                self.edits[token.extent] = written_name(own)
            before = token.word

    def _extent(self, node: str | None, path: str) -> Extent | None:
        place = self.script.places.nodes.get(node, {}).get(path)
        return None if place is None else (place.span.start, place.span.end)

    def _edited(self) -> str:
        text = self.script.text
        for (start, end), own in sorted(self.edits.items(), reverse=True):
            text = text[:start] + own + text[end:]
        return text


def _fields(expression: Expression) -> Iterator[Field]:
    if isinstance(expression, Field):
        yield expression
    for each in children(expression):
        yield from _fields(each)


def _free(name: str, taken: Iterable[str]) -> str:
    """Return `name`, or with the first number that makes it different from `taken`."""
    used = set(taken)
    return next(each for each in chain([name], (f"{name}_{number}" for number in count(2))) if each not in used)
