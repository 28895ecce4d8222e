"""Which neighbouring nodes of a graph one SELECT can say: those that reading it makes again, ids and order included."""

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
    grown,
    made_by,
)
from streaming.definition.sql.printing.layout import statement
from streaming.definition.sql.printing.selects import SourceNames, clauses


def fold_step(nodes: Sequence[Node], last: int) -> tuple[Body, int]:
    """The longest body that ends in `nodes[last]`, as a step of that name, and the index of its first node."""
    return _longest(nodes, last, nodes[last].id, named=True) or (alone(nodes[last]), last)


def fold_insert(nodes: Sequence[Node], last: int) -> tuple[Body, int]:
    """The longest body of an INSERT whose output is `nodes[last]`, and the index of its first node."""
    output = nodes[last]
    assert isinstance(output, OutputNode)  # nosec B101 # tells the type checker what is so; nothing depends on it
    if last and nodes[last - 1].id == output.input and not isinstance(nodes[last - 1], InputNode | OutputNode):
        found = _longest(nodes, last - 1, output.id, named=False)
        if found is not None:
            return found
    return SelectBody(output.input), last


def _longest(nodes: Sequence[Node], last: int, owner: str, *, named: bool) -> tuple[Body, int] | None:
    """The longest body that ends at `last`; None where not even that node has the id which it would get."""
    body, first = alone(nodes[last]), last
    candidates: list[tuple[Body, int]] = [(body, first)]
    if isinstance(nodes[last], UnionNode):
        candidates.append(_union(nodes, last, owner))
    while first and not isinstance(nodes[first - 1], InputNode | OutputNode):
        before = nodes[first - 1]
        larger = grown(body, before) if isinstance(body, SelectBody) and body.source == before.id else None
        if larger is None:
            break
        body, first = larger, first - 1
        candidates.append((body, first))
    fitting = [each for each in candidates if _comes_back(each[0], owner, named=named)]
    return fitting[-1] if fitting else None


def _union(nodes: Sequence[Node], last: int, owner: str) -> tuple[UnionBody, int]:
    union = nodes[last]
    assert isinstance(union, UnionNode)  # nosec B101 # tells the type checker what is so; nothing depends on it
    branches: list[SelectBody | OperatorBody] = []
    first = last
    for number in range(len(union.inputs), 0, -1):
        read = union.inputs[number - 1]
        end = first - 1
        while end >= 0 and isinstance(nodes[end], InputNode):
            end -= 1  # an input that this branch or the next mentions first; whether it does is the plan's question
        branch: tuple[Body, int] | None = None
        if end >= 0 and nodes[end].id == read and not isinstance(nodes[end], OutputNode | UnionNode):
            branch = _longest(nodes, end, derived(owner, str(number)), named=False)
        if branch is None or isinstance(branch[0], UnionBody):
            branches.insert(0, SelectBody(read))
        else:
            branches.insert(0, branch[0])
            first = branch[1]
    return UnionBody(union, tuple(branches)), first


def _comes_back(body: Body, owner: str, *, named: bool) -> bool:
    made = list(made_by(body, owner))
    ids = made[:-1] if named else made
    return all(node.id == derived_id for derived_id, node in ids) and (
        not isinstance(body, SelectBody) or body.post is None or _is_read_alike(body)
    )


def _is_read_alike(body: SelectBody) -> bool:
    """Whether aggregates that stand inside of columns are cut out again as they are: parsing tells."""
    text = statement([("x", clauses(body, SourceNames({}, frozenset(), {})))], [])
    script = parse_sql(text)
    wanted = [_content(node) for _, node in made_by(body, "x")]
    return script.graph is not None and not script.faults and list(map(_content, script.graph.nodes)) == wanted


def _content(node: Node) -> dict[str, object]:
    return node.model_dump(exclude={"id", "input", "left"})
