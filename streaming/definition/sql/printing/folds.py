"""Folding of adjacent nodes into one SELECT, if reading it restores the same nodes, ids and order."""

from collections.abc import Sequence

from streaming.definition.graph import InputNode, Node, OutputNode, UnionNode
from streaming.definition.sql.building.drafts import derived
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.bodies import (
    Body,
    OperatorBody,
    SelectBody,
    UnionBody,
    alone,
    extend_body,
    made_by,
)
from streaming.definition.sql.printing.layout import statement
from streaming.definition.sql.printing.selects import SourceNames, clauses


def fold_step(nodes: Sequence[Node], last: int) -> tuple[Body, int]:
    """Return the longest body that ends in `nodes[last]`, as a step of that name, and the index of its first node."""
    return _longest(nodes, last, nodes[last].id, named=True) or (alone(nodes[last]), last)


def fold_insert(nodes: Sequence[Node], last: int) -> tuple[Body, int]:
    """Return the longest body of an INSERT whose output is `nodes[last]`, and the index of its first node."""
    output = nodes[last]
    assert isinstance(output, OutputNode)  # nosec B101 # for the type checker only
    if last and nodes[last - 1].id == output.input and not isinstance(nodes[last - 1], InputNode | OutputNode):
        longest = _longest(nodes, last - 1, output.id, named=False)
        if longest is not None:
            return longest
    return SelectBody(output.input), last


def _longest(nodes: Sequence[Node], last: int, owner: str, *, named: bool) -> tuple[Body, int] | None:
    """Return the longest body that ends at `last`; None if not even that node has its derived id."""
    body, first = alone(nodes[last]), last
    candidates: list[tuple[Body, int]] = [(body, first)]
    if isinstance(nodes[last], UnionNode):
        candidates.append(_union(nodes, last, owner))
    while first and not isinstance(nodes[first - 1], InputNode | OutputNode):
        before = nodes[first - 1]
        larger = extend_body(body, before) if isinstance(body, SelectBody) and body.source == before.id else None
        if larger is None:
            break
        body, first = larger, first - 1
        candidates.append((body, first))
    fitting = [each for each in candidates if _round_trips(each[0], owner, named=named)]
    return fitting[-1] if fitting else None


def _union(nodes: Sequence[Node], last: int, owner: str) -> tuple[UnionBody, int]:
    union = nodes[last]
    assert isinstance(union, UnionNode)  # nosec B101 # for the type checker only
    branches: list[SelectBody | OperatorBody] = []
    first = last
    for number in range(len(union.inputs), 0, -1):
        read = union.inputs[number - 1]
        end = first - 1
        while end >= 0 and isinstance(nodes[end], InputNode):
            end -= 1  # this branch or the next must mention the input first; the plan checks that
        branch: tuple[Body, int] | None = None
        if end >= 0 and nodes[end].id == read and not isinstance(nodes[end], OutputNode | UnionNode):
            branch = _longest(nodes, end, derived(owner, str(number)), named=False)
        if branch is None or isinstance(branch[0], UnionBody):
            branches.insert(0, SelectBody(read))
        else:
            branches.insert(0, branch[0])
            first = branch[1]
    return UnionBody(union, tuple(branches)), first


def _round_trips(body: Body, owner: str, *, named: bool) -> bool:
    made = list(made_by(body, owner))
    ids = made[:-1] if named else made
    return all(node.id == derived_id for derived_id, node in ids) and (
        not isinstance(body, SelectBody) or body.post is None or _is_read_alike(body)
    )


def _is_read_alike(body: SelectBody) -> bool:
    """Return whether parsing restores aggregates inside columns unchanged."""
    text = statement([("x", clauses(body, SourceNames({}, frozenset(), {})))], [])
    script = parse_sql(text)
    wanted = [_content(node) for _, node in made_by(body, "x")]
    return script.graph is not None and not script.faults and list(map(_content, script.graph.nodes)) == wanted


def _content(node: Node) -> dict[str, object]:
    return node.model_dump(exclude={"id", "input", "left"})
