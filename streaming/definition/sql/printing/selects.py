"""Clauses of SELECT, of the statements of one node, and of UNION ALL."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from streaming.definition.graph import (
    AsofJoinNode,
    ClipNode,
    Column,
    InputNode,
    JoinNode,
    Node,
    ProjectNode,
    SetDurationNode,
    TopKNode,
    WindowNode,
)
from streaming.definition.sql.grammar.clauses import JOINS
from streaming.definition.sql.grammar.sequences import MATCH
from streaming.definition.sql.printing.aggregates import aggregate
from streaming.definition.sql.printing.arguments import print_arguments
from streaming.definition.sql.printing.bodies import (
    OPERATOR_ROWS,
    Body,
    Joining,
    Operating,
    SelectBody,
    UnionBody,
    is_inner,
)
from streaming.definition.sql.printing.expressions import ExpressionPlace, expression, is_field
from streaming.definition.sql.printing.layout import ClauseLines
from streaming.definition.sql.printing.match_recognize import match_clauses
from streaming.definition.sql.printing.over import over_items
from streaming.definition.sql.printing.settings import event_time
from streaming.definition.sql.printing.windows import when_rows_appear, window_by
from streaming.definition.sql.printing.words import name, names
from streaming.definition.streams.stream import EventTimeBy
from streaming.definition.tokens import TokenKind, lex


@dataclass
class SourceNames:
    """References to nodes, in the order of the text: the first mention of an `implicit` input creates it.

    `named` are the ids of all other nodes; `event_times` are written where an input is created.
    """

    implicit: Mapping[str, InputNode]
    named: frozenset[str]
    event_times: Mapping[str, EventTimeBy]
    _made: set[str] = field(default_factory=set)

    def stream(self, node: InputNode) -> str:
        """Return the body of a step that is an input."""
        return f"STREAM {name(node.stream)}{self._event_time(node)}"

    def mention(self, node_id: str) -> str:
        """Return the reference to the node `node_id` in a statement that reads it."""
        node = self.implicit.get(node_id)
        if node is None:
            return name(node_id) if node_id in self.named else f"NODE {name(node_id)}"
        if node_id in self._made:
            return name(node_id) if node.stream == node_id else f"NODE {name(node_id)}"
        word = "STREAM " if node.stream in self.named else ""
        alias = "" if node.stream == node_id else f" AS {name(node_id)}"
        return f"{word}{name(node.stream)}{alias}{self._event_time(node)}"

    def skip(self, nodes: Iterable[Node]) -> None:
        """Record `nodes` that a kept part of the text creates at this point."""
        self._made.update(node.id for node in nodes)

    def _event_time(self, node: InputNode) -> str:
        first = node.id not in self._made
        self._made.add(node.id)
        return event_time(self.event_times.get(node.id), {node.id, node.stream}) if first else ""

    def qualifiers(self, *node_ids: str) -> frozenset[str]:
        """Return the qualifiers that reading removes from an expression over these nodes."""
        streams = {self.implicit[each].stream for each in node_ids if each in self.implicit}
        return frozenset({*node_ids, *streams})


def clauses(body: Body, sources: SourceNames) -> list[ClauseLines]:
    """Return the clauses of `body`, in order."""
    match body:
        case SelectBody():
            return list(_select(body, sources))
        case UnionBody(_, branches):
            written = [clauses(branch, sources) for branch in branches]
            rest = [clause for branch in written[1:] for clause in (ClauseLines("UNION ALL"), *branch)]
            return [*written[0], *rest]
        case _:
            return [ClauseLines(_operator(body.node, sources))]


def _select(body: SelectBody, sources: SourceNames) -> Iterator[ClauseLines]:
    first = (body.source,) if body.match is None else ()
    qualifiers = sources.qualifiers(*first, *(join.right for join in body.joins))
    yield ClauseLines("SELECT STREAM", tuple(_items(body, qualifiers)))
    read = f"FROM {sources.mention(body.source)}"
    if body.match is None:
        yield ClauseLines(read)
    else:
        yield ClauseLines(f"{read} {MATCH.words}", inner=tuple(match_clauses(body.match)))
    for join in body.joins:
        yield ClauseLines(_join(join, body, sources, qualifiers))
    if body.where is not None:
        yield ClauseLines(f"WHERE {expression(body.where.where, ExpressionPlace.CLAUSE, qualifiers)}")
    elif body.joins and is_inner(body.joins[-1]) and (own := _condition(body.joins[-1])) is not None:
        yield ClauseLines(f"WHERE {expression(own, ExpressionPlace.CLAUSE, qualifiers)}")
    if isinstance(body.main, WindowNode | TopKNode):
        yield from _grouping(body.main, qualifiers)
    if body.having is not None:
        having = _computed(body.having.where, body, qualifiers)
        yield ClauseLines(f"HAVING {having or expression(body.having.where, ExpressionPlace.CLAUSE, qualifiers)}")
    if isinstance(body.main, WindowNode) and (rows := when_rows_appear(body.main)):
        yield ClauseLines(rows)


def _grouping(node: WindowNode | TopKNode, qualifiers: frozenset[str]) -> Iterator[ClauseLines]:
    yield ClauseLines(window_by(node.window, node.grace if isinstance(node, WindowNode) else None))
    if node.group_by:
        yield ClauseLines(f"GROUP BY {names(node.group_by)}")
    if isinstance(node, TopKNode):
        yield ClauseLines(f"TOP {node.k} BY {expression(node.by, ExpressionPlace.CLAUSE, qualifiers)}")


def _items(body: SelectBody, qualifiers: frozenset[str]) -> Iterator[str]:
    columns = body.post or body.main
    match columns:
        case WindowNode() as window:
            yield from map(name, window.group_by)
            for each in window.aggregates:
                yield f"{aggregate(each, qualifiers)} AS {name(each.name)}"
        case ProjectNode() as project:
            for column in project.columns:
                computed = _computed(column.of, body, qualifiers)
                yield f"{computed} AS {name(column.name)}" if computed else _column(column, qualifiers)
        case _:
            yield "*"
            if body.over is not None:
                yield from over_items(body.over, qualifiers)


def _computed(text: str, body: SelectBody, qualifiers: frozenset[str]) -> str:
    """Return an expression over a window's rows with the aggregates instead of their names; empty without any."""
    if body.post is None or not isinstance(body.main, WindowNode):
        return ""
    calls = {each.name: each for each in body.main.aggregates}
    tokens = lex(text).tokens
    written, at = "", 0
    for index, token in enumerate(tokens[:-1]):
        alone = tokens[index - 1].word != "." and tokens[index + 1].word not in ("(", ".")
        if token.kind in (TokenKind.WORD, TokenKind.QUOTED) and token.value in calls and alone:
            written += text[at : token.start] + aggregate(calls[token.value], qualifiers)
            at = token.end
    return written + text[at:] if at else ""


def _column(column: Column, qualifiers: frozenset[str]) -> str:
    if column.name == column.of and is_field(column.of):
        return column.name
    return f"{expression(column.of, ExpressionPlace.ITEM, qualifiers)} AS {name(column.name)}"


def _join(join: Joining, body: SelectBody, sources: SourceNames, qualifiers: frozenset[str]) -> str:
    outer = isinstance(join, JoinNode | AsofJoinNode) and join.type == "left_outer"
    words = next(form.words for form in JOINS if (form.kind, form.outer) == (join.kind, outer))
    where = None if join is body.joins[-1] and is_inner(join) else _condition(join)
    using = f" USING ({names(join.keys)})"
    condition = "" if where is None else f" ON {expression(where, ExpressionPlace.CLAUSE, qualifiers)}"
    return f"{words} {sources.mention(join.right)}{using}{condition}"


def _condition(join: Joining) -> str | None:
    return None if isinstance(join, AsofJoinNode) else join.where


def _operator(node: Operating, sources: SourceNames) -> str:
    form = OPERATOR_ROWS[node.kind]
    words = [form.words, sources.mention(node.input)]
    if isinstance(node, ClipNode):
        words.append(f"BY {sources.mention(node.by)} ON {names(node.keys)}")
    elif isinstance(node, SetDurationNode) and node.expression is not None:
        computed = expression(node.expression, ExpressionPlace.DURATION, sources.qualifiers(node.input))
        words += [*print_arguments(node, form.arguments[:1]), f"TO {computed}"]
    else:
        words += print_arguments(node, (*form.arguments, *form.options))
    return " ".join(words)
