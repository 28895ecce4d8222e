"""Bodies of steps and INSERTs: the nodes that one SELECT or operator creates.

`made_by` holds, once for the printer, the rules for the nodes of a text (their order and their ids). `folds`
combines nodes into one body only if `made_by` returns the same nodes for it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from streaming.definition.analytic import AnalyticNode
from streaming.definition.graph import (
    AntiJoinNode,
    AsofJoinNode,
    ChopNode,
    ClipNode,
    ExtendNode,
    FilterNode,
    InputNode,
    JoinNode,
    Node,
    OrderEdgesNode,
    OutputNode,
    PointAtEndNode,
    ProjectNode,
    SemiJoinNode,
    SetDurationNode,
    ShiftNode,
    StitchNode,
    ToIntervalsNode,
    TopKNode,
    UnionNode,
    WindowNode,
    sources,
)
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.definition.sql.building.drafts import derived
from streaming.definition.sql.grammar.clauses import OPERATORS

Joining = JoinNode | AntiJoinNode | SemiJoinNode | AsofJoinNode
Resizing = ClipNode | ShiftNode | ExtendNode | SetDurationNode | ChopNode | StitchNode
Operating = Resizing | PointAtEndNode | ToIntervalsNode | OrderEdgesNode
OPERATOR_ROWS = {form.kind: form for form in OPERATORS}


@dataclass(frozen=True)
class SelectBody:
    """One SELECT, which reads the node `source`; without any other field it creates no node."""

    source: str
    match: MatchRecognizeNode | None = None
    joins: tuple[Joining, ...] = ()
    where: FilterNode | None = None
    over: AnalyticNode | None = None
    main: WindowNode | TopKNode | ProjectNode | None = None
    having: FilterNode | None = None
    post: ProjectNode | None = None


@dataclass(frozen=True)
class OperatorBody:
    """CLIP, SHIFT and the other statements of one node."""

    node: Operating


@dataclass(frozen=True)
class UnionBody:
    """Branches joined by UNION ALL."""

    node: UnionNode
    branches: tuple[SelectBody | OperatorBody, ...]


Body = SelectBody | OperatorBody | UnionBody


def alone(node: Node) -> Body:
    """Return the body that creates only `node`. Raises TypeError for an input or output, which no body creates."""
    match node:
        case FilterNode():
            return SelectBody(node.input, where=node)
        case MatchRecognizeNode() | AnalyticNode():
            return _of_rows(node)
        case ProjectNode() | TopKNode() | WindowNode():
            return SelectBody(node.input, main=node)
        case JoinNode() | AntiJoinNode() | SemiJoinNode() | AsofJoinNode():
            return SelectBody(node.left, joins=(node,))
        case UnionNode():
            return UnionBody(node, tuple(SelectBody(each) for each in node.inputs))
        case InputNode() | OutputNode():
            raise TypeError(f"{node.kind} {node.id} has no body")
        case _:
            return OperatorBody(node)


def _of_rows(node: MatchRecognizeNode | AnalyticNode) -> SelectBody:
    if isinstance(node, AnalyticNode):
        return SelectBody(node.input, over=node)
    return SelectBody(node.input, match=node)


def made_by(body: Body, owner: str) -> Iterator[tuple[str, Node]]:
    """Yield the nodes of `body` in the order of the text, each with its derived id."""
    match body:
        case SelectBody():
            yield from _made_by_select(body, owner)
        case OperatorBody(node):
            yield derived(owner, OPERATOR_ROWS[node.kind].role), node
        case UnionBody(node, branches):
            for number, branch in enumerate(branches, start=1):
                yield from made_by(branch, derived(owner, str(number)))
            yield derived(owner, "union"), node


def _made_by_select(body: SelectBody, owner: str) -> Iterator[tuple[str, Node]]:
    if body.match is not None:
        yield derived(owner, "match"), body.match
    for number, join in enumerate(body.joins, start=1):
        yield derived(owner, "join" if number == 1 else f"join_{number}"), join
    if body.where is not None:
        yield derived(owner, "where"), body.where
    if body.over is not None:
        yield derived(owner, "over"), body.over
    if body.main is not None:
        yield derived(owner, _main_role(body.main)), body.main
    if body.having is not None:
        yield derived(owner, "having"), body.having
    if body.post is not None:
        yield derived(owner, "post" if isinstance(body.main, WindowNode) else "select"), body.post


def _main_role(node: WindowNode | TopKNode | ProjectNode) -> str:
    return {"window": "window", "top_k": "top", "project": "select"}[node.kind]


def mentions(body: SelectBody | OperatorBody) -> tuple[str, ...]:
    """Return the ids that a body reads, in the order in which its text mentions them."""
    if isinstance(body, SelectBody):
        return (body.source, *(join.right for join in body.joins))
    return sources(body.node)


def emitted(body: Body) -> Iterator[str | Node]:
    """Yield the nodes of a text with this body, in order; mentions, which may create inputs, as ids."""
    if isinstance(body, UnionBody):
        for branch in body.branches:
            yield from emitted(branch)
        yield body.node
        return
    yield from mentions(body)
    yield from (node for _, node in made_by(body, ""))


def extend_body(body: Body, before: Node) -> Body | None:
    """Return the body that also creates `before`, which it reads; None if no single SELECT can create both."""
    if not isinstance(body, SelectBody) or body.match is not None:
        return None
    match before:
        case MatchRecognizeNode():
            return None if body.joins else replace(body, source=before.input, match=before)
        case JoinNode() | AntiJoinNode() | SemiJoinNode() | AsofJoinNode():
            return _after_join(body, before)
        case FilterNode():
            return _after_filter(body, before)
        case WindowNode() | TopKNode():
            return _after_window(body, before) if isinstance(before, WindowNode) else _after_top(body, before)
        case _:
            return None


def is_inner(join: Joining) -> bool:
    """Return whether WHERE after `join` is a condition of the join itself."""
    return isinstance(join, JoinNode) and join.type == "inner"


def _after_join(body: SelectBody, join: Joining) -> SelectBody | None:
    if is_inner(join) and body.where is not None and not body.joins:
        return None  # WHERE after an inner join belongs to the join
    return replace(body, source=join.left, joins=(join, *body.joins))


def _after_filter(body: SelectBody, where: FilterNode) -> SelectBody | None:
    if body.joins or body.where is not None or (body.main is None and body.over is None):
        return None
    return replace(body, source=where.input, where=where)


def _after_window(body: SelectBody, window: WindowNode) -> SelectBody | None:
    if body.joins or body.over is not None or body.having is not None or isinstance(body.main, WindowNode | TopKNode):
        return None
    return SelectBody(window.input, main=window, having=body.where, post=body.main)


def _after_top(body: SelectBody, top: TopKNode) -> SelectBody | None:
    if body.joins or body.where is not None or not isinstance(body.main, ProjectNode) or body.post is not None:
        return None
    return SelectBody(top.input, main=top, post=body.main)
