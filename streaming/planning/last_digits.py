"""Columns whose doubles may differ in their last digits, between executors and between divisions into batches."""

from collections.abc import Mapping
from math import isclose
from typing import Any, Final

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.tree import fields_used
from streaming.definition.graph import Aggregate, Node, ProjectNode, QueryGraph, WindowNode, sources
from streaming.definition.payload.types import Fields

_NONE: Final = frozenset[str]()
_NEAR: Final = 1e-9
"""Relative; much larger than a difference in the last digits."""


def varying_columns(graph: QueryGraph, schemas: Mapping[str, Fields]) -> Mapping[str, frozenset[str]]:
    """Return the columns of each node that depend on an aggregate with `last_digits_vary`; all others are exact (T62).

    `graph` is valid, and `schemas` are its own. After a node with several inputs, every column counts, because such
    nodes rename columns.
    """
    nodes = {node.id: node for node in graph.nodes}
    varying: dict[str, frozenset[str]] = {}

    def of(name: str) -> frozenset[str]:
        if name not in varying:
            node = nodes[name]
            varying[name] = _columns(node, [of(each) for each in sources(node)], schemas[name])
        return varying[name]

    return {name: of(name) for name in nodes}


def _columns(node: Node, inputs: list[frozenset[str]], fields: Fields) -> frozenset[str]:
    read = _NONE.union(*inputs)
    match node:
        case WindowNode():
            taken = (each.name for each in node.aggregates if _varies(each, read))
            return frozenset((*taken, *(name for name in node.group_by if name in read)))
        case ProjectNode():
            return frozenset(each.name for each in node.columns if _reads(each.of, read))
        case _:
            return frozenset(fields) if read and len(inputs) > 1 else read


def _varies(aggregate: Aggregate, read: frozenset[str]) -> bool:
    texts = (each for each in (aggregate.of, aggregate.filter) if each is not None)
    return AGGREGATES[aggregate.function].last_digits_vary or any(_reads(text, read) for text in texts)


def _reads(text: str, columns: frozenset[str]) -> bool:
    return bool(columns) and not columns.isdisjoint(fields_used(parse(text)))


def same_up_to_last_digits(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal, or differ only in the last digits of doubles."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(
            same_up_to_last_digits(each, other[name]) for name, each in one.items()
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_up_to_last_digits, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=_NEAR)
    return type(one) is type(other) and bool(one == other)
