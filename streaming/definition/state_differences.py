"""What becomes of what the nodes of a query hold when another version takes over, node by node."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from streaming.definition.graph import ExtendNode, Node, QueryGraph, WindowNode, sources
from streaming.definition.strict import Strict
from streaming.definition.wiring import order
from streaming.temporal.ticks import parse_duration

Standing = Literal["same", "widened", "lost", "new", "gone"]
HOLDING_NOTHING: Final = ("input", "output", "filter", "project", "shift", "set_duration")
_PLACE: Final = {"id", "input", "inputs", "left", "right"}
_GIVEN: Final = frozenset({"aggregates"})
"""What may be added to a window without its panes being others."""


class NodeDifference(Strict):
    """A node that holds something from batch to batch, in the version before, in the one after it, or in both.

    `same`: it and all that it reads are as before. `widened`: its windows and groups are the same, `added` aggregates
    are new and `removed` ones gone. `lost`: it, or what it reads, is another one, by the fields `changed` (empty: only
    what it reads is). `new` and `gone`: one version alone has it.
    """

    node: str
    kind: str
    standing: Standing
    added: list[str]
    removed: list[str]
    changed: list[str]


def state_differences(before: QueryGraph, after: QueryGraph) -> list[NodeDifference]:
    """The nodes that hold something, those of `after` in its order, then those that are gone; told apart by id."""
    olds, news = ({node.id: node for node in graph.nodes} for graph in (before, after))
    placed, _ = order(news)
    alike: dict[str, bool] = {}
    found = []
    for name in placed:
        node, old = news[name], olds.get(name)
        alike[name] = old is not None and _said(old) == _said(node) and _reads_alike(old, node, alike)
        if holds(node):
            found.append(_compared(old, node, alike))
    gone = [old for name, old in olds.items() if name not in news and holds(old)]
    return [*found, *(_of(old, "gone") for old in gone)]


def holds(node: Node) -> bool:
    """Whether `node` holds something from batch to batch."""
    if isinstance(node, ExtendNode):
        return parse_duration(node.by) < 0
    return node.kind not in HOLDING_NOTHING


def _said(node: Node) -> Mapping[str, Any]:
    return node.model_dump(mode="json")


def _reads_alike(old: Node, node: Node, alike: Mapping[str, bool]) -> bool:
    return all(alike[source] for source in sources(node)) and list(sources(old)) == list(sources(node))


def _compared(old: Node | None, node: Node, alike: Mapping[str, bool]) -> NodeDifference:
    if old is None or old.kind != node.kind:
        return _of(node, "new")
    if alike[node.id]:
        return _of(node, "same")
    said, was = _said(node), _said(old)
    changed = sorted(name for name in said if name not in _PLACE and said[name] != was[name])
    if isinstance(node, WindowNode) and isinstance(old, WindowNode) and set(changed) == _GIVEN:
        if not _reads_alike(old, node, alike):
            return _of(node, "lost", changed=changed)
        now, then = _aggregates(node), _aggregates(old)
        added = [name for name, each in now.items() if then.get(name) != each]
        return _of(node, "widened", added=added, removed=[name for name in then if name not in now])
    return _of(node, "lost", changed=changed)


def _aggregates(node: WindowNode) -> Mapping[str, Any]:
    return {each.name: each for each in node.aggregates}


def _of(node: Node, standing: Standing, **said: list[str]) -> NodeDifference:
    named = {"added": [], "removed": [], "changed": [], **said}
    return NodeDifference(node=node.id, kind=node.kind, standing=standing, **named)
