"""The functions of `streaming.definition.sql`; those that are still being written are stood in for."""

from typing import Any

from streaming.definition import sql
from streaming.definition.check import check


def _print(graph: Any, **_: Any) -> str:
    return f"-- {graph.name}\n"


def _rewrite(text: str, graph: Any, **_: Any) -> str:
    return text


class _Checked:
    def __init__(self, text: str, streams: Any) -> None:
        self.script = sql.parse_sql(text)
        checked = check(self.script.raw, streams)
        self.faults, self.schemas = (*self.script.faults, *checked.faults), checked.schemas


class _Completions:
    def __init__(self, text: str, at: int, streams: Any) -> None:
        self.start = self.end = at
        self.items: tuple[Any, ...] = ()


print_sql: Any = getattr(sql, "print_sql", _print)
rewrite_sql: Any = getattr(sql, "rewrite_sql", _rewrite)
check_sql: Any = getattr(sql, "check_sql", _Checked)
complete_sql: Any = getattr(sql, "complete_sql", _Completions)
