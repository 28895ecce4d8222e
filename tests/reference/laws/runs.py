"""Results for the laws: net rows, late rows, and other orders of arrival."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from streaming.definition.graph import WindowNode
from streaming.wire.execution.case import Case, CaseEvent, CaseResult

Rows = Counter[tuple[str, int, int, str]]


def net(events: Iterable[CaseEvent]) -> Rows:
    """Return rows as a multiset, whatever their order."""
    return Counter(row(event.output, event.start, event.end, event.payload) for event in events)


def row(output: str, start: int, end: int, payload: Mapping[str, Any]) -> tuple[str, int, int, str]:
    """Return one row in a form that can be counted.

    Doubles to nine digits, because the last bits of sums may differ.
    """
    return output, start, end, json.dumps({name: _rounded(value) for name, value in sorted(payload.items())})


def _rounded(value: Any) -> Any:
    return f"{value + 0.0:.9g}" if isinstance(value, float) else value


def late(result: CaseResult) -> Counter[object]:
    """Return the late rows without their positions."""
    return Counter((each.lane, each.outcome, each.reason, each.start, each.end, each.edge) for each in result.late)


def cut(case: Case, places: Iterable[int]) -> Case:
    """Return `case` with a micro-batch boundary before each of the rows at `places`, and no other."""
    before = set(places)
    rows = (replace(each, batch=sum(at <= place for at in before)) for place, each in enumerate(case.rows))
    return replace(case, rows=tuple(rows))


def running(case: Case) -> bool:
    """Return true if rows of `case` depend on its micro-batches (T20)."""
    return any(isinstance(node, WindowNode) and node.emit == "running" for node in case.graph.nodes)
