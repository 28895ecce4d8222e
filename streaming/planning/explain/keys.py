"""Which rows have to meet in which node, and so what they are sent to buckets by."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.tree import Field
from streaming.definition.graph import ExtendNode, Node, OutputNode, ProjectNode
from streaming.planning.explain.facts import Facts
from streaming.temporal.ticks import parse_duration


@dataclass(frozen=True)
class KeyNeed:
    """`stays`: no row needs another; `alone`: rows wait, but none for another, so any key will do; `keyed`: by `keys`.

    Keyed by none: every row may have to meet every other.
    """

    kind: Literal["stays", "alone", "keyed"]
    keys: tuple[str, ...] = ()


STAYS: Final = KeyNeed("stays")
ALONE: Final = KeyNeed("alone")


def stays(node: Node, facts: Facts) -> KeyNeed:
    """One event at a time."""
    del node, facts
    return STAYS


def alone(node: Node, facts: Facts) -> KeyNeed:
    """It remembers events, and none meets another."""
    del node, facts
    return ALONE


def edges(node: Node, facts: Facts) -> KeyNeed:
    """The start and the end of an edge meet, where they come apart."""
    return ALONE if facts.edges_reach(node) else STAYS


def of_extend(node: ExtendNode, facts: Facts) -> KeyNeed:
    """Only one that shortens waits for ends."""
    return edges(node, facts) if parse_duration(node.by) < 0 else STAYS


def of_output(node: OutputNode, facts: Facts) -> KeyNeed:
    """The sink takes rows as they come."""
    del node, facts
    return STAYS


def grouped(node: Any, facts: Facts) -> KeyNeed:
    """Events of one group meet."""
    del facts
    return KeyNeed("keyed", tuple(node.group_by))


def matched(node: Any, facts: Facts) -> KeyNeed:
    """Events with equal keys meet."""
    del facts
    return KeyNeed("keyed", tuple(dict.fromkeys(node.keys)))


def renamed(node: ProjectNode) -> Mapping[str, str]:
    """From a field before the node to the column that holds it unchanged."""
    found: dict[str, str] = {}
    for column in node.columns:
        tree = parse(column.of)
        if isinstance(tree, Field) and len(tree.path) == 1:
            found.setdefault(tree.path[0], column.name)
    return found
