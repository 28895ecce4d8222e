"""The effect of a new version on the state of each node of a query."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from streaming.definition.checks.wiring import order
from streaming.definition.expanding import expanded
from streaming.definition.graph import ExtendNode, Node, QueryGraph, WindowNode, sources
from streaming.definition.strict import Strict
from streaming.temporal.ticks import parse_duration

Standing = Literal["same", "widened", "lost", "new", "gone"]
HOLDING_NOTHING: Final = ("input", "output", "filter", "project", "shift", "set_duration")
_PLACE: Final = {"id", "input", "inputs", "left", "right"}
_WIDENABLE: Final = frozenset({"aggregates"})
"""Fields of a window that can change without changing its panes."""


class NodeDifference(Strict):
    """A node with state between batches, in the old version, in the new one, or in both.

    `same`: it and all nodes before it are unchanged. `widened`: its windows and groups are the same, `added` aggregates
    are new and `removed` ones are gone. `lost`: it or a node before it differs; `changed` are its changed fields
    (empty: only nodes before it differ). `new` and `gone`: only one version has it.
    """

    node: str
    kind: str
    standing: Standing
    added: list[str]
    removed: list[str]
    changed: list[str]


def state_differences(before: QueryGraph, after: QueryGraph) -> list[NodeDifference]:
    """Return the nodes with state, matched by id: those of `after` in its order, then those that are gone."""
    olds, news = ({node.id: node for node in expanded(graph).nodes} for graph in (before, after))
    placed, _ = order(news)
    alike: dict[str, bool] = {}
    differences = []
    for name in placed:
        node, old = news[name], olds.get(name)
        alike[name] = old is not None and _content(old) == _content(node) and _reads_alike(old, node, alike)
        if holds(node):
            differences.append(_compare(old, node, alike))
    gone = [old for name, old in olds.items() if name not in news and holds(old)]
    return [*differences, *(_of(old, "gone") for old in gone)]


def holds(node: Node) -> bool:
    """Return whether `node` has state between batches."""
    if isinstance(node, ExtendNode):
        return parse_duration(node.by) < 0
    return node.kind not in HOLDING_NOTHING


def _content(node: Node) -> Mapping[str, Any]:
    return node.model_dump(mode="json")


def _reads_alike(old: Node, node: Node, alike: Mapping[str, bool]) -> bool:
    return all(alike[source] for source in sources(node)) and list(sources(old)) == list(sources(node))


def _compare(old: Node | None, node: Node, alike: Mapping[str, bool]) -> NodeDifference:
    if old is None or old.kind != node.kind:
        return _of(node, "new")
    if alike[node.id]:
        return _of(node, "same")
    new, was = _content(node), _content(old)
    changed = sorted(name for name in new if name not in _PLACE and new[name] != was[name])
    if isinstance(node, WindowNode) and isinstance(old, WindowNode) and set(changed) == _WIDENABLE:
        if not _reads_alike(old, node, alike):
            return _of(node, "lost", changed=changed)
        now, then = _aggregates(node), _aggregates(old)
        added = [name for name, each in now.items() if then.get(name) != each]
        return _of(node, "widened", added=added, removed=[name for name in then if name not in now])
    return _of(node, "lost", changed=changed)


def _aggregates(node: WindowNode) -> Mapping[str, Any]:
    return {each.name: each for each in node.aggregates}


def _of(node: Node, standing: Standing, **details: list[str]) -> NodeDifference:
    named = {"added": [], "removed": [], "changed": [], **details}
    return NodeDifference(node=node.id, kind=node.kind, standing=standing, **named)
