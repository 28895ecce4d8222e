"""What stands between the parentheses of a step or behind an INSERT: the nodes that one SELECT or operator makes.

The rules by which a text makes nodes (their order and their ids) are here once for the printer: `made_by` says them,
and `print_folds` puts only those nodes into one body of which `made_by` gives the same back.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from streaming.definition.graph import (
    AntiJoinNode,
    AsofJoinNode,
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
    ToIntervalsNode,
    TopKNode,
    UnionNode,
    WindowNode,
    sources,
)
from streaming.definition.sql.building.drafts import derived
from streaming.definition.sql.grammar.clauses import OPERATORS

Joining = JoinNode | AntiJoinNode | SemiJoinNode | AsofJoinNode
Operating = ClipNode | ShiftNode | ExtendNode | SetDurationNode | PointAtEndNode | ToIntervalsNode | OrderEdgesNode
OPERATOR_ROWS = {form.kind: form for form in OPERATORS}


@dataclass(frozen=True)
class SelectBody:
    """One SELECT: it reads the node `source`, and without any of the others it makes no node."""

    source: str
    joins: tuple[Joining, ...] = ()
    where: FilterNode | None = None
    main: WindowNode | TopKNode | ProjectNode | None = None
    having: FilterNode | None = None
    post: ProjectNode | None = None


@dataclass(frozen=True)
class OperatorBody:
    """CLIP, SHIFT and the other statements of one node."""

    node: Operating


@dataclass(frozen=True)
class UnionBody:
    """Branches with UNION ALL between them."""

    node: UnionNode
    branches: tuple[SelectBody | OperatorBody, ...]


Body = SelectBody | OperatorBody | UnionBody


def alone(node: Node) -> Body:
    """The body that makes `node` and nothing else. Raises TypeError for an input or output, which no body makes."""
    match node:
        case FilterNode():
            return SelectBody(node.input, where=node)
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


def made_by(body: Body, owner: str) -> Iterator[tuple[str, Node]]:
    """The nodes of `body` in the order in which a text makes them, each with its derived id."""
    match body:
        case SelectBody():
            for number, join in enumerate(body.joins, start=1):
                yield derived(owner, "join" if number == 1 else f"join_{number}"), join
            if body.where is not None:
                yield derived(owner, "where"), body.where
            if body.main is not None:
                yield derived(owner, _main_role(body.main)), body.main
            if body.having is not None:
                yield derived(owner, "having"), body.having
            if body.post is not None:
                yield derived(owner, "post" if isinstance(body.main, WindowNode) else "select"), body.post
        case OperatorBody(node):
            yield derived(owner, OPERATOR_ROWS[node.kind].role), node
        case UnionBody(node, branches):
            for number, branch in enumerate(branches, start=1):
                yield from made_by(branch, derived(owner, str(number)))
            yield derived(owner, "union"), node


def _main_role(node: WindowNode | TopKNode | ProjectNode) -> str:
    return {"window": "window", "top_k": "top", "project": "select"}[node.kind]


def mentions(body: SelectBody | OperatorBody) -> tuple[str, ...]:
    """The ids that a body reads, in the order in which its text mentions them."""
    if isinstance(body, SelectBody):
        return (body.source, *(join.right for join in body.joins))
    return sources(body.node)


def emitted(body: Body) -> Iterator[str | Node]:
    """What a text with this body makes, in order: mentions, of inputs that may be new, as ids; and nodes."""
    if isinstance(body, UnionBody):
        for branch in body.branches:
            yield from emitted(branch)
        yield body.node
        return
    yield from mentions(body)
    yield from (node for _, node in made_by(body, ""))


def grown(body: Body, before: Node) -> Body | None:
    """The body that makes `before` as well, which it reads; None where no single SELECT says both."""
    if not isinstance(body, SelectBody):
        return None
    match before:
        case JoinNode() | AntiJoinNode() | SemiJoinNode() | AsofJoinNode():
            return _behind_join(body, before)
        case FilterNode():
            return _behind_filter(body, before)
        case WindowNode():
            return _behind_window(body, before)
        case TopKNode():
            return _behind_top(body, before)
        case _:
            return None


def is_inner(join: Joining) -> bool:
    """Whether WHERE behind `join` is a condition of the join itself."""
    return isinstance(join, JoinNode) and join.type == "inner"


def _behind_join(body: SelectBody, join: Joining) -> SelectBody | None:
    if is_inner(join) and body.where is not None and not body.joins:
        return None  # WHERE behind an inner join is the join's own
    return replace(body, source=join.left, joins=(join, *body.joins))


def _behind_filter(body: SelectBody, where: FilterNode) -> SelectBody | None:
    if body.joins or body.where is not None or body.main is None:
        return None
    return replace(body, source=where.input, where=where)


def _behind_window(body: SelectBody, window: WindowNode) -> SelectBody | None:
    if body.joins or body.having is not None or isinstance(body.main, WindowNode | TopKNode):
        return None
    return SelectBody(window.input, main=window, having=body.where, post=body.main)


def _behind_top(body: SelectBody, top: TopKNode) -> SelectBody | None:
    if body.joins or body.where is not None or not isinstance(body.main, ProjectNode) or body.post is not None:
        return None
    return SelectBody(top.input, main=top, post=body.main)
