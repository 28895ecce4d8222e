"""The functions of `streaming.definition.sql`; those that are still being written are stood in for."""

import importlib
from typing import Any

from streaming.definition.sql.check import check_sql

__all__ = ["check_sql", "complete_sql", "print_sql", "rewrite_sql"]


class _NothingToComplete:
    def __init__(self, text: str, at: int, streams: Any) -> None:
        del text, streams
        self.start = self.end = at
        self.items: tuple[Any, ...] = ()


def _found(module: str, name: str, otherwise: Any) -> Any:
    try:
        return getattr(importlib.import_module(f"streaming.definition.sql.{module}"), name)
    except (ImportError, AttributeError):
        return otherwise


print_sql: Any = _found("printing", "print_sql", lambda graph, **_: f"-- {graph.name}\n")
rewrite_sql: Any = _found("rewrite", "rewrite_sql", lambda text, *_, **__: text)
complete_sql: Any = _found("completion", "complete_sql", _NothingToComplete)
