"""The steps and INSERTs for a graph, in the order of its nodes, and the inputs that need no step."""

from collections.abc import Sequence

from streaming.definition.graph import InputNode, Node, OutputNode, QueryGraph, sources
from streaming.definition.sql.printing.bodies import Body, SelectBody, alone, emitted
from streaming.definition.sql.printing.folds import fold_insert, fold_step
from streaming.definition.sql.printing.units import KeptNodes, TextPlan, TextUnit


def plan(graph: QueryGraph, kept: Sequence[KeptNodes] = ()) -> TextPlan:
    """Fold the nodes of `graph` into units; reading them creates exactly these nodes, in this order."""
    single: set[int] = set()
    while True:
        planned = _Planner(graph.nodes, {each.last: each for each in kept}, single)
        if (refused := planned.refused) is None:
            return planned.plan()
        single.add(refused)


class _Planner:
    """One attempt: nodes whose index is in `single` are not folded; `refused` is one more for the next attempt."""

    def __init__(self, nodes: Sequence[Node], kept: dict[int, KeptNodes], single: set[int]) -> None:
        self._nodes = nodes
        ids = [node.id for node in nodes]
        self._inputs = {each.id: each for each in nodes if isinstance(each, InputNode) and ids.count(each.id) == 1}
        self._mentioned: set[str] = set()
        self._implicit: set[str] = set()
        self._units: list[TextUnit] = []
        self.refused: int | None = None
        begin = 0
        for last, body in _folded(nodes, kept, single):
            if last in kept:
                self._keep(begin, kept[last])
            elif body is None or not self._add(begin, last, body):
                self.refused = last
                return
            begin = last + 1
        self._explicit(nodes[begin:])

    def plan(self) -> TextPlan:
        named = frozenset(node.id for node in self._nodes) - self._implicit
        return TextPlan(tuple(self._units), frozenset(self._implicit), named)

    def _keep(self, begin: int, kept: KeptNodes) -> None:
        self._explicit(self._nodes[begin : kept.first])
        nodes = tuple(self._nodes[kept.first : kept.last + 1])
        if len(nodes) > 1:
            self._implicit.update(node.id for node in nodes if isinstance(node, InputNode) and node.id in self._inputs)
        self._mentioned.update(each for node in nodes for each in (node.id, *sources(node)))
        self._units.append(TextUnit(nodes, kept=kept))

    def _add(self, begin: int, last: int, body: Body) -> bool:
        """Add the unit that ends at `last`, after the inputs from `begin` on; return False if it cannot be folded."""
        made = [*emitted(body), *([self._nodes[last]] if isinstance(self._nodes[last], OutputNode) else [])]
        wanted = list(self._nodes[begin : last + 1])
        leading = next(index for index, node in enumerate(wanted) if not isinstance(node, InputNode))
        head = next((index for index, each in enumerate(made) if not isinstance(each, str)), len(made))
        first = self._first_mentions(made[:head])
        at = next(at for at in range(leading + 1) if _in_order(first, wanted[at:leading]))
        rest = self._rest(made[head:], {*first, *(node.id for node in wanted[:at])})
        if rest != wanted[leading:]:
            return False
        self._explicit(wanted[:at])
        self._implicit.update(node.id for node in (*wanted[at:leading], *rest) if isinstance(node, InputNode))
        self._mentioned.update(each for each in made if isinstance(each, str))
        self._units.append(TextUnit(tuple(wanted[at:]), body))
        return True

    def _explicit(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self._mentioned.add(node.id)
            self._units.append(TextUnit((node,)))

    def _first_mentions(self, made: Sequence[str | Node]) -> list[str]:
        new = self._inputs.keys() - self._mentioned
        return [each for each in dict.fromkeys(made) if isinstance(each, str) and each in new]

    def _rest(self, made: Sequence[str | Node], before: set[str]) -> list[Node]:
        """Return the nodes of a unit after its first node, including inputs that it mentions first."""
        seen, rest = self._mentioned | before, list[Node]()
        for each in made:
            if not isinstance(each, str):
                rest.append(each)
            elif each in self._inputs and each not in seen:
                seen.add(each)
                rest.append(self._inputs[each])
        return rest


def _in_order(mentioned: list[str], inputs: Sequence[Node]) -> bool:
    """Return whether mentions create each of these inputs, in this order."""
    ids = [node.id for node in inputs]
    return [each for each in mentioned if each in ids] == ids


def _folded(nodes: Sequence[Node], kept: dict[int, KeptNodes], single: set[int]) -> list[tuple[int, Body | None]]:
    """Return the indices of last nodes with their bodies (None: kept), in order, without inputs that need no step."""
    bodies: list[tuple[int, Body | None]] = []
    last = len(nodes) - 1
    while last >= 0:
        node = nodes[last]
        if last in kept:
            bodies.append((last, None))
            last = kept[last].first - 1
        elif isinstance(node, InputNode):
            last -= 1
        else:
            floor = max((each + 1 for each in kept if each < last), default=0)
            body, first = _single(node) if last in single else _longest(nodes[floor : last + 1])
            bodies.append((last, body))
            last -= first
    return bodies[::-1]


def _single(node: Node) -> tuple[Body, int]:
    return (SelectBody(sources(node)[0]) if isinstance(node, OutputNode) else alone(node)), 1


def _longest(nodes: Sequence[Node]) -> tuple[Body, int]:
    """Return the longest body that ends in the last of `nodes`, and the number of its nodes, including an output."""
    last = len(nodes) - 1
    body, first = (fold_insert if isinstance(nodes[last], OutputNode) else fold_step)(nodes, last)
    return body, last - first + 1
