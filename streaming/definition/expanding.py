"""A query whose expressions call none of its functions: each call is replaced by the function's expression (T59)."""

import contextlib
from typing import Any, TypeVar, get_args, get_type_hints

from pydantic import BaseModel

from streaming.definition.expressions.macros import Macros
from streaming.definition.expressions.problems import ExpressionError
from streaming.definition.graph import QueryGraph
from streaming.definition.strict import ExpressionText

M = TypeVar("M", bound=BaseModel)


def expanded(graph: QueryGraph) -> QueryGraph:
    """Return `graph` without functions: all calls are expanded.

    An expression that can't be expanded stays.
    """
    if not graph.functions:
        return graph
    macros = Macros.of(graph.functions)
    nodes = [expanded_model(node, macros) for node in graph.nodes]
    return graph.model_copy(update={"nodes": nodes, "functions": []})


def expanded_model(model: M, macros: Macros) -> M:
    """Return `model` with its expressions expanded, at any depth."""
    hints = get_type_hints(type(model), include_extras=True)
    update = {}
    for name, hint in hints.items():
        if name in type(model).model_fields:
            update[name] = _value(getattr(model, name), hint, macros)
    return model.model_copy(update=update)


def _value(value: Any, hint: Any, macros: Macros) -> Any:
    if isinstance(value, BaseModel):
        return expanded_model(value, macros)
    if isinstance(value, list):
        inner = next(iter(get_args(hint)), None)
        return [_value(each, inner, macros) for each in value]
    if isinstance(value, str) and ExpressionText in (hint, *get_args(hint)):
        with contextlib.suppress(ExpressionError):  # `check` reports it
            return macros.expand(value).text
    return value
